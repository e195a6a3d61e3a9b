"""Memory systems asked and answering in plain texts, which is how journals and scripts speak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem

#: Who writes and asks where nobody in particular does, and the role everybody has.
SOMEBODY: Final = "ann"
ROLE: Final = "member"
#: When everything is said; nothing depends on it.
MOMENT: Final = "2024-05-01T09:00"


def entry_of(
    id: str, text: str, principal: str = SOMEBODY, timestamp: str | None = MOMENT
) -> Entry:
    """Return an entry that says *text*."""
    return Entry(id, text, Principal(principal, ROLE), timestamp, "dialogue")


def query_of(text: str, k: int) -> Query:
    """Return a query for *text*, for *k* passages at most."""
    return Query(text, Principal(SOMEBODY, ROLE), (), "", k)


def items_of(recall: Recall) -> Sequence[RecallItem]:
    """Return the passages of a recall.

    :raises TypeError: where a memory system returned something else.
    """
    if not isinstance(recall, Recall):
        raise TypeError(f"a {type(recall).__name__} came back, not a Recall")
    return recall.items


def texts_of(items: Sequence[RecallItem]) -> list[str]:
    """Return the texts of passages.

    :raises TypeError: where one is no text.
    """
    texts = [item.text for item in items]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a passage's text is a {type(text).__name__}, not a str")
    return texts
