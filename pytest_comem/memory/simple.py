"""The two ends of the scale: a memory of nothing, and one that hands over everything."""

from __future__ import annotations

from typing import final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import MemorySystem


@final
class NoMemory(MemorySystem):
    """Remembers nothing; what an agent scores without any memory."""

    def ingest(self, entry: Entry) -> None:
        """Forget the entry."""

    def recall(self, query: Query) -> Recall:
        """Return nothing."""
        return Recall()


@final
class FullContext(MemorySystem):
    """Hands over every entry so far, in order, whatever is asked (the paper's Long-Context)."""

    def __init__(self) -> None:
        self._items: list[RecallItem] = []

    def ingest(self, entry: Entry) -> None:
        """Keep the entry."""
        self._items.append(RecallItem(entry.text, None, (entry.id,), entry.speaker))

    def recall(self, query: Query) -> Recall:
        """Return all entries; ``top_k`` does not apply."""
        return Recall(items=tuple(self._items))
