"""Tools' answers are read with bounds, and tokens are kept to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_comem.domains.tools import naming
from pytest_comem.domains.tools.places import Place
from pytest_comem.domains.tools.services import Services
from pytest_comem.domains.tools.tables import NoTableError, table_of
from pytest_comem.errors import InfrastructureError
from pytest_comem.servers.base import ToolAnswer
from pytest_comem.workflows.views import CapabilityToken

TOOLS = (
    naming.READ_FILE,
    naming.WRITE_FILE,
    naming.STAGE,
    naming.COMMIT,
    naming.CONVERT,
    naming.READ_SHEET,
    *naming.QUERY.values(),
    *naming.CHANGE.values(),
)
ROWS = Place("rows", "requests", column="request", value="R-1")


class Saying:
    """Answers every call with one text."""

    def __init__(self, text: str, *, is_error: bool = False) -> None:
        self.answer = ToolAnswer(text, is_error)
        self.calls: list[tuple[str, str, Mapping[str, Any]]] = []

    def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Answer."""
        self.calls.append((server, tool, arguments))
        return self.answer


def services(caller: Any, *, servers: tuple[str, ...] = naming.SERVERS) -> Services:
    """Return services with a token for all tools."""
    token = CapabilityToken(token_id="t-1", node_id="n", tools=TOOLS, servers=servers)
    return Services(caller, "/workspace", token)


def test_a_token_is_kept_to() -> None:
    """A tool or server that it does not name is not called."""
    caller = Saying("x")
    with pytest.raises(NoTableError, match="does not name"):
        services(caller, servers=("git",)).read_file("a.csv")
    with pytest.raises(NoTableError, match="does not name"):
        services(caller).use("filesystem__move_file", {})
    with pytest.raises(NoTableError, match="names no database"):
        services(caller, servers=("git",)).database(("sqlite",))
    assert caller.calls == []


def test_calls_are_noted_without_the_hosts_paths() -> None:
    """With arguments, cut short."""
    caller = Saying("done")
    used = services(caller)
    used.write_file("work/a.csv", "x" * 500)
    (noted,) = used.actions
    assert noted["tool"] == "filesystem__write_file"
    assert noted["arguments"]["path"] == "WORKSPACE/work/a.csv"
    assert noted["arguments"]["content"].endswith("... (500 characters)")
    assert caller.calls[0][2]["path"] == "/workspace/work/a.csv"


@pytest.mark.parametrize(
    ("server", "answer"),
    [
        ("sqlite", "[{'a': 1, 'b': \"it's\"}]"),
        ("postgres", json.dumps({"rows": [{"a": 1, "b": "it's"}], "truncated": False})),
    ],
)
def test_rows_are_read(server: str, answer: str) -> None:
    """As each server writes them."""
    assert services(Saying(answer)).query(server, "SELECT") == table_of(["a", "b"], [[1, "it's"]])


@pytest.mark.parametrize("server", ["sqlite", "postgres"])
@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Database error: no such table: t",
        "[]",
        "[1]",
        "7",
        "null",
        "[" * 90_000,
        "[{'a': __import__('os')}]",
        "[{'a': [1]}]",
        "[{'a': 1}, {'b': 1}]",
        '{"success": false, "error": "no such table"}',
        '{"rows": [{"a": 1}], "truncated": true}',
        '{"rows": 7}',
        "\0",
    ],
)
def test_any_other_answer_is_no_row(server: str, answer: str) -> None:
    """Errors in plain words, deep nesting, code: the call did not work, and nothing breaks."""
    with pytest.raises(NoTableError):
        services(Saying(answer)).query(server, "SELECT")


def test_rows_are_replaced() -> None:
    """What has the same key goes first; a database that refuses is heard."""
    caller = Saying("[{'affected_rows': 1}]")
    services(caller).replace_rows("sqlite", ROWS, table_of(["request", "n"], [["R-1", 2]]))
    assert [call[2]["query"] for call in caller.calls] == [
        'DELETE FROM "requests" WHERE "request" = \'R-1\'',
        'INSERT INTO "requests" ("request", "n") VALUES (\'R-1\', 2)',
    ]
    for server, answer in (("sqlite", "Database error: x"), ("postgres", '{"success": false}')):
        with pytest.raises(NoTableError):
            services(Saying(answer)).replace_rows(server, ROWS, table_of(["n"], [[2]]))


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "[]",
        "{}",
        '{"values": 7}',
        '{"values": [7]}',
        '{"values": []}',
        '{"values": [["a"]], "next_range": "A9"}',
    ],
)
def test_any_other_answer_is_no_sheet(answer: str) -> None:
    """Nor is half of a large one."""
    with pytest.raises(NoTableError):
        services(Saying(answer)).read_sheet("a.xlsx", "One")


def test_times_are_converted() -> None:
    """The clock of the answer's date and time."""
    answer = json.dumps({"target": {"datetime": "2026-12-01T23:30:00+00:00"}})
    assert services(Saying(answer)).converted("08:30", "Asia/Tokyo", "UTC") == "23:30"


@pytest.mark.parametrize(
    "answer",
    ["", "7", '{"target": 7}', '{"target": {"datetime": 7}}', '{"target": {"datetime": "x"}}'],
)
def test_any_other_answer_is_no_time(answer: str) -> None:
    """Whatever its shape."""
    with pytest.raises(NoTableError):
        services(Saying(answer)).converted("08:30", "Asia/Tokyo", "UTC")


def test_a_refusal_is_not_a_broken_server() -> None:
    """An error that a tool tells is bad work; what the client raises goes through."""
    with pytest.raises(NoTableError, match="refused: no such file"):
        services(Saying("no such file", is_error=True)).read_file("a")

    class Dead:
        def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
            """Break."""
            raise InfrastructureError("gone", type="server")

    with pytest.raises(InfrastructureError):
        services(Dead()).read_file("a")


def test_committing_the_same_again_is_no_fault() -> None:
    """The repository holds it already; any other refusal counts."""
    same = Saying("No changes staged for commit.", is_error=True)
    used = services(same)
    with pytest.raises(NoTableError):
        used.commit("docs/a.md", "A")

    class Git:
        def __init__(self, said: str) -> None:
            self.said = said

        def call(self, server: str, tool: str, arguments: Mapping[str, Any]) -> ToolAnswer:
            """Take what is staged, and refuse to commit."""
            return ToolAnswer(self.said, is_error=tool == "git_commit")

    services(Git("No changes staged for commit.")).commit("docs/a.md", "A")
    with pytest.raises(NoTableError):
        services(Git("the index is locked")).commit("docs/a.md", "A")
