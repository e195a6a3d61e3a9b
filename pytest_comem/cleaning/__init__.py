"""What killed runs have left, found by its label and removed: ``comem clean``."""
