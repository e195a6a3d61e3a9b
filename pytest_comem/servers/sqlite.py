"""SQLite databases: a file that a server in its sandbox works on, read by us as bytes.

A server may leave anything in the file's place. So it is never opened where it lies: its bytes are
read without following a link, and queried in memory.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.sandbox.sqlite_bytes import (
    REFUSED,
    SqliteError,
    guard,
    memory,
    sqlite_rows,
)
from pytest_comem.servers.base import MOST_ROWS, QueryError, Row, database_failure

#: Name of the file in its directory.
FILE: Final = "database.sqlite"
#: Bytes that a database may have.
_LARGEST: Final = 64 << 20


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
        named = {str(at): value for at, value in enumerate(params, 1)}
        try:
            return sqlite_rows(content, sql, named, MOST_ROWS)
        except SqliteError as error:
            raise QueryError(f"database {self.name}: {error}") from error

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
    with memory(_LARGEST) as connection:
        try:
            guard(connection, REFUSED)
            connection.executescript(script)
            connection.commit()
            # It asks for the number of pages by a pragma.
            connection.set_authorizer(None)
            return connection.serialize()
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise QueryError(f"a database's script: {error}") from error
