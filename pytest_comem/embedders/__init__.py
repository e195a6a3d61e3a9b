"""Texts to vectors, the same for every memory system of a run."""
