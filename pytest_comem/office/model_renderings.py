"""A file as a judge model is shown it: its text with all marks, or what a document holds.

Text is shown as it is written, a workbook by sheets, a document by headings and lines, a database
by tables. All is read with bounds and nothing is run; why there is nothing to show stands in
parentheses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_comem.office.blocks import shown_cell
from pytest_comem.office.documents import MOST_CHARACTERS, Document
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.sqlite_bytes import MAGIC, SqliteError, sqlite_rows

#: Tables of a database that are shown, and rows of each.
MOST_TABLES: Final = 10
MOST_ROWS: Final = 2_000
#: Formulas of a sheet that are shown.
MOST_FORMULAS: Final = 20
#: Characters of a cell or formula.
_CELL: Final = 300

_TABLES: Final = (
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
    f"ESCAPE '\\' ORDER BY name LIMIT {MOST_TABLES}"
)


def rendering(path: str, raw: bytes) -> str:
    """Return what a file says.

    :param path: its ending tells what it is.
    """
    document = Document(path, raw)
    try:
        if raw.startswith(MAGIC):
            return "\n".join(_database(raw))
        if document.suffix in (".xlsx", ".xlsm"):
            return "\n".join(_workbook(document))
        if document.suffix == ".docx":
            return "\n".join(f"{'#' * one.level} {one.text}".strip() for one in document.blocks)
    except (UnreadableError, SqliteError) as error:
        return f"({error})"
    return _plain(raw)


def _plain(raw: bytes) -> str:
    """Return a text file; where it is no UTF-8, as the encoding that takes every byte has it."""
    head = raw[: 4 * MOST_CHARACTERS]
    if b"\0" in head:
        return f"(no text: {len(raw):,} bytes)"
    try:
        return head.decode("utf-8-sig")
    except UnicodeDecodeError:
        return f"(not in UTF-8; as Latin-1:)\n{head.decode('latin-1')}"


def _workbook(document: Document) -> Iterator[str]:
    for name in document.sheets:
        yield f"SHEET {_short(name)}"
        for table in document.tables(name):
            for row in table:
                yield " | ".join(_short(shown_cell(cell)) for cell in row)
        formulas = [cell.formula for row in document.grid(name) for cell in row if cell.formula]
        if formulas:
            shown = "; ".join(f"={_short(one)}" for one in formulas[:MOST_FORMULAS])
            yield f"({len(formulas)} formulas: {shown})"


def _database(raw: bytes) -> Iterator[str]:
    for name, statement in sqlite_rows(raw, _TABLES, {}, MOST_TABLES):
        yield f"TABLE {_short(str(statement))}"
        quoted = '"' + str(name).replace('"', '""') + '"'
        query = f"SELECT * FROM {quoted} LIMIT {MOST_ROWS}"
        for row in sqlite_rows(raw, query, {}, MOST_ROWS):
            yield " | ".join("" if cell is None else _short(str(cell)) for cell in row)


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _CELL].split())
    return line if len(line) <= _CELL else f"{line[:_CELL]}..."
