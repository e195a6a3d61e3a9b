"""What MCP servers and databases promise to whoever plays a workflow on them.

:mod:`pytest_comem.servers.opening` makes them: ``open_databases(directory)`` once a process,
``open_servers(workspace, database=..., label=...)`` once a workflow instance, ``missing(names)``
before anything is started. Everything here is called by plain threads and waits with a bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, NamedTuple, Protocol, Self, TypeAlias, final

from pytest_comem.errors import ComemError, InfrastructureError

DatabaseKind: TypeAlias = Literal["postgresql", "sqlite"]
#: A value of a row: integers and reals for numbers, text for whatever JSON has no form for (dates
#: in ISO 8601). SQLite has no truth values and gives 0 and 1.
Value: TypeAlias = bool | int | float | str | None
Row: TypeAlias = tuple[Value, ...]

#: Characters that a tool's answer may have; the rest is cut off, and it says so.
LONGEST_ANSWER: Final = 100_000
#: Rows that one query may return.
MOST_ROWS: Final = 10_000


@final
class Unavailable(ComemError):
    """A server or database cannot be had here: tasks that need it are left out, not failed.

    :param name: of the server or database.
    :param why: what is missing, in one clause.
    :param how: what to do about it, in one clause.
    """

    def __init__(self, name: str, why: str, how: str) -> None:
        self.name = name
        self.why = why
        self.how = how
        super().__init__(f"{name}: {why}; {how}")


@final
class QueryError(Exception):
    """A query does not suit what the database holds: a verdict's matter, no broken database.

    There is no such table or column, the rows are too many, or it took too long.
    """


@final
class ServerTool(NamedTuple):
    """A tool of a server, as the server describes it.

    :param server: its name in ``servers.toml``.
    :param name: of the tool.
    :param description: for a model, of bounded length; any characters.
    :param schema: JSON Schema of its arguments, an object.
    """

    server: str
    name: str
    description: str
    schema: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a tool says.

    :param text: of its content, parts joined by line ends; at most :data:`LONGEST_ANSWER`
        characters and a note that there was more. Any characters: what is printed of it goes
        through :func:`pytest_comem.core.printable.printable`.
    :param is_error: whether the server calls it an error; an unknown tool or argument is one too.
    """

    text: str
    is_error: bool


class Database(Protocol):
    """One workflow's database; nobody else's role may connect to it."""

    @property
    def kind(self) -> DatabaseKind:
        """``postgresql`` or ``sqlite``."""
        ...

    @property
    def name(self) -> str:
        """As it was cloned."""
        ...

    @property
    def url(self) -> str:
        """As programs on the host connect to it.

        With PostgreSQL there is a password in it, which is good for this database alone and for as
        long as it is there.
        """
        ...

    @property
    def path(self) -> Path | None:
        """Of SQLite's file on the host; ``None`` with PostgreSQL."""
        ...

    def query(self, sql: str, params: Sequence[Any] = ()) -> Sequence[Row]:
        """Return the rows of a query, which can change nothing.

        :param sql: one statement; parameters are ``$1``, ``$2``, ...
        :raises QueryError: where the database does not hold what is asked for.
        :raises InfrastructureError: of type ``database``, where it is gone.
        """
        ...

    def alive(self) -> None:
        """Look whether it answers.

        :raises InfrastructureError: of type ``database``, naming it, where it does not.
        """
        ...

    def drop(self) -> None:
        """Remove it, whoever is connected; may be called again, also when it is gone."""
        ...


class Databases(Protocol):
    """The databases of one process; a context manager."""

    @property
    def kind(self) -> DatabaseKind:
        """What :meth:`clone` makes where it is not told."""
        ...

    def clone(self, name: str, template_sql: str, kind: DatabaseKind | None = None) -> Database:
        """Return a new database that holds what a script makes.

        :param name: for messages; several may have the same.
        :param template_sql: statements in what PostgreSQL and SQLite have in common, or in the
            dialect of *kind*. Run once a process, as a user without rights; cloned afterwards.
        :param kind: PostgreSQL where it is installed, else SQLite, when ``None``.
        :raises Unavailable: where PostgreSQL is asked for and is not there.
        :raises QueryError: where the script fails.
        :raises InfrastructureError: of type ``database``.
        """
        ...

    def close(self) -> None:
        """Drop every database and end the cluster; may be called again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class ToolServers(Protocol):
    """The servers of one workflow instance; a context manager, used by one thread at a time.

    All servers run in the workspace, so that relative paths mean its files in every sandbox.
    """

    @property
    def seen(self) -> str:
        """The workspace as servers see it: ``/workspace``, or its path where nothing isolates."""
        ...

    def start(self, names: Sequence[str]) -> None:
        """Start servers side by side; those that run already stay as they are.

        :raises Unavailable: where one cannot be had here; none of *names* is started then.
        :raises InfrastructureError: of type ``server``, where one does not start.
        """
        ...

    def specs(self, names: Sequence[str]) -> Sequence[ServerTool]:
        """Return the tools of running servers, by server as given and by name of the tool."""
        ...

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool.

        :param arguments: as a model gave them, of any shape.
        :raises InfrastructureError: of type ``server``, where the server was not started, died, or
            does not answer in time; it is not asked again then.
        """
        ...

    def alive(self) -> None:
        """Look whether every server that was started, and the database, still runs.

        :raises InfrastructureError: naming the dead one; of type ``server`` or ``database``.
        """
        ...

    def close(self) -> None:
        """End all servers, and everything they started; may be called again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def server_failure(message: str) -> InfrastructureError:
    """Return the error that says a server is at fault."""
    return InfrastructureError(message, type="server")


def database_failure(message: str) -> InfrastructureError:
    """Return the error that says a database is at fault."""
    return InfrastructureError(message, type="database")
