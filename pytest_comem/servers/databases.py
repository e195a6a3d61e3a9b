"""The databases of one process: a cluster, started when it is first needed, or files of SQLite."""

from __future__ import annotations

import threading
from pathlib import Path
from types import TracebackType
from typing import Self, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import InfrastructureError
from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.registry import choose
from pytest_comem.servers import cluster as clusters
from pytest_comem.servers import sqlite
from pytest_comem.servers.base import (
    Database,
    DatabaseKind,
    Unavailable,
    database_failure,
)
from pytest_comem.servers.cluster import Cluster
from pytest_comem.servers.postgresql import PostgresqlDatabase, Templates
from pytest_comem.servers.sqlite import SqliteDatabase


@final
class ProcessDatabases:
    """See :class:`pytest_comem.servers.base.Databases`; any thread may clone.

    :param directory: where everything is kept; made with the first of them, removed when closed.
    :param sandbox: kind of sandbox of the cluster.
    """

    def __init__(self, directory: Path, sandbox: str) -> None:
        self._sandbox = choose(sandbox)
        self._directory = directory
        self._lock = threading.Lock()
        self._number = 0
        self._cluster: Cluster | None = None
        self._templates: Templates | None = None
        self._files: dict[str, bytes] = {}
        self._open: list[PostgresqlDatabase | SqliteDatabase] = []
        self.kind: DatabaseKind = "sqlite" if clusters.lacking(self._sandbox.name) else "postgresql"

    def clone(self, name: str, template_sql: str, kind: DatabaseKind | None = None) -> Database:
        """Return a new database that holds what a script makes."""
        with self._lock:
            self._number += 1
            self._open = [one for one in self._open if not one.is_dropped]
            self._directory.mkdir(parents=True, exist_ok=True)
            place = self._directory / f"database-{self._number}"
            made: PostgresqlDatabase | SqliteDatabase = (
                self._postgresql(name, template_sql, place)
                if (kind or self.kind) == "postgresql"
                else self._sqlite(name, template_sql, place)
            )
            self._open.append(made)
            return made

    def close(self) -> None:
        """End the cluster, and remove everything."""
        with self._lock:
            for database in self._open:
                if isinstance(database, SqliteDatabase):
                    database.drop()
                else:
                    database.abandon()
            self._open.clear()
            self._end_cluster()
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

    def _sqlite(self, name: str, script: str, place: Path) -> SqliteDatabase:
        known = stable_hash(script)
        if known not in self._files:
            self._files[known] = sqlite.made_by(script)
        return SqliteDatabase(name, place, self._files[known])

    def _postgresql(self, name: str, script: str, place: Path) -> PostgresqlDatabase:
        if missing := clusters.lacking(self._sandbox.name):
            raise Unavailable("PostgreSQL", *missing)
        import psycopg

        try:
            try:
                return self._running().clone(name, script, place)
            except psycopg.OperationalError:
                if self._answers():
                    raise
                # It is about to end.
                self._end_cluster()
                return self._running().clone(name, script, place)
        except psycopg.Error as error:
            raise database_failure(f"database {name} (postgresql): {error}") from error

    def _running(self) -> Templates:
        """Return the templates of a cluster that runs; a dead one is replaced."""
        if self._cluster is not None:
            try:
                self._cluster.alive()
            except InfrastructureError:
                self._end_cluster()
        if self._templates is None:
            place = self._directory / f"cluster-{self._number}"
            self._cluster = clusters.open_cluster(place, self._sandbox)
            self._templates = Templates(self._cluster)
        return self._templates

    def _answers(self) -> bool:
        import psycopg

        try:
            return self._cluster is not None and bool(self._cluster.admin())
        except psycopg.Error:
            return False

    def _end_cluster(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
        self._cluster = self._templates = None
