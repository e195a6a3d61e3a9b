"""The blueprints of the shipped families, a module each."""
