"""The reference system: it is shown the hidden annotations and behaves perfectly.

It checks the harness, never a memory: with it every metric must come out at its ideal, whatever
reads the recall. It is marked as a reference wherever it appears.
"""

from __future__ import annotations

from typing import ClassVar, Protocol, final, runtime_checkable

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.memory.base import Capabilities, MemorySystem


@runtime_checkable
class ShownAnnotations(Protocol):
    """A system the engine shows, before each query, what a perfect memory would do with it."""

    def reveal(self, evidence: tuple[str, ...], withheld: WithheldReason | None) -> None:
        """Learn the ids of the entries that hold the answer, or why to keep everything back."""


@final
class Oracle(MemorySystem):
    """Recalls exactly the entries that hold the answer, and withholds what must be withheld."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        governs_access=True, governs_deletion=True, reference=True
    )

    def __init__(self) -> None:
        self._items: dict[str, RecallItem] = {}
        self._evidence: tuple[str, ...] = ()
        self._withheld: WithheldReason | None = None

    def reveal(self, evidence: tuple[str, ...], withheld: WithheldReason | None) -> None:
        """Learn what the next query needs."""
        self._evidence = evidence
        self._withheld = withheld

    def ingest(self, entry: Entry) -> None:
        """Keep the entry."""
        self._items[entry.id] = RecallItem(entry.text, None, (entry.id,), entry.speaker)

    def recall(self, query: Query) -> Recall:
        """Return the evidence, or say what is withheld."""
        return Recall(
            items=tuple(self._items[entry_id] for entry_id in self._evidence),
            withheld=(Withheld(self._withheld),) if self._withheld else (),
            enforced_access=True,
            enforced_deletion=True,
        )
