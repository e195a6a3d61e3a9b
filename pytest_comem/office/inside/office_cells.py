"""Values of cells and columns, whatever kind of file they come from."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from pytest_comem.office.inside.office_files import RefusedError

#: What a cell holds, once read.
Cell: TypeAlias = "str | int | float | None"
#: Characters of a cell that is shown in an answer.
_SHOWN = 500


def plain(value: Any) -> Cell:
    """Return a value of a file's cell as text or number; moments as ISO 8601."""
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return round(value, 10) if math.isfinite(value) else str(value)
    if isinstance(value, datetime.datetime):
        midnight = value.time() == datetime.time() and value.tzinfo is None
        return value.date().isoformat() if midnight else value.isoformat(timespec="seconds")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.time):
        return value.isoformat(timespec="seconds")
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    # Array formulas keep their text in a field.
    return str(getattr(value, "text", value))


def shown(row: Sequence[Any]) -> str:
    """Return a row as a line."""
    return " | ".join("" if cell is None else _short(str(cell)) for cell in row)


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def numbered(column: list[Cell]) -> list[Cell]:
    """Return a column whose texts that are plain numbers are numbers; an empty text is nothing.

    A column with a text such as ``007`` holds identifiers, which stay texts.
    """
    column = [None if cell == "" else cell for cell in column]
    if any(isinstance(cell, str) and _leads_with_zero(cell) for cell in column):
        return column
    return [_number(cell) if isinstance(cell, str) else cell for cell in column]


def _leads_with_zero(text: str) -> bool:
    return len(text) > 1 and text.isascii() and text.isdigit() and text.startswith("0")


def _number(text: str) -> Cell:
    """Return a text as a number, where it is digits with a sign and a decimal point at most."""
    digits = text.strip().removeprefix("-")
    whole, point, part = digits.partition(".")
    if not digits.isascii() or len(digits) > 18 or not whole.isdigit():
        return text
    if len(whole) > 1 and whole.startswith("0"):
        return text
    if not point:
        return int(text)
    return float(text) if part.isdigit() else text


def rows_of(given: Any, what: str) -> list[list[Any]]:
    """Return rows that were given as arguments.

    :raises RefusedError: where they are not rows of texts, numbers, truth values and nothing.
    """
    if not isinstance(given, list) or not all(isinstance(row, list) for row in given):
        raise RefusedError(f"{what} has to be a list of rows, each a list of cells")
    if sum(map(len, given)) > 200_000 or len(given) > 50_000:
        raise RefusedError(f"{what} has too many cells")
    for number, row in enumerate(given, 1):
        for cell in row:
            if not isinstance(cell, str | int | float | None):
                kind = type(cell).__name__
                raise RefusedError(f"{what}: row {number} holds a {kind}; cells are single values")
            if isinstance(cell, float) and not math.isfinite(cell):
                raise RefusedError(f"{what}: row {number} holds {cell}, which is no number")
            if isinstance(cell, str) and len(cell) > 30_000:
                raise RefusedError(f"{what}: row {number} holds a text that is too long")
    return given
