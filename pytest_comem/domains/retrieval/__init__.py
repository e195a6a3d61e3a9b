"""Offline retrieval: questions of several clues over an immutable, hashed corpus."""
