"""What a run came to before, kept in a small file, and what has changed since."""
