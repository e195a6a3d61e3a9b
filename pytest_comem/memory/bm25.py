"""Lexical retrieval over single entries (the paper's RAG-Naive, with BM25 for similarity)."""

from __future__ import annotations

from typing import final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.memory.base import MemorySystem


@final
class BM25(MemorySystem):
    """The ``top_k`` entries that match the question best; duplicates kept, no one turned away."""

    def __init__(self) -> None:
        self._index = BM25Index()
        self._entries: list[Entry] = []

    def ingest(self, entry: Entry) -> None:
        """Index the entry's text."""
        self._index.add(entry.text)
        self._entries.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return the best entries, best first."""
        ranked = self._index.rank(query.text, query.top_k)
        return Recall(
            items=tuple(item_of(self._entries[number], score) for number, score in ranked)
        )


def item_of(entry: Entry, score: float | None) -> RecallItem:
    """Return *entry* as a recalled passage."""
    return RecallItem(entry.text, score, (entry.id,), entry.speaker)
