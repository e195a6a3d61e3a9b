"""Checks of tables: ``columns``, ``value``, ``rows``, ``formula``, ``sheets``.

A table is a CSV file, a sheet of a workbook, or a table in Markdown or a document.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isclose
from typing import Annotated, Any, Final, final

from pydantic import Field, FiniteFloat

from pytest_comem.office.base import Found
from pytest_comem.office.blocks import Cell, shown_cell
from pytest_comem.office.checks.base import (
    FailedError,
    FileArguments,
    Kind,
    Phrases,
    Scene,
    passed,
    plain,
    shown,
)
from pytest_comem.office.checks.written import TOLERANCE
from pytest_comem.office.documents import Document, Encoding, Rows
from pytest_comem.office.styles import numbers_in
from pytest_comem.records.base import Name
from pytest_comem.sandbox.workbooks import place_of_cell

_CELL: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
Value = FiniteFloat | Annotated[str, Field(max_length=1_000)]


class TableArguments(FileArguments):
    """Arguments of every kind that looks at a table.

    :param sheet: of a workbook; its first where none is named.
    :param delimiter: of a CSV file; a comma, or in ``.tsv`` a tab, where none is named.
    :param encoding: of a CSV file; UTF-8 where none is named.
    """

    sheet: Name | None = None
    delimiter: Annotated[str, Field(min_length=1, max_length=1)] | None = None
    encoding: Encoding = "utf-8"


@final
class ColumnsArguments(TableArguments):
    """Arguments of ``columns``: the names of the first table's header row, in order."""

    equal: Phrases


@final
class ValueArguments(TableArguments):
    """Arguments of ``value``.

    :param key: values by column, that tell the row.
    :param equals: a text, or a number, which may be written in any style and with a unit.
    """

    key: Annotated[dict[Name, Value], Field(min_length=1, max_length=10)]
    column: Name
    equals: Value
    tolerance: Annotated[float, Field(ge=0)] = TOLERANCE


@final
class RowsArguments(TableArguments):
    """Arguments of ``rows``: how many the first table has, header and empty ones not counted."""

    count: Annotated[int, Field(ge=0, le=1_000_000)]


@final
class FormulaArguments(FileArguments):
    """Arguments of ``formula``: cells, such as ``B7``, that have to hold one."""

    sheet: Name
    cells: Phrases


@final
class SheetsArguments(FileArguments):
    """Arguments of ``sheets``: names that the workbook has to have."""

    include: Phrases


def columns(arguments: ColumnsArguments, scene: Scene) -> Found:
    """Pass where the first table's columns have these names."""
    document = scene.document(arguments, arguments.encoding)
    header = _first(document, arguments)[0]
    found = [shown_cell(cell) for cell in header]
    while found and not found[-1].strip():
        found.pop()
    if [plain(name) for name in found] != [plain(name) for name in arguments.equal]:
        raise FailedError(
            f"{_place(document, arguments)}: its columns are {shown(', '.join(found))}; expected "
            f"are {', '.join(arguments.equal)}",
            file=document.path,
            found=found[:40],
        )
    return passed(f"{_place(document, arguments)}: its columns are {shown(', '.join(found))}")


def value(arguments: ValueArguments, scene: Scene) -> Found:
    """Pass where the row that the key tells has the value in the column."""
    document = scene.document(arguments, arguments.encoding)
    place = _place(document, arguments)
    rows = _having(document, arguments, [*arguments.key, arguments.column])
    names = [plain(shown_cell(cell)) for cell in rows[0]]
    at = {name: names.index(plain(name)) for name in (*arguments.key, arguments.column)}
    label = ", ".join(f"{name} {wanted}" for name, wanted in arguments.key.items())
    found = [
        row
        for row in rows[1:]
        if all(_equal(_at(row, at[name]), wanted, 0) for name, wanted in arguments.key.items())
    ]
    if len(found) != 1:
        raise FailedError(
            f"{place}: {len(found) or 'no'} rows have {shown(label)}; one is expected",
            file=document.path,
        )
    cell = _at(found[0], at[arguments.column])
    told = f"{place}: {shown(arguments.column)} of {shown(label)} is {shown(shown_cell(cell))}"
    if not _equal(cell, arguments.equals, arguments.tolerance):
        raise FailedError(
            f"{told}; expected is {shown(arguments.equals)}",
            file=document.path,
            found=shown(shown_cell(cell)),
        )
    return passed(told, file=document.path)


