"""Short ways to write what a step asks for."""

from __future__ import annotations

from typing import Any


def listed(source: str, columns: str, who_in: str = "") -> dict[str, Any]:
    """Return the work of listing columns of a source, of one owner only where it has a column."""
    kept = [["keep", who_in, "is", "{who}"]] if who_in else []
    return {"steps": [["take", source], *kept, ["columns", columns.split()]]}


def carried(**names: str) -> dict[str, Any]:
    """Return facts that are carried over: by input, the facts' names, or ``new=old``."""
    found: dict[str, Any] = {}
    for source, words in names.items():
        for word in words.split():
            new, _, old = word.partition("=")
            found[new] = ["value", fact(source, old or new)]
    return found


def fact(source: str, name: str) -> dict[str, Any]:
    """Return the value of a fact of an input."""
    return {"fact": [source, name]}


def total(source: str, column: str) -> dict[str, Any]:
    """Return the value of a column's total."""
    return {"total": [source, column]}


def only(names: str) -> dict[str, Any]:
    """Return facts that are cells of the current table's one row: names, or ``new=column``."""
    pairs = (word.partition("=") for word in names.split())
    return {new: ["only", column or new] for new, _, column in pairs}


def same(one: Any, other: Any) -> list[Any]:
    """Return the fact whether two values are equal."""
    return ["same", one, other]


def value(of: Any) -> list[Any]:
    """Return a value as a fact."""
    return ["value", of]
