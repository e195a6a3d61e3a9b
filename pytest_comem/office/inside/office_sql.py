"""SQLite: a database's tables, statements that change one, and one SELECT over several files.

What a statement may do is decided by SQLite's authorizer, how long it may take by a count of steps.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from pytest_comem.office.inside.office_cells import plain, shown
from pytest_comem.office.inside.office_files import LARGEST, Files, RefusedError

#: Rows that a query returns, and that a table may have to be read.
RETURNED = 2_000
ROWS = 200_000
#: Characters of all values that a query returns.
VALUES = 200_000
#: First bytes of a database file.
MAGIC = b"SQLite format 3\0"
#: Calls of the watcher, each after so many steps of SQLite's machine.
_EVERY = 10_000
_TURNS = 2_000
_READING = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_REFUSED = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH}
_PRAGMAS = {"table_info", "foreign_keys", "user_version", "foreign_key_list", "index_list"}


def is_database(content: bytes) -> bool:
    """Return whether a file's first bytes are a database's."""
    return content.startswith(MAGIC)


def quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _bounded(connection: sqlite3.Connection) -> None:
    turns = iter(range(_TURNS))
    connection.set_progress_handler(lambda: next(turns, None) is None, _EVERY)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")


def _only_reading(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _READING else sqlite3.SQLITE_DENY


def _no_other_file(action: int, first: str | None, *_: Any) -> int:
    if action in _REFUSED or (action == sqlite3.SQLITE_PRAGMA and first not in _PRAGMAS):
        return sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK


@contextmanager
def _words(what: str) -> Iterator[None]:
    """Turn SQLite's errors into refusals."""
    try:
        yield
    except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
        raise RefusedError(f"{what}: {_told(str(error))}") from None


def _told(message: str) -> str:
    if message == "interrupted":
        return "it takes too long; ask for less at once"
    if "not authorized" in message or "prohibited" in message:
        return f"this is not allowed here ({message})"
    return message


def opened(files: Files, path: str) -> sqlite3.Connection:
    """Return a database of the workspace, to be read only.

    :raises RefusedError: where it is no database.
    """
    if not is_database(files.read(path)):
        raise RefusedError(f"{path!r} is not an SQLite database")
    place = quote(str(files.existing(path).resolve()))
    with _words(path):
        connection = sqlite3.connect(f"file:{place}?mode=ro&immutable=1", uri=True)
        _bounded(connection)
        return connection


def tables_of(connection: sqlite3.Connection, path: str) -> dict[str, list[tuple[str, str]]]:
    """Return each table's and view's columns, names and declared types, by its name."""
    with _words(path):
        names = [
            str(name)
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            ).fetchmany(500)
        ]
        return {
            name: [
                (str(row[1]), str(row[2]))
                for row in connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
            ]
            for name in names
        }


def rows_in(connection: sqlite3.Connection, table: str, path: str) -> list[tuple[Any, ...]]:
    """Return a table's rows."""
    with _words(path):
        rows = connection.execute(f"SELECT * FROM {quoted(table)}").fetchmany(ROWS + 1)
    if len(rows) > ROWS:
        raise RefusedError(f"{path!r}: table {table!r} has more than {ROWS:,} rows")
    return rows


def database_text(files: Files, path: str) -> str:
    """Return a database's tables, their columns and how many rows they have."""
    lines = []
    with closing(opened(files, path)) as connection:
        for name, columns in tables_of(connection, path).items():
            with _words(path):
                found = connection.execute(f"SELECT count(*) FROM {quoted(name)}").fetchone()
            named = ", ".join(f"{column} {kind}".strip() for column, kind in columns)
            lines.append(f"table {name} ({named}), {found[0]} rows")
    return "\n".join(lines) or "a database without tables"


def execute_sql(files: Files, path: str, statement: str) -> tuple[str, int]:
    """Run statements on a copy of a database, which takes its place when all are done.

    :returns: words, and how many rows were changed.
    """
    if not path.lower().endswith((".db", ".sqlite", ".sqlite3")):
        raise RefusedError(f"{path!r}: a database's name ends in .db, .sqlite or .sqlite3")
    old = files.read(path) if files.place(path).exists() else b""
    if old and not is_database(old):
        raise RefusedError(f"{path!r} is not an SQLite database")
    if _has_more(files.place(path)):
        raise RefusedError(f"{path!r} is being written by a program; close it there first")
    part = files.part(path)
    try:
        part.write_bytes(old)
        with _words(path), closing(sqlite3.connect(part, isolation_level=None)) as connection:
            _bounded(connection)
            connection.execute("PRAGMA journal_mode = MEMORY")
            connection.execute("PRAGMA synchronous = OFF")
            connection.set_authorizer(_no_other_file)
            connection.executescript(statement)
            if connection.in_transaction:
                connection.commit()
            changes = connection.total_changes
        files.finish(part, path)
    finally:
        for left in (part, Path(f"{part}-journal"), Path(f"{part}-wal"), Path(f"{part}-shm")):
            with suppress(OSError):
                left.unlink()
    return f"done on {path}: {changes} rows changed", changes


def _has_more(place: Path) -> bool:
    """Return whether part of a database is still in a file beside it."""
    beside = [place.with_name(place.name + end) for end in ("-wal", "-journal")]
    return any(each.is_file() and each.stat().st_size for each in beside)


def select(
    connection: sqlite3.Connection, statement: str, known: Callable[[], str]
) -> tuple[list[str], list[list[Any]]]:
    """Run one SELECT on what is in memory.

    :param known: says what tables there are, for a statement that names another.
    :returns: names of columns, and rows.
    """
    connection.set_authorizer(_only_reading)
    try:
        with _words("the statement"):
            _bounded(connection)
            cursor = connection.execute(statement)
            rows = cursor.fetchmany(RETURNED + 1)
    except RefusedError as error:
        if "no such" in str(error) or "ambiguous" in str(error):
            raise RefusedError(f"{error}; {known()}") from None
        if "not allowed" in str(error):
            raise RefusedError(
                f"{error}: query takes one SELECT; execute_sql changes a database"
            ) from None
        raise
    if cursor.description is None:
        raise RefusedError("the statement is no SELECT")
    if len(rows) > RETURNED:
        raise RefusedError(f"the statement gives more than {RETURNED:,} rows; ask for fewer")
    names = [str(column[0]) for column in cursor.description]
    found = [[plain(cell) for cell in row] for row in rows]
    if sum(len(str(cell)) + 1 for row in found for cell in row) > VALUES:
        raise RefusedError(f"the statement gives more than {VALUES:,} characters; ask for less")
    return names, found


def rows_text(names: list[str], rows: list[list[Any]]) -> str:
    """Return the rows of an answer below the names of their columns."""
    return "\n".join([shown(names), *map(shown, rows)] if rows else [shown(names), "no rows"])
