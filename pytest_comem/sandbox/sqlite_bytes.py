"""SQLite databases that a program left: never opened where they lie, queried in memory.

A database file may hold anything. Its bytes are read without following a link
(:mod:`pytest_comem.sandbox.reading`), and what its own schema calls is not trusted.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

#: Bytes that a value of a query may have.
LONGEST: Final = 1 << 20
#: Seconds that a query or a script may take.
PATIENCE: Final = 30.0
#: Virtual machine instructions between two looks at the clock.
_STEPS: Final = 10_000
#: What a script or query may not do: reach another file, or set how SQLite behaves.
REFUSED: Final = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA)
_CHANGING: Final = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)
#: How a database file begins, and where it says by which journal it is written and read.
MAGIC: Final = b"SQLite format 3\0"
_JOURNAL: Final = slice(18, 20)

SqliteValue: TypeAlias = "int | float | str | None"


class SqliteError(Exception):
    """A database does not hold what is asked for, or is none; the message says why."""


def sqlite_rows(
    content: bytes, sql: str, params: Mapping[str, Any], most: int
) -> list[tuple[SqliteValue, ...]]:
    """Return the rows of a query, which can change nothing; bytes as hexadecimal digits.

    :param content: of the file; an empty one is a database without tables.
    :param most: rows that there may be.
    :raises SqliteError: where it fails, returns no rows, or more.
    """
    with memory(LONGEST) as connection:
        try:
            if content:
                connection.deserialize(_readable(content))
            guard(connection, (*REFUSED, *_CHANGING))
            cursor = connection.execute(sql, params)
            if cursor.description is None:
                raise SqliteError(f"{sql[:80]!r} returns no rows")
            rows = cursor.fetchmany(most + 1)
        except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
            raise SqliteError(str(error)) from error
        except UnicodeDecodeError as error:
            raise SqliteError("a text of it is not UTF-8") from error
    if len(rows) > most:
        raise SqliteError(f"more than {most} rows")
    return [tuple(_plain(value) for value in row) for row in rows]


@contextmanager
def memory(longest: int) -> Iterator[sqlite3.Connection]:
    """Return a connection to an empty database in memory, with bounds on what is done in it.

    :param longest: bytes that a value may have.
    """
    connection = sqlite3.connect(":memory:")
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        until = time.monotonic() + PATIENCE
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        yield connection
    finally:
        connection.close()


def guard(connection: sqlite3.Connection, refused: Sequence[int]) -> None:
    """Refuse actions from now on, whatever asks for them."""
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_DENY if action in refused else sqlite3.SQLITE_OK
    )


def _readable(content: bytes) -> bytes:
    """Return a database as one without a write-ahead log, which memory has no place for."""
    if content.startswith(MAGIC) and content[_JOURNAL] == b"\2\2":
        return content[: _JOURNAL.start] + b"\1\1" + content[_JOURNAL.stop :]
    return content


def _plain(value: Any) -> SqliteValue:
    if value is None or isinstance(value, int | float | str):
        return value
    return bytes(value).hex()