def rows(arguments: RowsArguments, scene: Scene) -> Found:
    """Pass where the first table has so many rows."""
    document = scene.document(arguments, arguments.encoding)
    found = len(_first(document, arguments)) - 1
    told = f"{_place(document, arguments)}: has {found:,} rows"
    if found != arguments.count:
        raise FailedError(f"{told}; expected are {arguments.count:,}", file=document.path)
    return passed(told, file=document.path)


def formula(arguments: FormulaArguments, scene: Scene) -> Found:
    """Pass where all these cells hold formulas."""
    document = scene.document(arguments)
    grid = document.grid(arguments.sheet)
    for name in arguments.cells:
        column, row = place_of_cell(name)
        cells = grid[row - 1] if row <= len(grid) else []
        if column >= len(cells) or not cells[column].formula:
            kept = cells[column].text if column < len(cells) else ""
            raise FailedError(
                f"{shown(document.path)}, {arguments.sheet}!{name}: holds no formula but "
                f"{shown(kept) or 'nothing'}",
                file=document.path,
            )
    return passed(f"{shown(document.path)}: {', '.join(arguments.cells)} hold formulas")


def sheets(arguments: SheetsArguments, scene: Scene) -> Found:
    """Pass where the workbook has all these sheets."""
    document = scene.document(arguments)
    found = {plain(name) for name in document.sheets}
    missing = [name for name in arguments.include if plain(name) not in found]
    if missing:
        raise FailedError(
            f"{shown(document.path)}: has no sheet {', '.join(missing)}; it has "
            f"{shown(', '.join(document.sheets))}",
            file=document.path,
        )
    return passed(f"{shown(document.path)}: has the sheets {', '.join(arguments.include)}")


def _first(document: Document, arguments: TableArguments) -> Rows:
    for table in document.tables(arguments.sheet, arguments.delimiter):
        if table:
            return table
    raise FailedError(f"{_place(document, arguments)}: has no table", file=document.path)


def _having(document: Document, arguments: TableArguments, names: Sequence[str]) -> Rows:
    """Return the first table that has all these columns."""
    wanted = {plain(name) for name in names}
    seen: list[str] = []
    for table in document.tables(arguments.sheet, arguments.delimiter):
        header = [shown_cell(cell) for cell in table[0]] if table else []
        if wanted <= {plain(name) for name in header}:
            return table
        seen = seen or header
    has = f"; it has {shown(', '.join(seen))}" if seen else ""
    raise FailedError(
        f"{_place(document, arguments)}: has no table with the columns {', '.join(names)}{has}",
        file=document.path,
    )


def _place(document: Document, arguments: TableArguments) -> str:
    sheet = f", sheet {arguments.sheet}" if arguments.sheet else ""
    return f"{shown(document.path)}{sheet}"


def _at(row: Sequence[Cell], place: int) -> Cell:
    return row[place] if place < len(row) else ""


def _equal(cell: Cell, wanted: float | str, tolerance: float) -> bool:
    """Return whether a cell says what is wanted; a text says a number in any style."""
    if isinstance(wanted, str):
        return plain(shown_cell(cell)) == plain(wanted)
    if not isinstance(cell, str):
        return isclose(cell, wanted, rel_tol=1e-12, abs_tol=tolerance)
    found = numbers_in(cell[:200])
    return bool(found) and any(
        isclose(each, wanted, rel_tol=1e-12, abs_tol=tolerance) for each in found[0].values
    )


def _formula_problem(arguments: FormulaArguments) -> str:
    for name in arguments.cells:
        if _CELL.fullmatch(name) is None:
            return f"{name!r} is no cell, such as B7"
    return ""


KINDS: Final[Mapping[str, Kind[Any]]] = {
    "columns": Kind(ColumnsArguments, columns),
    "value": Kind(ValueArguments, value),
    "rows": Kind(RowsArguments, rows),
    "formula": Kind(FormulaArguments, formula, _formula_problem),
    "sheets": Kind(SheetsArguments, sheets),
}
