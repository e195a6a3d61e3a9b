"""The one door for calls of language and embedding models: counted, bounded, retried, recorded."""
