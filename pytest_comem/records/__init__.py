"""Records read strictly from JSON files, and the one canonical form of a JSON value."""
