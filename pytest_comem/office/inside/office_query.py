"""Files as tables of a database in memory, and one SELECT over them."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from pytest_comem.office.inside.office_cells import Cell, numbered
from pytest_comem.office.inside.office_files import Files, RefusedError
from pytest_comem.office.inside.office_sheets import sheet_rows
from pytest_comem.office.inside.office_sql import (
    ROWS,
    is_database,
    opened,
    quoted,
    rows_in,
    rows_text,
    select,
    tables_of,
)

_FIELDS = ("name", "path", "sheet", "delimiter", "encoding")
_COLUMNS = 500


def query(files: Files, tables: Any, statement: str) -> tuple[str, Any]:
    """Return an answer in words, and as a value: a scalar where it is one cell, else rows."""
    given = _checked(tables)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as memory:
        # For the statement's errors, and for the answer.
        known: list[str] = []
        notes: list[str] = []
        for table in given:
            if is_database(files.read(table["path"])[:16]):
                known += _load_database(memory, files, table)
            else:
                known.append(_load_rows(memory, table, _rows(files, table, notes)))
        names, rows = select(memory, statement, lambda: f"there are: {'; '.join(known)}")
    value = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else rows
    return "\n".join([rows_text(names, rows), *notes]), value


def _checked(tables: Any) -> list[dict[str, str]]:
    if not isinstance(tables, list) or not 0 < len(tables) <= 20:
        raise RefusedError("tables has to be a list of 1 to 20 objects with name and path")
    seen: set[str] = set()
    for table in tables:
        if not isinstance(table, dict) or not {"name", "path"} <= table.keys():
            raise RefusedError("each of tables needs a name and a path")
        for field, value in table.items():
            if field not in _FIELDS or not isinstance(value, str):
                raise RefusedError(f"tables: {str(field)[:60]!r} is unknown, or no text")
        name = table["name"].casefold()
        if not 0 < len(name) <= 100 or name in seen or name in ("main", "temp") or "\0" in name:
            raise RefusedError(f"tables: the name {table['name'][:60]!r} cannot be used, or twice")
        seen.add(name)
    return tables


def _rows(files: Files, table: dict[str, str], notes: list[str]) -> list[list[Cell]]:
    path = table["path"]
    if path.lower().endswith(".xlsx"):
        rows, uncomputed = sheet_rows(files, path, table.get("sheet"))
        if uncomputed:
            notes.append(f"[{path}: {uncomputed} formulas were never computed and count as NULL]")
    elif path.lower().endswith((".csv", ".tsv", ".txt")):
        rows = csv_rows(files, path, table.get("delimiter"), table.get("encoding", "utf-8"))
    else:
        raise RefusedError(f"{path!r} is no CSV file, spreadsheet (.xlsx) or SQLite database")
    if not rows:
        raise RefusedError(f"{path!r} is empty: its first row names the columns")
    return rows


def csv_rows(files: Files, path: str, delimiter: str | None, encoding: str) -> list[list[Cell]]:
    """Return the rows of a CSV file as text."""
    usual = "\t" if path.lower().endswith(".tsv") else ","
    mark = {None: usual, "\\t": "\t", "tab": "\t"}.get(delimiter, delimiter)
    if mark is None or len(mark) != 1 or mark in '\r\n"':
        raise RefusedError(f"{path!r}: the delimiter has to be one character")
    text = _decoded(files.read(path), path, encoding)
    try:
        rows: list[list[Cell]] = []
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark):
            if row:
                rows.append(list(row))
            if len(rows) > ROWS or len(row) > _COLUMNS:
                raise RefusedError(f"{path!r} has more rows or columns than can be read")
    except csv.Error as error:
        raise RefusedError(f"{path!r} cannot be read as CSV: {error}") from None
    return rows


def _decoded(content: bytes, path: str, encoding: str) -> str:
    name = "utf-8-sig" if encoding.lower() in ("utf-8", "utf8") else encoding
    try:
        return content.decode(name)
    except UnicodeError:
        raise RefusedError(
            f"{path!r} is not in {encoding}; give its encoding, such as latin-1, cp1252 or utf-16"
        ) from None
    except (LookupError, ValueError):
        raise RefusedError(f"there is no encoding {encoding[:40]!r}; try latin-1") from None


def _named(header: Sequence[Cell], width: int) -> list[str]:
    """Return names for all columns, each once, case not minded."""
    names: list[str] = []
    seen: set[str] = set()
    for number in range(1, width + 1):
        said = header[number - 1] if number <= len(header) else None
        name = first = str(said).strip().replace("\0", "") if said is not None else ""
        name = first = name or f"column {number}"
        again = 2
        while name.casefold() in seen:
            name, again = f"{first} {again}", again + 1
        seen.add(name.casefold())
        names.append(name)
    return names


def _load_rows(memory: sqlite3.Connection, table: dict[str, str], rows: list[list[Cell]]) -> str:
    """Make a table of rows, and return it in words."""
    width = max(map(len, rows))
    names = _named(rows[0], width)
    full = [row + [None] * (width - len(row)) for row in rows[1:]]
    columns = [numbered(list(column)) for column in zip(*full, strict=True)]
    # Without declared types, values are stored as they come.
    _make(memory, quoted(table["name"]), [quoted(name) for name in names])
    _fill(memory, quoted(table["name"]), width, list(zip(*columns, strict=True)))
    return f"{table['name']} ({', '.join(names)})"


def _load_database(memory: sqlite3.Connection, files: Files, table: dict[str, str]) -> list[str]:
    """Copy all tables and views, known by their own names and as ``name.table``."""
    path, schema = table["path"], quoted(table["name"])
    said: list[str] = []
    with closing(opened(files, path)) as source:
        memory.execute(f"ATTACH ':memory:' AS {schema}")
        for name, columns in tables_of(source, path).items():
            whole = f"{schema}.{quoted(name)}"
            _make(memory, whole, [_declared(column, kind) for column, kind in columns])
            _fill(memory, whole, len(columns), rows_in(source, name, path))
            said.append(f"{name} ({', '.join(column for column, _ in columns)})")
    return said


def _declared(column: str, kind: str) -> str:
    safe = len(kind) <= 60 and all(char.isalnum() or char in " (),_" for char in kind)
    return f"{quoted(column)} {kind if safe and kind.count('(') == kind.count(')') else ''}"


def _make(memory: sqlite3.Connection, table: str, columns: list[str]) -> None:
    try:
        memory.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    except (sqlite3.Error, UnicodeError) as error:
        raise RefusedError(f"the table {table[:100]} cannot be made: {error}") from None


def _fill(memory: sqlite3.Connection, table: str, width: int, rows: Sequence[Any]) -> None:
    places = ", ".join("?" * width)
    try:
        memory.execute("BEGIN")
        memory.executemany(f"INSERT INTO {table} VALUES ({places})", rows)
        memory.execute("COMMIT")
    except (sqlite3.Error, OverflowError, UnicodeError) as error:
        raise RefusedError(f"the table {table[:100]} cannot be filled: {error}") from None
