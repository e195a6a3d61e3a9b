"""SQLite databases: a file that a server in its sandbox works on, read by us as bytes.

A server may leave anything in the file's place. So it is never opened where it lies: its bytes are
read without following a link, and queried in memory.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.servers.base import MOST_ROWS, QueryError, Row, Value, database_failure

#: Name of the file in its directory.
FILE: Final = "database.sqlite"
#: Bytes that a database, and one value, may have.
_LARGEST: Final = 64 << 20
_LONGEST: Final = 1 << 20
#: Seconds that a query or a script may take.
_PATIENCE: Final = 30.0
#: Virtual machine instructions between two looks at the clock.
_STEPS: Final = 10_000
#: What a script or query may not do: reach another file, or set how SQLite behaves.
_REFUSED: Final = (sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA)
_CHANGING: Final = (sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE)


@final
class SqliteDatabase:
    """One workflow's database file; see :class:`pytest_comem.servers.base.Database`.

    :param directory: its own, made here.
    :param content: of the file.
    """

    kind: Final = "sqlite"

    def __init__(self, name: str, directory: Path, content: bytes) -> None:
        directory.mkdir(parents=True)
        self.name = name
        self.is_dropped = False
        self.directory = directory
        self.path: Path | None = directory / FILE
        self.url = f"sqlite:///{self.path}"
        (directory / FILE).write_bytes(content)

    def query(self, sql: str, params: Sequence[Any] = ()) -> Sequence[Row]:
        """Return the rows of a query."""
        self.alive()
        try:
            content = read_file(self.directory, FILE, _LARGEST)
        except UnreadableError as error:
            raise QueryError(f"database {self.name}: {error}") from error
        with _memory(_LONGEST) as connection:
            try:
                # An empty file is a database without tables.
                if content:
                    connection.deserialize(content)
                _guard(connection, (*_REFUSED, *_CHANGING))
                named = {str(at): value for at, value in enumerate(params, 1)}
                cursor = connection.execute(sql, named)
                if cursor.description is None:
                    raise QueryError(f"database {self.name}: {sql[:80]!r} returns no rows")
                rows = cursor.fetchmany(MOST_ROWS + 1)
            except (sqlite3.Error, sqlite3.Warning, OverflowError, MemoryError) as error:
                raise QueryError(f"database {self.name}: {error}") from error
        if len(rows) > MOST_ROWS:
            raise QueryError(f"database {self.name}: more than {MOST_ROWS} rows")
        return [tuple(_plain(value) for value in row) for row in rows]

    def alive(self) -> None:
        """Look whether the file is there."""
        if not os.path.lexists(self.directory / FILE):
            raise database_failure(f"database {self.name} (sqlite): its file is gone")

    def drop(self) -> None:
        """Remove it."""
        self.is_dropped = True
        remove_tree(self.directory)


def made_by(script: str) -> bytes:
    """Return the file of a database that a script makes.

    :raises QueryError: where the script fails.
    """
    with _memory(_LARGEST) as connection:
        try:
            _guard(connection, _REFUSED)
            connection.executescript(script)
            connection.commit()
            # It asks for the number of pages by a pragma.
            connection.set_authorizer(None)
            return connection.serialize()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise QueryError(f"a database's script: {error}") from error


@contextmanager
def _memory(longest: int) -> Iterator[sqlite3.Connection]:
    """Return a connection to an empty database in memory, with bounds on what is done in it.

    :param longest: bytes that a value may have.
    """
    connection = sqlite3.connect(":memory:")
    try:
        # What the file's own schema calls is not trusted.
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)
        until = time.monotonic() + _PATIENCE
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        yield connection
    finally:
        connection.close()


def _guard(connection: sqlite3.Connection, refused: Sequence[int]) -> None:
    """Refuse actions from now on, whatever asks for them."""
    connection.set_authorizer(
        lambda action, *_: sqlite3.SQLITE_DENY if action in refused else sqlite3.SQLITE_OK
    )


def _plain(value: Any) -> Value:
    if value is None or isinstance(value, int | float | str):
        return value
    return bytes(value).hex()
