"""The corpus: a world that nobody has read about, and articles about it, all from one seed.

The articles of ``fixtures/comembench/retrieval/corpus.jsonl`` come from here; nothing at run time
does.
"""
