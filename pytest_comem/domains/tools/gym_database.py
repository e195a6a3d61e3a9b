"""The database that a Toolathlon-GYM checkout's scripts expect: its name, user and port are fixed.

So a cluster serves one task at a time, and each worker has one. A task gets a copy of what the
checkout's script makes, so that nothing of the task before is in it.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self, final

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.sandbox.base import Limits, SandboxKind
from pytest_comem.servers.base import database_failure
from pytest_comem.servers.cluster import PORT, Cluster, open_cluster
from pytest_comem.servers.postgresql import PostgresqlDatabase

NAME: Final = "toolathlon_gym"
USER: Final = "eigent"
PASSWORD: Final = "camel"
_TEMPLATE: Final = f"{NAME}_template"
#: Where programs in a sandbox find the socket.
SOCKETS: Final = "/run/postgresql"
#: Bytes that the script may have.
_LARGEST: Final = 512 << 20
_LIMITS: Final = Limits(seconds=900, memory_mib=1024, disk_mib=2048)
_TABLES: Final = (
    "SELECT count(*) FROM pg_class JOIN pg_roles ON pg_roles.oid = relowner "
    "WHERE relkind = 'r' AND rolname = %s"
)


@final
class GymDatabase:
    """A cluster with the one database; a context manager.

    :param directory: of its own, made here and removed at the end.
    :param script: that makes the database, SQL or gzipped SQL.
    :raises Unavailable: where PostgreSQL cannot be had.
    :raises BenchmarkDefect: where the script makes no table.
    :raises InfrastructureError: of type ``database`` or ``sandbox``.
    """

    def __init__(self, directory: Path, kind: SandboxKind, script: Path) -> None:
        self._directory = directory
        self._kind = kind
        directory.mkdir(parents=True)
        self.cluster: Cluster = open_cluster(directory / "cluster", kind)
        try:
            self._fill(script)
        except BaseException:
            self.close()
            raise

    @property
    def sockets(self) -> Mapping[str, Path]:
        """What a sandbox has to be shown."""
        return {} if self._kind.name == "none" else {SOCKETS: self.cluster.sockets}

    @property
    def variables(self) -> Mapping[str, str]:
        """How the checkout's scripts find the database."""
        host = str(self.cluster.sockets) if self._kind.name == "none" else SOCKETS
        return {
            **{"PGHOST": host, "PG_HOST": host, "PGPORT": str(PORT), "PGDATABASE": NAME},
            **{"PGUSER": USER, "PGPASSWORD": PASSWORD},
        }

    def fresh(self, label: str) -> PostgresqlDatabase:
        """Return the database as the script makes it; one of before is gone then.

        :raises InfrastructureError: of type ``database``.
        """
        import psycopg

        place = self._directory / "aside"
        place.mkdir(exist_ok=True)
        try:
            self.cluster.alive()
            self.cluster.run(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
            self.cluster.clone(NAME, _TEMPLATE, owner=USER)
        except psycopg.Error as error:
            raise database_failure(f"database of {label}: {error}") from error
        return PostgresqlDatabase(label, place, self.cluster, NAME, PASSWORD, USER)

    def close(self) -> None:
        """End the cluster and remove everything."""
        from pytest_comem.removal import remove_tree

        self.cluster.close()
        remove_tree(self._directory)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _fill(self, script: Path) -> None:
        """Run the script by its own user, in a sandbox: it is the command line's language."""
        import psycopg

        try:
            self.cluster.run(f"CREATE ROLE {USER} LOGIN NOSUPERUSER PASSWORD '{PASSWORD}'")
            self.cluster.clone(_TEMPLATE, "template0", owner=USER)
            said = self._run(script)
            with self.cluster.connect(_TEMPLATE) as admin:
                row = admin.execute(_TABLES, [USER]).fetchone()
            self.cluster.run(f"ALTER DATABASE {_TEMPLATE} OWNER TO CURRENT_USER")
        except psycopg.Error as error:
            raise database_failure(f"the checkout's database: {error}") from error
        if row is None or not row[0]:
            raise BenchmarkDefect(f"{script}: makes no table: {said or 'it says nothing'}")

    def _run(self, script: Path) -> str:
        place = self._directory / "filling"
        place.mkdir()
        with self._kind.open(
            place, limits=_LIMITS, read_only=self.sockets, label="the checkout's database"
        ) as sandbox:
            done = sandbox.run(
                ["psql", "--no-psqlrc", "--quiet", "--output=/dev/null"],
                stdin=_content(script),
                environment={**self.variables, "PGDATABASE": _TEMPLATE},
            )
        words = done.stderr[-500:].decode("utf-8", "replace").strip()
        if done.status != 0:
            raise BenchmarkDefect(f"{script}: cannot be run: {words or done.why}")
        return words


def _content(script: Path) -> bytes:
    try:
        with gzip.open(script) if script.suffix == ".gz" else script.open("rb") as file:
            content: bytes = file.read(_LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise BenchmarkDefect(f"{script}: cannot be read: {error}") from error
    if len(content) > _LARGEST:
        raise BenchmarkDefect(f"{script}: has more than {_LARGEST >> 20} MiB")
    return content
