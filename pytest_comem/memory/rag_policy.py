"""Retrieval restricted by policy (the paper's RAG-Policy): per entry, before the ranking.

The requester's role, relationships and scopes decide which entries may be retrieved; BM25 ranks
those. What the dialogue says about consent and deletion plays no part.
"""

from __future__ import annotations

from typing import ClassVar, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.language.access import grant_of
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.memory.base import Capabilities, MemorySystem
from pytest_comem.memory.restricted import restricted_recall


@final
class RagPolicy(MemorySystem):
    """The best entries among those the requester may see."""

    capabilities: ClassVar[Capabilities] = Capabilities(governs_access=True)

    def __init__(self) -> None:
        self._index = BM25Index()
        self._entries: list[Entry] = []

    def ingest(self, entry: Entry) -> None:
        """Index the entry's text."""
        self._index.add(entry.text)
        self._entries.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return the best permitted entries, and which better ones were kept back."""
        grant = grant_of(query)

        def objection(number: int) -> WithheldReason | None:
            entry = self._entries[number]
            allowed = grant.covers(entry.text, entry.speaker)
            return None if allowed else WithheldReason.UNAUTHORIZED

        return restricted_recall(self._index, self._entries, query, objection)
