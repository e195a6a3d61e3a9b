"""The calculations of tasks, by hand."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.relating import calculated, facts_of, value_of
from pytest_comem.domains.tools.tables import NoTableError, Table, table_of

STOCK = table_of(["item", "units"], [["bolt", 3], ["clamp", 8], ["dowel", 5]])
PRICES = table_of(["item", "price"], [["bolt", 10], ["dowel", 7], ["dowel", 9]])
KNOWN: dict[str, Body] = {
    "stock": STOCK,
    "prices": PRICES,
    "chosen": {"item": "clamp", "limit": 5},
    "script": "SELECT 1",
}


def rows(*steps: Any) -> list[tuple[Any, ...]]:
    """Return the rows that steps come to."""
    return list(calculated(list(steps), KNOWN).rows)


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([["keep", "units", "at_least", 5]], [("clamp", 8), ("dowel", 5)]),
        ([["keep", "units", "below", {"fact": ["chosen", "limit"]}]], [("bolt", 3)]),
        ([["keep", "item", "is", {"fact": ["chosen", "item"]}]], [("clamp", 8)]),
        ([["keep", "item", "is_not", "bolt"]], [("clamp", 8), ("dowel", 5)]),
        (
            [["join", "prices", "item"]],
            [("bolt", 3, 10), ("dowel", 5, 7), ("dowel", 5, 9)],
        ),
        ([["lacking", "prices", "item"]], [("clamp", 8)]),
        ([["stack", "stock"], ["keep", "item", "is", "bolt"]], [("bolt", 3), ("bolt", 3)]),
        ([["times", "twice", "units", 2], ["columns", ["twice"]]], [(6,), (16,), (10,)]),
        ([["minus", "rest", "units", "units"], ["columns", ["rest"]]], [(0,), (0,), (0,)]),
        (
            [["plus", "more", "units", {"total": ["prices", "price"]}], ["columns", ["more"]]],
            [(29,), (34,), (31,)],
        ),
        (
            [["put", "run", "R-1"], ["columns", ["run", "item"]]],
            [("R-1", "bolt"), ("R-1", "clamp"), ("R-1", "dowel")],
        ),
        ([["best", "units"]], [("clamp", 8)]),
        ([["take", "prices"], ["sum", ["item"], ["price"]]], [("bolt", 10, 1), ("dowel", 16, 2)]),
        ([["take", "prices"], ["sum", [], ["price"]]], [(26, 3)]),
        ([["take", "chosen"]], [("clamp", 5)]),
    ],
)
def test_steps(steps: list[Any], wanted: list[tuple[Any, ...]]) -> None:
    """Each as its description says, after the stock was taken."""
    assert rows(["take", "stock"], *steps) == wanted


@pytest.mark.parametrize(
    "steps",
    [
        ["take"],
        [["fly", "stock"]],
        [[]],
        [[["take"], "stock"]],
        [["take", "nowhere"]],
        [["take", "script"]],
        [["take", ["stock"]]],
        [["take", "stock"], ["keep", "units"]],
        [["take", "stock"], ["keep", "units", "like", 1]],
        [["take", "stock"], ["keep", "weight", "is", 1]],
        [["take", "stock"], ["keep", "item", "at_least", 1]],
        [["take", "stock"], ["keep", "units", "is", {"fact": ["chosen", "none"]}]],
        [["take", "stock"], ["keep", "units", "is", {"fact": "x"}]],
        [["take", "stock"], ["keep", "units", "is", {"other": 1}]],
        [["take", "stock"], ["times", "a", "item", 2]],
        [["take", "stock"], ["columns", ["item", "item"]]],
        [["take", "stock"], ["put", "item", 1]],
        [["take", "stock"], ["keep", "units", "below", 0], ["best", "units"]],
        [["take", "stock"], ["stack", "prices"]],
        [["take", "prices"], *[["join", "prices", "item"]] * 12],
    ],
)
def test_what_cannot_be_done_is_bad_work(steps: list[Any]) -> None:
    """Missing tables, columns and facts, texts for numbers, too many rows; never another error."""
    with pytest.raises(NoTableError):
        calculated(steps, KNOWN)


def test_facts() -> None:
    """Of the current table, of inputs, and of what two have in common."""
    known = {
        **KNOWN,
        "again": table_of(["units", "item"], [[8, "clamp"], [3, "bolt"], [5, "dowel"]]),
    }
    asked = {
        "count": ["count"],
        "units": ["total", "units"],
        "item": ["value", {"fact": ["chosen", "item"]}],
        "prices": ["value", {"count": "prices"}],
        "left": ["minus", {"total": ["stock", "units"]}, {"fact": ["chosen", "limit"]}],
        "both": ["plus", 1, 2],
        "equal": ["same", {"total": ["stock", "units"]}, 16],
        "agrees": ["agrees", "again", "stock"],
        "differs": ["agrees", "prices", "stock"],
        "absent": ["agrees", "nowhere", "stock"],
    }
    assert facts_of(asked, STOCK, known) == {
        "count": 3,
        "units": 16,
        "item": "clamp",
        "prices": 3,
        "left": 11,
        "both": 3,
        "equal": "yes",
        "agrees": "yes",
        "differs": "no",
        "absent": "no",
    }
    one = Table(("item",), (("bolt",),))
    assert facts_of({"item": ["only", "item"]}, one, {}) == {"item": "bolt"}


@pytest.mark.parametrize(
    "how",
    [
        None,
        [],
        "count",
        ["fly"],
        ["total"],
        ["total", "item"],
        ["only", "item"],
        ["same", 1],
        ["plus", "a", 1],
    ],
)
def test_a_fact_that_cannot_be_told_is_bad_work(how: Any) -> None:
    """Whatever it is asked for."""
    with pytest.raises(NoTableError):
        facts_of({"fact": how}, STOCK, KNOWN)


def test_a_value_is_a_cell_or_a_fact() -> None:
    """A fact of an artifact that has none is bad work."""
    assert value_of(7, {}) == 7
    with pytest.raises(NoTableError):
        value_of({"fact": ["stock", "units"]}, KNOWN)
