"""The shipped families of the retrieval domain, computed from the same world as the corpus."""
