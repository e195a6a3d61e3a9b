"""Tables as artifacts and states hold them: named columns, cells that are whole numbers or texts.

Spreadsheets, files and databases give the same cell in different forms (``12``, ``12.0``,
``"12"``); :func:`cell` brings all to one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

Cell: TypeAlias = "int | str"
#: Most rows and columns of a table that is worked on, and most characters of a cell.
MOST_ROWS: Final = 1_000
MOST_COLUMNS: Final = 40
LONGEST_CELL: Final = 1_000
#: Longer runs of digits are texts, such as the number of an account.
_WHOLE: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.0{1,6})?")
NAME: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")


class NoTableError(Exception):
    """A value is no table of this form; the message says why, in one clause."""


@final
@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; each row has a cell a column."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def as_json(self) -> dict[str, Any]:
        """Return the table as artifacts hold it."""
        return {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    def records(self) -> list[dict[str, Cell]]:
        """Return the rows as values by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def same_rows(self, other: Table) -> bool:
        """Whether both have the same columns and rows, in whatever order these stand."""
        if sorted(self.columns) != sorted(other.columns):
            return False
        return _ordered(self) == _ordered(other)


def cell(value: Any) -> Cell:
    """Return a value as a cell.

    :raises NoTableError: where it is a list, an object, no whole number, or too long a text.
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return int(value)
    if isinstance(value, int) and abs(value) < 10**15:
        return value
    if isinstance(value, str) and len(value) <= LONGEST_CELL:
        text = value.strip()
        return int(text.partition(".")[0]) if _WHOLE.fullmatch(text) else text
    raise NoTableError("a cell is neither a whole number nor a text")


def table_of(columns: Sequence[Any], rows: Iterable[Sequence[Any]]) -> Table:
    """Return a table of any values.

    :raises NoTableError: where they are none.
    """
    names = tuple(str(cell(name)) for name in columns)
    if not names or len(names) > MOST_COLUMNS or len(set(names)) < len(names):
        raise NoTableError("its columns are none, too many, or named twice")
    made: list[tuple[Cell, ...]] = []
    for row in rows:
        if len(made) == MOST_ROWS:
            raise NoTableError(f"it has more than {MOST_ROWS} rows")
        if len(row) != len(names):
            raise NoTableError("a row has not one cell a column")
        made.append(tuple(cell(value) for value in row))
    return Table(names, tuple(made))


def read_table(value: Any) -> Table:
    """Return the table that a JSON value is.

    :raises NoTableError: where it is none.
    """
    columns = value.get("columns") if isinstance(value, dict) else None
    rows = value.get("rows") if isinstance(value, dict) else None
    if not isinstance(columns, list) or not isinstance(rows, list) or set(value) - _FIELDS:
        raise NoTableError("a table has columns and rows")
    if not all(isinstance(row, list) for row in rows):
        raise NoTableError("a row is a list of cells")
    return table_of(columns, rows)


def of_records(records: Sequence[Mapping[str, Any]], columns: Sequence[str] = ()) -> Table:
    """Return a table of objects that all have the same fields.

    :param columns: where there are no objects.
    :raises NoTableError: where they differ.
    """
    names = list(records[0]) if records else list(columns)
    if any(list(record) != names for record in records):
        raise NoTableError("its rows have different columns")
    return table_of(names, (list(record.values()) for record in records))


def read_facts(value: Any) -> dict[str, Cell]:
    """Return the facts that a JSON value is: cells by name.

    :raises NoTableError: where it is no such object.
    """
    if not isinstance(value, dict) or not 0 < len(value) <= MOST_COLUMNS:
        raise NoTableError("facts are an object of names and cells")
    return {str(cell(name)): cell(each) for name, each in value.items()}


_FIELDS: Final = {"columns", "rows"}


def _ordered(table: Table) -> list[tuple[str, ...]]:
    order = sorted(range(len(table.columns)), key=lambda place: table.columns[place])
    return sorted(tuple(_key(row[place]) for place in order) for row in table.rows)


def _key(value: Cell) -> str:
    return f"{type(value).__name__} {value}"
