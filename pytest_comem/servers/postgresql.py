"""PostgreSQL databases: each with a role of its own that may connect to nothing else."""

from __future__ import annotations

import datetime
import secrets
import threading
from collections.abc import Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final
from urllib.parse import quote

from pytest_comem.core.hashing import stable_hash
from pytest_comem.removal import remove_tree
from pytest_comem.servers.base import MOST_ROWS, QueryError, Row, Value, database_failure
from pytest_comem.servers.cluster import PORT, Cluster

if TYPE_CHECKING:
    import psycopg

#: Milliseconds that a statement may take, of a workflow's servers and of ours.
_PATIENCE: Final = 30_000
#: Connections that one workflow may have.
_CONNECTIONS: Final = 16
#: Rows fetched at once.
_CHUNK: Final = 500
#: What a role may have set for itself does not decide how we read.
_OPTIONS: Final = (
    f"-c search_path=public -c statement_timeout={_PATIENCE} -c default_transaction_read_only=on "
    "-c DateStyle=ISO -c TimeZone=UTC -c client_min_messages=error"
)


@final
class PostgresqlDatabase:
    """One workflow's database; see :class:`pytest_comem.servers.base.Database`.

    :param directory: an empty one of its own, where its server runs.
    :param database: as the cluster knows it.
    :param user: its role, which has the same name where none is given, and goes with it.
    """

    kind: Final = "postgresql"
    path: Path | None = None

    def __init__(
        self,
        name: str,
        directory: Path,
        cluster: Cluster,
        database: str,
        password: str,
        user: str = "",
    ) -> None:
        self.name = name
        self.directory = directory
        self.cluster = cluster
        self.database = database
        self.password = password
        self.user = user or database
        self._lock = threading.RLock()
        self._held: psycopg.Connection[Any] | None = None
        self.is_dropped = False

    @property
    def url(self) -> str:
        """As programs on the host connect to it."""
        place = quote(str(self.cluster.sockets), safe="")
        return f"postgresql://{self.user}:{self.password}@/{self.database}?host={place}&port={PORT}"

    def query(self, sql: str, params: Sequence[Any] = ()) -> Sequence[Row]:
        """Return the rows of a query."""
        import psycopg

        with self._lock:
            try:
                return self._query(sql, params)
            except psycopg.OperationalError as error:
                if not self._broken():
                    raise QueryError(f"database {self.name}: {_short(error)}") from error
                # Its role may end its own connections; a database that is there takes another.
                self.alive()
            except (psycopg.Error, UnicodeError) as error:
                raise QueryError(f"database {self.name}: {_short(error)}") from error
            try:
                return self._query(sql, params)
            except psycopg.Error as error:
                self.alive()
                raise QueryError(f"database {self.name}: {_short(error)}") from error

    def alive(self) -> None:
        """Look whether it answers."""
        import psycopg

        with self._lock:
            for last in (False, True):
                try:
                    self.cluster.alive()
                    self._connection().execute("SELECT 1")
                except psycopg.Error as error:
                    self._let_go()
                    if last or self.is_dropped:
                        raise database_failure(
                            f"database {self.name} (postgresql): {_short(error)}"
                        ) from error
                else:
                    return

    def drop(self) -> None:
        """Remove it and its role."""
        import psycopg

        with self._lock:
            if self.is_dropped:
                return
            self.is_dropped = True
            self._let_go()
            with suppress(psycopg.Error, OSError):
                self.cluster.run(f"DROP DATABASE IF EXISTS {self.database} WITH (FORCE)")
                if self.user == self.database:
                    self.cluster.run(f"DROP ROLE IF EXISTS {self.user}")
            remove_tree(self.directory)

    def abandon(self) -> None:
        """Let go of it, where its cluster ends as well."""
        with self._lock:
            self.is_dropped = True
            self._let_go()
            remove_tree(self.directory)

    def _query(self, sql: str, params: Sequence[Any]) -> Sequence[Row]:
        from psycopg import RawServerCursor

        connection = self._connection()
        rows: list[Row] = []
        with connection.transaction():
            cursor = RawServerCursor(connection, "reading")
            with cursor:
                cursor.execute(sql.encode(), list(params) or None)
                while chunk := cursor.fetchmany(_CHUNK):
                    rows += [tuple(map(_plain, row)) for row in chunk]
                    if len(rows) > MOST_ROWS:
                        raise QueryError(f"database {self.name}: more than {MOST_ROWS} rows")
        return rows

    def _connection(self) -> psycopg.Connection[Any]:
        if self._held is None or self._held.closed:
            self._held = self.cluster.connect(self.database, self.user, self.password, _OPTIONS)
        return self._held

    def _broken(self) -> bool:
        return self._held is None or self._held.closed or self._held.broken

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.close()
            self._held = None


@final
class Templates:
    """The template databases of one cluster: a script is run once, by a role without rights."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._made: set[str] = set()
        self._number = 0
        # Nobody connects to what is not theirs, and so nobody sees what is in there.
        for shared in ("postgres", "template1"):
            cluster.run(f"REVOKE ALL ON DATABASE {shared} FROM PUBLIC")

    def clone(self, name: str, script: str, directory: Path) -> PostgresqlDatabase:
        """Return a new database that holds what a script makes; by one thread at a time.

        :raises QueryError: where the script fails.
        :raises psycopg.Error: where the cluster does.
        """
        template = f"template_{stable_hash(script)}"
        if template not in self._made:
            self._make(template, script)
            self._made.add(template)
        self._number += 1
        new = f"workflow_{self._number}"
        password = self._role(new)
        self._cluster.clone(new, template, owner=new)
        with self._cluster.connect(new) as inside:
            inside.execute(f"REASSIGN OWNED BY {template} TO {new}".encode())
        directory.mkdir(parents=True)
        return PostgresqlDatabase(name, directory, self._cluster, new, password)

    def _make(self, template: str, script: str) -> None:
        import psycopg

        password = self._role(template)
        self._cluster.clone(template, "template0", owner=template)
        try:
            with self._cluster.connect(template, template, password) as inside:
                inside.execute(script.encode())
        except (psycopg.Error, UnicodeError) as error:
            self._cluster.run(f"DROP DATABASE {template} WITH (FORCE)")
            self._cluster.run(f"DROP ROLE {template}")
            raise QueryError(f"a database's script: {_short(error)}") from error
        # Owners of databases are reassigned with what is in them.
        self._cluster.run(f"ALTER DATABASE {template} OWNER TO CURRENT_USER")
        self._cluster.run(f"ALTER ROLE {template} NOLOGIN")

    def _role(self, name: str) -> str:
        """Make a role and return its password."""
        password = secrets.token_hex(16)
        for statement in (
            f"CREATE ROLE {name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION "
            f"CONNECTION LIMIT {_CONNECTIONS} PASSWORD '{password}'",
            f"ALTER ROLE {name} SET statement_timeout = {_PATIENCE}",
        ):
            self._cluster.run(statement)
        return password


def _plain(value: Any) -> Value:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        whole = value.is_finite() and value == value.to_integral_value()
        return int(value) if whole and abs(value) < 10**18 else float(value)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
