"""What a memory system returns, looked at before anybody relies on it.

Each function returns what is wrong, as a clause that follows the operation's name, or ``None``.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import isawaitable, iscoroutine
from numbers import Real

from pytest_comem.core.entries import Principal
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason


def problem_of_nothing(returned: object) -> str | None:
    """Look at what an operation returned that returns nothing.

    An ``async def`` or a generator has done nothing at all when it returns, and many a library
    says that it failed by returning ``False``.
    """
    if returned is None:
        return None
    kind = type(returned).__name__
    if iscoroutine(returned):
        returned.close()
    if isawaitable(returned):
        return f"returned a {kind}: it must do its work before it returns, such as by asyncio.run()"
    if isinstance(returned, Iterator):
        return f"returned a {kind}, which has done nothing yet: it must not yield"
    return f"returned {kind}, not None: it must raise where it fails, and return nothing"


def problem_of_recall(returned: object) -> str | None:
    """Look at what ``recall()`` returned."""
    if not isinstance(returned, Recall):
        if iscoroutine(returned):
            returned.close()
        return f"returned {type(returned).__name__}, not a Recall"
    for name, kind in (("items", RecallItem), ("withheld", Withheld)):
        found = getattr(returned, name)
        if not isinstance(found, tuple | list):
            return f"returned {name} of type {type(found).__name__}, not a tuple"
        for one in found:
            if not isinstance(one, kind):
                return f"returned {name} that hold {type(one).__name__}, not {kind.__name__}"
    parts: tuple[RecallItem | Withheld, ...] = (*returned.items, *returned.withheld)
    return next(filter(None, map(_problem_of_part, parts)), None)


def _problem_of_part(part: RecallItem | Withheld) -> str | None:
    name = type(part).__name__
    if isinstance(part, RecallItem):
        if not isinstance(part.text, str):
            return f"returned an item that is not a {name} of text"
        if not isinstance(part.speaker, Principal | None):
            return f"returned a speaker of type {type(part.speaker).__name__}, not a Principal"
    elif not isinstance(part.reason, WithheldReason):
        return f"returned a {name} whose reason is not a WithheldReason"
    # Nearly all scores are plain numbers, and asking for anything like one costs more than that.
    if type(part.score) is not float and not isinstance(part.score, Real | None):
        return f"returned a {name} whose score is {type(part.score).__name__}, not a number"
    ids = part.source_ids
    if not isinstance(ids, tuple | list) or not all(isinstance(one, str) for one in ids):
        return f"returned a {name} whose source_ids are not a tuple of texts"
    return None
