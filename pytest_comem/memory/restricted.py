"""Ranking over the entries a system is willing to hand over, and saying what it kept back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, Withheld, WithheldReason
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.language.words import content_words
from pytest_comem.memory.bm25 import item_of

#: Why an entry, by its number, is kept back; ``None`` where it is not.
Objection = Callable[[int], WithheldReason | None]


def restricted_recall(
    index: BM25Index,
    entries: Sequence[Entry],
    query: Query,
    objection: Objection,
    *,
    enforced_deletion: bool = False,
) -> Recall:
    """Return the best entries without objection, and which of the unrestricted best had one.

    Entries that share no word of substance with the question do not fill up the rank: where most
    of what matches is kept back, they would hide that.
    """
    objections = [objection(number) for number in range(len(entries))]
    ranked = index.rank(query.text, query.top_k)
    if any(objections[number] for number, _ in ranked):
        given = index.rank(query.text, query.top_k, keep=lambda number: objections[number] is None)
    else:
        given = ranked
    about = content_words(query.text)
    items = tuple(
        item_of(entries[number], score)
        for number, score in given
        if not about or not about.isdisjoint(content_words(entries[number].text))
    )
    return Recall(
        items=items,
        withheld=_kept_back(entries, ranked, objections),
        enforced_access=True,
        enforced_deletion=enforced_deletion,
    )


def withheld_recall(
    index: BM25Index,
    entries: Sequence[Entry],
    query: Query,
    reason: WithheldReason,
    *,
    enforced_deletion: bool = False,
) -> Recall:
    """Return nothing, and say that the best entries were all kept back for *reason*."""
    ranked = index.rank(query.text, query.top_k)
    return Recall(
        withheld=_kept_back(entries, ranked, [reason] * len(entries)),
        enforced_access=True,
        enforced_deletion=enforced_deletion,
    )


def _kept_back(
    entries: Sequence[Entry],
    ranked: Sequence[tuple[int, float]],
    objections: Sequence[WithheldReason | None],
) -> tuple[Withheld, ...]:
    return tuple(
        Withheld(reason, score, (entries[number].id,))
        for number, score in ranked
        if (reason := objections[number]) is not None
    )
