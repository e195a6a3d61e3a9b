"""What memory systems return that they should not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pytest_comem.core.entries import Principal
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.engine.returned import problem_of_nothing, problem_of_recall

#: For values whose types are wrong on purpose.
make: Callable[..., Any] = RecallItem
recall: Callable[..., Any] = Recall
NO_ITEMS: tuple[RecallItem, ...] = ()


class Text(str):
    """A text of a library's own kind."""


@pytest.mark.parametrize(
    "right",
    [
        Recall(),
        recall([make(Text("a"), 1, [Text("e1")], Principal("ann", "nurse"))]),
        Recall((), (Withheld(WithheldReason.DELETED, 0.5, ("e1",)),)),
    ],
)
def test_what_is_right_is_let_through(right: Recall) -> None:
    """Lists do for tuples, and subclasses for texts and numbers."""
    assert problem_of_recall(right) is None


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "NoneType, not a Recall"),
        ("everything", "str, not a Recall"),
        (recall(one for one in NO_ITEMS), "items of type generator, not a tuple"),
        (recall(None), "items of type NoneType"),
        (recall("everything"), "items of type str"),
        (recall(("everything",)), "items that hold str, not RecallItem"),
        (recall((make(b"everything"),)), "an item that is not a RecallItem of text"),
        (recall((make("a", "best"),)), "score is str, not a number"),
        (recall((make("a", None, "e1"),)), "source_ids are not a tuple of texts"),
        (recall((make("a", None, ([],)),)), "source_ids are not a tuple of texts"),
        (recall((make("a", None, (), "ann"),)), "a speaker of type str"),
        (recall((), None), "withheld of type NoneType"),
        (recall((), (make("a"),)), "withheld that hold RecallItem, not Withheld"),
        (recall((), (Withheld("because"),)), "reason is not a WithheldReason"),  # type: ignore[arg-type]
    ],
)
def test_what_is_wrong_is_named(wrong: object, words: str) -> None:
    """The message says what came and what should have come."""
    assert words in (problem_of_recall(wrong) or "")


async def coroutine() -> None:
    """Do nothing."""


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (lambda: False, "returned bool, not None"),
        (lambda: [], "returned list, not None"),
        (coroutine, "returned a coroutine: it must do its work before it returns"),
        (lambda: (one for one in NO_ITEMS), "returned a generator, which has done nothing yet"),
    ],
)
def test_an_operation_that_returns_nothing_returns_nothing(
    returned: Callable[[], object], words: str
) -> None:
    """Work that was never done, and failures told by a value, do not go unnoticed."""
    assert words in (problem_of_nothing(returned()) or "")
    assert problem_of_nothing(None) is None
