"""A stand-in for MCP servers: the same tools over a workspace and an SQLite database, in process.

For tests of what the offline worker decides; that the real servers answer in these forms is what
the kit's own tests show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pytest_comem.domains.tools.evaluating import evaluate
from pytest_comem.domains.tools.laying import Ground, ground_of
from pytest_comem.domains.tools.repository import commit_files
from pytest_comem.domains.tools.tables import table_of
from pytest_comem.domains.tools.workbook import read_sheet, sheet_names, workbook_bytes
from pytest_comem.domains.tools.working import OfflineWorker
from pytest_comem.executors.domain import Judgement, Shown, Toolbox, Work
from pytest_comem.servers.base import QueryError, ToolAnswer
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.hidden import Oracle
from pytest_comem.workflows.schema import Family, Node
from pytest_comem.workflows.views import NodeView

SEEN = "/workspace"


class Refused(Exception):
    """What a tool calls an error."""


class StandInServers:
    """Every tool that the offline worker uses, on a laid out state.

    :param broken: the tools that raise this instead.
    """

    def __init__(self, ground: Ground, broken: Mapping[str, BaseException] | None = None) -> None:
        self._ground = ground
        self._workspace = ground.state.workspace
        self._broken = dict(broken or {})
        self.calls: list[tuple[str, str]] = []

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Use a tool."""
        self.calls.append((server, tool))
        if f"{server}__{tool}" in self._broken:
            raise self._broken[f"{server}__{tool}"]
        tools: dict[str, Callable[[Mapping[str, Any]], str]] = {
            "read_text_file": lambda it: self._path(it["path"]).read_text("utf-8"),
            "write_file": self._write_file,
            "git_add": lambda it: "Files staged successfully",
            "git_commit": self._commit,
            "read_query": lambda it: self._sqlite(it["query"]),
            "write_query": lambda it: self._sqlite(it["query"]),
            "query": lambda it: self._postgres(it["sql"]),
            "execute": lambda it: self._postgres(it["sql"]),
            "convert_time": self._convert,
            "read_range": lambda it: json.dumps({"values": self._grid(it)}),
            "delete_sheet": lambda it: self._sheets(it["path"], drop=it["sheet"]),
            "create_sheet": lambda it: self._sheets(
                it["path"], {it["new_name"]: [["empty"]]}, is_new=True
            ),
            "write_range": lambda it: self._sheets(it["path"], {it["sheet"]: it["rows"]}),
        }
        try:
            return ToolAnswer(tools[tool](arguments), is_error=False)
        except (Refused, OSError) as error:
            return ToolAnswer(str(error), is_error=True)

    def _path(self, seen: str) -> Path:
        return self._workspace / seen.removeprefix(f"{SEEN}/")

    def _write_file(self, it: Mapping[str, Any]) -> str:
        self._path(it["path"]).write_text(it["content"], "utf-8")
        return "Successfully wrote"

    def _commit(self, it: Mapping[str, Any]) -> str:
        files = {
            path.relative_to(self._workspace).as_posix(): path.read_bytes()
            for folder in ("docs", "queries")
            for path in sorted((self._workspace / folder).glob("*"))
        }
        commit_files(self._workspace, files, it["message"])
        return "Changes committed"

    def _rows(self, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
        try:
            cursor = self._ground.database.execute(sql)
        except Exception as error:
            raise QueryError(str(error)) from None
        return [one[0] for one in cursor.description or ()], cursor.fetchall()

    def _sqlite(self, sql: str) -> str:
        try:
            names, rows = self._rows(sql)
        except QueryError as error:
            return f"Database error: {error}"
        if not names:
            return "[{'affected_rows': 1}]"
        return str([dict(zip(names, row, strict=True)) for row in rows])

    def _postgres(self, sql: str) -> str:
        try:
            names, rows = self._rows(sql)
        except QueryError as error:
            return json.dumps({"success": False, "error": str(error)})
        if not names:
            return json.dumps({"success": True, "row_count": 1})
        return json.dumps({"rows": [dict(zip(names, row, strict=True)) for row in rows]})

    def _convert(self, it: Mapping[str, Any]) -> str:
        hour, minute = map(int, it["time"].split(":"))
        here = datetime(2031, 5, 5, hour, minute, tzinfo=ZoneInfo(it["source_timezone"]))
        there = here.astimezone(ZoneInfo(it["target_timezone"])) + timedelta(0)
        return json.dumps({"target": {"datetime": there.isoformat()}})

    def _grid(self, it: Mapping[str, Any]) -> list[list[Any]]:
        table = read_sheet(self._path(it["path"]).read_bytes(), it["sheet"])
        return [list(table.columns), *(list(row) for row in table.rows)]

    def _sheets(
        self,
        seen: str,
        new: Mapping[str, Sequence[Sequence[Any]]] | None = None,
        drop: str = "",
        *,
        is_new: bool = False,
    ) -> str:
        path = self._path(seen)
        raw = path.read_bytes()
        names = sheet_names(raw)
        if is_new and set(new or {}) & set(names):
            raise Refused("Sheet exists already")
        if drop and drop not in names:
            raise Refused(f"Sheet {drop} not found")
        kept = {name: read_sheet(raw, name) for name in names if name != drop}
        kept |= {name: table_of(rows[0], rows[1:]) for name, rows in (new or {}).items()}
        path.write_bytes(workbook_bytes(kept))
        return "{}"


class StandIn:
    """A stand of the worker and the evaluator on stand-in servers."""

    def __init__(self, ground: Ground, broken: Mapping[str, BaseException] | None = None) -> None:
        self.ground = ground
        self.servers = StandInServers(ground, broken)
        self._worker = OfflineWorker(self.servers, SEEN)

    def work(self, shown: Shown) -> Work:
        """Do a node's work."""
        return self._worker.work(shown)

    def evaluate(
        self, node: Node, oracle: Oracle, artifact: Artifact, consumed: Sequence[Artifact]
    ) -> Judgement:
        """Judge it by the state."""
        return evaluate(self.ground.state, node, oracle, artifact.content, consumed)

    def tools(self, view: NodeView) -> Toolbox:
        """Nothing here is for language models."""
        raise NotImplementedError

    def schema(self, view: NodeView) -> Mapping[str, Any]:
        """Nothing here is for language models."""
        raise NotImplementedError


@contextmanager
def stand_in(
    family: Family, broken: Mapping[str, BaseException] | None = None
) -> Iterator[StandIn]:
    """Open a stand of a family on stand-in servers."""
    with ground_of(family) as ground:
        yield StandIn(ground, broken)
