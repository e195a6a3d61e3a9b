"""The servers of one workflow instance, each in a sandbox of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.base import INSIDE, Limits
from pytest_comem.sandbox.service import Launch, start
from pytest_comem.servers.base import (
    Database,
    ServerTool,
    ToolAnswer,
    Unavailable,
    server_failure,
)
from pytest_comem.servers.cluster import PORT
from pytest_comem.servers.connection import Connection
from pytest_comem.servers.declared import NODE, PYTHON, WORKSPACE, Declared, declared
from pytest_comem.servers.installing import environment_of, program_of
from pytest_comem.servers.opening import missing_in
from pytest_comem.servers.postgresql import PostgresqlDatabase
from pytest_comem.servers.sqlite import FILE, SqliteDatabase

#: Where a server finds its cluster's socket, and nothing else of it.
_SOCKETS: Final = "/run/postgresql"
#: Of each server. Node.js reserves far more memory than it uses.
_LIMITS: Final = {
    PYTHON: Limits(memory_mib=1024, processes=64, disk_mib=256),
    NODE: Limits(memory_mib=8192, processes=64, disk_mib=256),
}
#: Directory of the system, which every sandbox shows.
_SYSTEM: Final = Path("/usr")


@final
class RunningServers:
    """See :class:`pytest_comem.servers.base.ToolServers`.

    :param databases: one of a kind at most.
    :param sandbox: name of a kind that works here.
    """

    def __init__(
        self, workspace: Path, databases: Sequence[Database], sandbox: str, label: str
    ) -> None:
        self._workspace = workspace.resolve()
        self._databases = {database.kind: database for database in databases}
        if len(self._databases) < len(databases):
            raise ValueError("two databases of one kind were given")
        self._sandbox = sandbox
        self._label = label
        self._running: dict[str, Connection] = {}
        self._closed = False
        # Of servers that see nothing of the workflow.
        self._aside = self._workspace.with_name(f"{self._workspace.name}.aside")

    @property
    def seen(self) -> str:
        """The workspace as servers see it."""
        return str(self._workspace) if self._sandbox == "none" else INSIDE

    def start(self, names: Sequence[str]) -> None:
        """Start servers side by side."""
        if self._closed:
            raise ValueError("the servers were closed")
        wanted = [name for name in dict.fromkeys(names) if name not in self._running]
        for name, why in missing_in(self._sandbox, wanted).items():
            what, _, how = why.partition("; ")
            raise Unavailable(name, what, how)
        with ExitStack() as stack:
            begun = {}
            for name in wanted:
                begun[name] = self._begin(declared()[name])
                stack.callback(begun[name].close)
            for connection in begun.values():
                connection.ready()
            stack.pop_all()
        self._running |= begun

    def specs(self, names: Sequence[str]) -> Sequence[ServerTool]:
        """Return the tools of running servers."""
        return [tool for name in names for tool in self._connection(name).tools]

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool."""
        answer = self._connection(server).call(tool, arguments)
        seen = declared()[server].sees
        for kind, database in self._databases.items():
            if kind == seen:
                # A server tells of its database's death as of anything else that did not work.
                database.alive()
        return answer

    def alive(self) -> None:
        """Look whether everything still runs."""
        for connection in self._running.values():
            connection.alive()
        for database in self._databases.values():
            database.alive()

    def close(self) -> None:
        """End all servers."""
        self._closed = True
        if self._running:
            with ThreadPoolExecutor(len(self._running)) as threads:
                list(threads.map(Connection.close, self._running.values()))
        with suppress(OSError):
            remove_tree(self._aside)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _connection(self, name: str) -> Connection:
        if name not in self._running:
            raise server_failure(f"MCP server {name} of {self._label}: was not started")
        return self._running[name]

    def _begin(self, server: Declared) -> Connection:
        try:
            return Connection(server.name, start(self._sandbox, self._launch(server)), self._label)
        except InfrastructureError as error:
            raise server_failure(f"MCP server {server.name} of {self._label}: {error}") from error

    def _launch(self, server: Declared) -> Launch:
        """Return how a server is started, and what it sees."""
        environment, program = environment_of(server), program_of(server)
        place, values, shown = self._place(server)
        values |= {
            "python": str(program),
            "node": str(program),
            "environment": str(environment),
            "workspace": INSIDE if self._sandbox != "none" else str(place),
        }
        for needed in (environment, _interpreter_of(server, program)):
            if not needed.is_relative_to(_SYSTEM):
                shown[str(needed)] = needed
        return Launch(
            server.argv(values),
            place,
            _LIMITS[server.kind],
            f"MCP server {server.name}",
            {"PYTHONDONTWRITEBYTECODE": "1", "TZ": "UTC", **server.variables(values)},
            shown,
        )

    def _place(self, server: Declared) -> tuple[Path, dict[str, str], dict[str, Path]]:
        """Return the directory that a server may change, its values, and what else it is shown."""
        if server.sees == WORKSPACE:
            return self._workspace, {}, {}
        database = self._databases.get(server.sees)  # type: ignore[call-overload]
        if isinstance(database, SqliteDatabase):
            return database.directory, {"file": FILE}, {}
        if isinstance(database, PostgresqlDatabase):
            sockets = database.cluster.sockets
            isolated = self._sandbox != "none"
            return (
                database.directory,
                {
                    "host": _SOCKETS if isolated else str(sockets),
                    "port": str(PORT),
                    "user": database.user,
                    "password": database.password,
                    "database": database.database,
                },
                {_SOCKETS: sockets} if isolated else {},
            )
        if server.sees in ("postgresql", "sqlite"):
            raise server_failure(
                f"MCP server {server.name} of {self._label}: was given no {server.sees} database"
            )
        place = self._aside / server.name
        place.mkdir(parents=True, exist_ok=True)
        return place, {}, {}


def _interpreter_of(server: Declared, program: Path) -> Path:
    """Return the directory of the interpreter that an environment rests on."""
    if server.kind == PYTHON:
        # ``prefix/bin/python3``, behind the environment's links.
        return program.resolve().parent.parent
    return program.parent.parent
