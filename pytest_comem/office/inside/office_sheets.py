"""Spreadsheets (.xlsx), by openpyxl, which is imported when one is used."""

from __future__ import annotations

import io
import re
import warnings
from typing import Any

from pytest_comem.office.inside.office_archives import checked, steady
from pytest_comem.office.inside.office_cells import Cell, plain, rows_of, shown
from pytest_comem.office.inside.office_files import ANSWER, Files, RefusedError

#: Rows and columns of a sheet that are read.
ROWS = 200_000
COLUMNS = 500
_WHERE = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,5})")


def _opened(files: Files, path: str, *, values: bool = False) -> Any:
    import openpyxl

    source = checked(files.read(path), path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return openpyxl.load_workbook(source, data_only=values)
        except Exception as error:
            # Whatever its own parser makes of a broken file.
            kind = type(error).__name__
            raise RefusedError(f"{path!r} cannot be read as a spreadsheet ({kind})") from None


def _saved(files: Files, path: str, book: Any) -> None:
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        book.save(out)
    files.write(path, steady(out.getvalue()))


def _require_xlsx(path: str) -> None:
    if not path.lower().endswith(".xlsx"):
        raise RefusedError(f"{path!r}: the name of a spreadsheet has to end in .xlsx")


def _sheet(book: Any, name: str, path: str) -> Any:
    """Return a sheet by name; case does not matter, as in any office program."""
    for sheet in book.worksheets:
        if sheet.title.casefold() == name.casefold():
            return sheet
    titles = ", ".join(repr(sheet.title) for sheet in book.worksheets)
    raise RefusedError(f"{path!r} has no sheet {name!r}; there are: {titles}")


def write_sheet(files: Files, path: str, sheet: str, rows: Any) -> str:
    """Write rows into a sheet; other sheets stay, as does the sheet's place."""
    import openpyxl

    _require_xlsx(path)
    given = rows_of(rows, "rows")
    if not 0 < len(sheet) <= 31 or any(char in sheet for char in "[]:*?/\\"):
        raise RefusedError(f"sheet {sheet[:60]!r}: a name has 1 to 31 characters, none of []:*?/\\")
    book: Any
    if files.place(path).exists():
        book = _opened(files, path)
        old = [each for each in book.worksheets if each.title.casefold() == sheet.casefold()]
        at = book.worksheets.index(old[0]) if old else len(book.worksheets)
        for each in old:
            book.remove(each)
    else:
        book, at = openpyxl.Workbook(), 0
        book.remove(book.active)
    made = book.create_sheet(sheet, at)
    for number, row in enumerate(given, 1):
        _set_row(made, number, row)
    _saved(files, path, book)
    return f"wrote {len(given)} rows into sheet {sheet!r} of {path}"


def _set_row(sheet: Any, number: int, row: list[Any]) -> None:
    for column, value in enumerate(row, 1):
        if value is not None:
            _set(sheet.cell(number, column), value)


def _set(cell: Any, value: Any) -> None:
    from openpyxl.utils.exceptions import IllegalCharacterError

    try:
        cell.value = value
    except (IllegalCharacterError, ValueError, TypeError):
        raise RefusedError(f"cell {cell.coordinate} cannot hold {str(value)[:60]!r}") from None


def set_cells(files: Files, path: str, sheet: str, cells: dict[str, Any]) -> str:
    """Set cells of a sheet that is there."""
    _require_xlsx(path)
    rows_of([list(cells.values())], "cells")
    book = _opened(files, path)
    found = _sheet(book, sheet, path)
    for where, value in cells.items():
        if not _WHERE.fullmatch(where.upper()):
            raise RefusedError(f"{where[:20]!r} is not a cell; give one such as B2")
        cell = found[where.upper()]
        if type(cell).__name__ == "MergedCell":
            raise RefusedError(f"{where} is covered by a merged cell; set its first cell")
        _set(cell, value)
    _saved(files, path, book)
    return f"set {len(cells)} cells of sheet {found.title!r} in {path}"


def sheet_rows(files: Files, path: str, sheet: str | None) -> tuple[list[list[Cell]], int]:
    """Return the values of a sheet's rows, and how many formulas have none.

    A formula has a value only where an office program computed it; ours do not.
    """
    rows = _rows(_only_or_named(_opened(files, path, values=True), sheet, path), path)
    if all(cell is not None for row in rows for cell in row):
        return rows, 0
    written = _only_or_named(_opened(files, path), sheet, path)
    return rows, sum(
        cell.data_type == "f" and (at >= len(rows) or rows[at][cell.column - 1] is None)
        for at, row in enumerate(written.iter_rows())
        for cell in row
    )


def _only_or_named(book: Any, sheet: str | None, path: str) -> Any:
    if sheet is not None:
        return _sheet(book, sheet, path)
    if len(book.worksheets) != 1:
        titles = ", ".join(repr(each.title) for each in book.worksheets)
        raise RefusedError(f"{path!r} has several sheets; name one: {titles}")
    return book.worksheets[0]


def _rows(sheet: Any, path: str) -> list[list[Cell]]:
    if sheet.max_row > ROWS or sheet.max_column > COLUMNS:
        raise RefusedError(f"{path!r}: sheet {sheet.title!r} is larger than can be read")
    rows = [[plain(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]
    while rows and not any(cell is not None for cell in rows[-1]):
        rows.pop()
    return rows


def sheets_text(files: Files, path: str) -> str:
    """Return all sheets as rows, formulas as they are written."""
    parts: list[str] = []
    length = 0
    for sheet in _opened(files, path).worksheets:
        rows = _rows(sheet, path)
        lines = [f"sheet {sheet.title!r}, {len(rows)} rows:"]
        for row in rows:
            length += len(lines[-1])
            if length > 2 * ANSWER:
                break
            lines.append(shown(row))
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
