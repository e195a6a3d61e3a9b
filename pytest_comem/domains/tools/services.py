"""What the offline worker does through MCP servers: files, rows, sheets, commits, times.

A tool's answer is text from elsewhere: it is read with bounds, and whatever is not of the expected
form means that the call did not work, which is the worker's matter. A server that broke is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, final

from pytest_comem.domains.parsing import literal
from pytest_comem.domains.tools import naming
from pytest_comem.domains.tools.contents import Body
from pytest_comem.domains.tools.forms import parsed, written
from pytest_comem.domains.tools.material import (
    delete_statement,
    insert_statement,
    select_statement,
)
from pytest_comem.domains.tools.places import Place
from pytest_comem.domains.tools.tables import (
    Cell,
    NoTableError,
    Table,
    of_records,
)
from pytest_comem.domains.tools.workbook import from_grid
from pytest_comem.servers.base import ToolAnswer
from pytest_comem.workflows.views import CapabilityToken

_CLOCK: Final = re.compile(r"[0-2][0-9]:[0-5][0-9]")
#: Characters of an argument that are written down.
_NOTED: Final = 120


class Caller(Protocol):
    """What calls a tool of a running server."""

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool.

        :raises InfrastructureError: where the server died or does not answer.
        """


@final
class Services:
    """The servers of an instance, as far as one node's token allows.

    :param seen: the workspace's path as servers see it.
    """

    def __init__(self, caller: Caller, seen: str, token: CapabilityToken) -> None:
        self._caller = caller
        self._seen = seen.rstrip("/")
        self._token = token
        #: The calls so far, for the trace.
        self.actions: list[Mapping[str, Any]] = []

    def use(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return its text.

        :param name: as the token has it.
        :raises NoTableError: where the token does not allow it, or the tool calls it an error.
        :raises InfrastructureError: where the server broke.
        """
        server, tool = naming.split_tool(name)
        if not (self._token.allows_tool(name) and self._token.allows_server(server)):
            raise NoTableError(f"the capability token does not name {name}")
        noted = {key: self._noted(value) for key, value in arguments.items()}
        self.actions.append({"tool": name, "arguments": noted})
        answer = self._caller.call(server, tool, arguments)
        if answer.is_error:
            raise NoTableError(f"{name} refused: {self._noted(answer.text)}")
        return answer.text

    def read_file(self, path: str) -> str:
        """Return a file's text."""
        return self.use(naming.READ_FILE, {"path": self._inside(path)})

    def read_table(self, path: str) -> Table:
        """Return the table of a CSV file."""
        found = parsed(self.read_file(path), ".csv")
        if not isinstance(found, Table):
            raise NoTableError("it is no table")
        return found

    def read_result(self, place: Place) -> Body:
        """Return what a file of the workspace holds."""
        return parsed(self.read_file(place.path), place.suffix)

    def database(self, servers: Sequence[str]) -> str:
        """Return the database's server that the token names."""
        for server in servers:
            if self._token.allows_server(server):
                return server
        raise NoTableError("the capability token names no database")

    def write_file(self, path: str, text: str) -> None:
        """Write a file, over what was there."""
        self.use(naming.WRITE_FILE, {"path": self._inside(path), "content": text})

    def rows(self, server: str, table: str, columns: tuple[str, ...] = ()) -> Table:
        """Return all rows of a table of the database."""
        return self.query(server, select_statement(table, columns))

    def query(self, server: str, sql: str) -> Table:
        """Return the rows of a query."""
        answer = self.use(naming.QUERY[server], {_SQL[server]: sql})
        return _postgres_rows(answer) if server == naming.POSTGRES else _sqlite_rows(answer)

    def replace_rows(self, server: str, place: Place, rows: Table) -> None:
        """Put rows where others of the same key may be."""
        change = naming.CHANGE[server]
        self._changed(change, server, delete_statement(place.path, place.column, place.value))
        if rows.rows:
            self._changed(change, server, insert_statement(place.path, rows))

    def _changed(self, change: str, server: str, sql: str) -> None:
        answer = self.use(change, {_SQL[server]: sql})
        if server == naming.POSTGRES:
            _accepted(answer)
        else:
            _sqlite_rows(answer)

    def read_sheet(self, path: str, sheet: str) -> Table:
        """Return the table of a sheet."""
        answer = _object(self.use(naming.READ_SHEET, {"path": self._inside(path), "sheet": sheet}))
        grid = answer.get("values")
        if not isinstance(grid, list) or not all(isinstance(row, list) for row in grid):
            raise NoTableError("the sheet has no rows")
        if "next_range" in answer:
            raise NoTableError("the sheet is too large")
        return from_grid(grid)

    def write_sheet(self, path: str, sheet: str, table: Table) -> None:
        """Write a table as the only content of a sheet, which is made anew."""
        book = {"path": self._inside(path)}
        try:
            self.use(naming.NEW_SHEET, {**book, "new_name": sheet})
        except NoTableError:
            # There is one, of an attempt before.
            self.use(naming.CLEAR_SHEET, {**book, "sheet": sheet})
            self.use(naming.NEW_SHEET, {**book, "new_name": sheet})
        rows = [list(table.columns), *(list(row) for row in table.rows)]
        self.use(naming.WRITE_SHEET, {**book, "sheet": sheet, "at": "A1", "rows": rows})

    def commit(self, path: str, message: str) -> None:
        """Commit one file of the workspace, should it be another than in the last commit."""
        where = {"repo_path": self._seen}
        self.use(naming.STAGE, {**where, "files": [path]})
        try:
            self.use(naming.COMMIT, {**where, "message": message})
        except NoTableError as error:
            if "no changes" not in str(error).lower():
                raise

    def converted(self, clock: Cell, zone: Cell, other: str) -> str:
        """Return what a clock in another time zone shows, ``HH:MM``."""
        asked = {"source_timezone": str(zone), "time": str(clock), "target_timezone": other}
        target = _object(self.use(naming.CONVERT, asked)).get("target")
        moment = target.get("datetime") if isinstance(target, dict) else None
        shown = moment[11:16] if isinstance(moment, str) else ""
        if not _CLOCK.fullmatch(shown):
            raise NoTableError("the time cannot be converted")
        return shown

    def _inside(self, path: str) -> str:
        return f"{self._seen}/{path}"

    def _noted(self, value: Any) -> Any:
        """Return an argument as a trace may hold it: without where the workspace is on the host."""
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        text = text.replace(self._seen, "WORKSPACE") if self._seen else text
        return text if len(text) <= _NOTED else f"{text[:_NOTED]}... ({len(text)} characters)"


#: How a server calls the text of a statement.
_SQL: Final = {naming.SQLITE: "query", naming.POSTGRES: "sql"}


def file_text(body: Any, place: Place, title: str) -> str:
    """Return the text with which a file holds a body."""
    return written(body, place.suffix, title)


def _sqlite_rows(answer: str) -> Table:
    """Return the rows of an answer: a list of objects as Python writes them."""
    try:
        found = literal(answer)
    except ValueError:
        raise NoTableError(f"the database answers {answer[:120]!r}") from None
    return _rows(found)


def _postgres_rows(answer: str) -> Table:
    """Return the rows of an answer: an object with rows, columns, and whether there were more."""
    found = _accepted(answer)
    if found.get("truncated"):
        raise NoTableError("the database gives too many rows")
    return _rows(found.get("rows"))


def _rows(found: Any) -> Table:
    if not isinstance(found, list) or not found or not all(isinstance(row, dict) for row in found):
        raise NoTableError("the database gives no rows")
    return of_records(found)


def _accepted(answer: str) -> dict[str, Any]:
    found = _object(answer)
    if found.get("success") is False:
        raise NoTableError(f"the database refused: {str(found.get('error'))[:200]}")
    return found


def _object(answer: str) -> dict[str, Any]:
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoTableError(f"the tool answers {answer[:120]!r}")
    return found
