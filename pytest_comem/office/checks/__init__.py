"""What can be decided of a final workspace without a model: kinds of checks and their arguments."""
