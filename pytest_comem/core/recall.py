"""What a memory system hands over: the exposed context, and what it says it kept back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import final

from pytest_comem.core.entries import Principal


class WithheldReason(StrEnum):
    """Why a memory system kept something back."""

    UNAUTHORIZED = "unauthorized"
    DELETED = "deleted"


@final
@dataclass(frozen=True, slots=True)
class RecallItem:
    """One recalled passage.

    :param text: the passage as the memory hands it over.
    :param score: the memory's own relevance score (larger is better), or ``None``.
    :param source_ids: ids of the entries it stands on, as far as the memory knows them.
    :param speaker: who said it, where the memory keeps that.
    :param position: place of the latest source in the episode, 0-based. Filled in by the engine
        from ``source_ids``; adapters leave it alone.
    """

    text: str
    score: float | None = None
    source_ids: tuple[str, ...] = ()
    speaker: Principal | None = None
    position: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Withheld:
    """A passage that a memory system says it kept back, without its text.

    :param reason: why.
    :param score: its relevance score, comparable with those of the items handed over.
    :param source_ids: ids of the entries it stands on.
    """

    reason: WithheldReason
    score: float | None = None
    source_ids: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Recall:
    """The answer of a memory system to a query.

    :param items: passages, most relevant first unless the system orders otherwise.
    :param withheld: what the system says it kept back, and why.
    :param enforced_access: the system decided itself what this requester may see, so that a reader
        need not judge authorization again.
    :param enforced_deletion: the system itself leaves out what was deleted or retracted.
    """

    items: tuple[RecallItem, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    enforced_access: bool = False
    enforced_deletion: bool = False

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> Recall:
        """Return a recall of plain passages, for memories that know nothing more."""
        return cls(items=tuple(RecallItem(text) for text in texts))

    @property
    def text(self) -> str:
        """The exposed context as one text, a passage a line."""
        return "\n".join(item.text for item in self.items)

    def located(self, positions: Mapping[str, int]) -> Recall:
        """Return the same recall with each item's position, given the position of each entry."""
        return replace(self, items=tuple(_locate(item, positions) for item in self.items))

    def withheld_for(self, reason: WithheldReason) -> tuple[Withheld, ...]:
        """Return what was kept back for *reason*."""
        return tuple(kept for kept in self.withheld if kept.reason == reason)


def _locate(item: RecallItem, positions: Mapping[str, int]) -> RecallItem:
    known = [positions[source] for source in item.source_ids if source in positions]
    if not known:
        return item
    return RecallItem(item.text, item.score, item.source_ids, item.speaker, max(known))
