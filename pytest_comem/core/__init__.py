"""The vocabulary of the project as small typed values; imports nothing else of ours."""
