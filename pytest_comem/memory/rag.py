"""Dense retrieval over single entries (the paper's RAG-Naive): the run's embedder and cosine.

Exact and by brute force: an episode holds a few hundred entries, and an index that approximates
would add its own misses to what is being compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import Capabilities, MemorySystem, Package, UnknownEntryError
from pytest_comem.memory.bm25 import item_of
from pytest_comem.memory.calls import PublicCalls

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup
    from pytest_comem.memory.vectors import VectorTable

CALLS: Final = PublicCalls(
    preamble="""\
from itertools import count

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.memory.rag import Rag

numbers = count(1)


def about(text, k):
    return Query(text, Principal("asker", "someone"), (), "", k)
""",
    open="$m = Rag(HashEmbedder())",
    ingest="""\
$id = f"entry-{next(numbers)}"
$m.ingest(Entry($id, $text, Principal($principal, "someone"), $timestamp))""",
    recall="found = [item.text for item in $m.recall(about($query, $k)).items]",
    recall_of="found = [item.text for item in $m.recall_of($principal, about($query, $k)).items]",
    entries="found = [item.text for item in $m.entries()]",
    delete="$m.delete($id)",
    update="$m.update($id, $text)",
    delete_principal="$m.delete_principal($principal)",
    close="$m.close()",
)


@final
class Rag(MemorySystem):
    """The ``top_k`` entries nearest to the question; duplicates kept, no one turned away.

    :param embedder: gives unit vectors.
    """

    capabilities = Capabilities(
        deletes=True,
        updates=True,
        lists=True,
        principals=True,
        deletes_principals=True,
        needs_embedder=True,
    )
    packages = (Package("numpy", "rag", ">=1.26", library=False),)
    calls = CALLS

    def __init__(self, embedder: Embedder) -> None:
        from pytest_comem.memory.vectors import VectorTable

        self._embedder = embedder
        self._entries: list[Entry] = []
        self._vectors: VectorTable = VectorTable(embedder.dimensions)

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory that uses the run's embedder."""
        return cls(setup.embedder)

    def ingest(self, entry: Entry) -> None:
        """Embed and keep the entry."""
        self._vectors.append(self._embed(entry.text))
        self._entries.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return the nearest entries, nearest first; of equally near ones the earlier first."""
        return self._nearest(query, range(len(self._entries)))

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return the nearest of what one principal said."""
        return self._nearest(query, list(self._said_by(principal_id)))

    def entries(self) -> Sequence[RecallItem]:
        """Return every entry, in the order given."""
        return [item_of(entry, None) for entry in self._entries]

    def delete(self, entry_id: str) -> None:
        """Forget one entry.

        :raises UnknownEntryError: where there is none of this id.
        """
        self._forget([self._number_of(entry_id)])

    def update(self, entry_id: str, text: str) -> None:
        """Replace the text of one entry; its place, speaker and time stay.

        :raises UnknownEntryError: where there is none of this id.
        """
        number = self._number_of(entry_id)
        self._vectors.replace(number, self._embed(text))
        self._entries[number] = replace(self._entries[number], text=text)

    def delete_principal(self, principal_id: str) -> None:
        """Forget everything one principal said; nothing where that is nothing."""
        self._forget(list(self._said_by(principal_id)))

    def _nearest(self, query: Query, numbers: Sequence[int]) -> Recall:
        if not numbers:
            return Recall()
        ranked = self._vectors.nearest(self._embed(query.text), numbers, query.top_k)
        return Recall(tuple(item_of(self._entries[number], score) for number, score in ranked))

    def _embed(self, text: str) -> list[float]:
        (vector,) = self._embedder.embed([text])
        return vector

    def _said_by(self, principal_id: str) -> Iterator[int]:
        return (n for n, entry in enumerate(self._entries) if entry.speaker.id == principal_id)

    def _number_of(self, entry_id: str) -> int:
        for number, entry in enumerate(self._entries):
            if entry.id == entry_id:
                return number
        raise UnknownEntryError(entry_id)

    def _forget(self, numbers: list[int]) -> None:
        self._vectors.remove(numbers)
        gone = set(numbers)
        self._entries = [entry for n, entry in enumerate(self._entries) if n not in gone]
