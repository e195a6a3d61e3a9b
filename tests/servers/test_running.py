from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from server_material import ORDERS, Needs, ended, processes_with, repository

from pytest_comem.errors import InfrastructureError
from pytest_comem.servers.base import Database, Databases, ToolServers, Unavailable
from pytest_comem.servers.opening import missing, open_servers
from pytest_comem.servers.running import RunningServers

SPACES = ("net", "pid", "mnt", "ipc", "user")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is closed after the test."""
    with ExitStack() as opened:
        yield opened


def opened(
    stack: ExitStack, workspace: Path, *names: str, database: Database | None = None
) -> ToolServers:
    """Return started servers."""
    workspace.mkdir(exist_ok=True)
    servers = stack.enter_context(
        open_servers(workspace, database=database, label=f"workflow {workspace.name}")
    )
    servers.start(names)
    return servers


def test_files_are_read_and_written(needs: Needs, stack: ExitStack, workspace: Path) -> None:
    """By paths from the workspace, as the evaluator sees them afterwards."""
    needs("filesystem")
    servers = opened(stack, workspace, "filesystem")
    assert "1,12.50" in servers.call("filesystem", "read_text_file", {"path": "orders.csv"}).text
    wrote = servers.call("filesystem", "write_file", {"path": "out.txt", "content": "Grüße"})
    assert not wrote.is_error
    assert (workspace / "out.txt").read_text("utf-8") == "Grüße"
    whole = f"{servers.seen}/out.txt"
    assert servers.call("filesystem", "read_text_file", {"path": whole}).text == "Grüße"


def test_commits_are_the_same_everywhere(needs: Needs, stack: ExitStack, tmp_path: Path) -> None:
    """Two repositories with the same content have the same history."""
    needs("git")
    logs = []
    for name in ("one", "two"):
        place = tmp_path / name
        place.mkdir()
        repository(place)
        (place / "file").write_text("text\n")
        servers = opened(stack, place, "git")
        assert not servers.call("git", "git_add", {"repo_path": ".", "files": ["file"]}).is_error
        made = servers.call("git", "git_commit", {"repo_path": ".", "message": "first"})
        assert not made.is_error
        logs.append(servers.call("git", "git_log", {"repo_path": "."}).text)
    assert logs[0] == logs[1]
    assert "first" in logs[0]


@pytest.mark.parametrize(
    ("kind", "server", "read", "write", "argument"),
    [
        ("postgresql", "postgres", "query", "execute", "sql"),
        ("sqlite", "sqlite", "read_query", "write_query", "query"),
    ],
)
def test_rows_are_read_and_written(
    needs: Needs,
    stack: ExitStack,
    workspace: Path,
    databases: Databases,
    kind: str,
    server: str,
    read: str,
    write: str,
    argument: str,
) -> None:
    """The evaluator's query sees what the server has changed."""
    needs(server)
    database = databases.clone("orders", ORDERS, kind)  # type: ignore[arg-type]
    servers = opened(stack, workspace, server, database=database)
    assert "Ada; Ltd" in servers.call(server, read, {argument: "SELECT customer FROM orders"}).text
    servers.call(server, write, {argument: "UPDATE orders SET total = 7 WHERE id = 2"})
    assert database.query("SELECT total FROM orders WHERE id = 2") == [(7,)]
    # What does not work is told, and the server is asked again.
    servers.call(server, write, {argument: "INSERT INTO orders VALUES (1, 'twice', 0)"})
    servers.call(server, read, {argument: "SELECT absent FROM orders"})
    assert database.query("SELECT count(*) FROM orders") == [(3,)]


def test_a_workbook_is_written_and_read(needs: Needs, stack: ExitStack, workspace: Path) -> None:
    """Cells come back with their types, from a file in the workspace."""
    needs("excel")
    servers = opened(stack, workspace, "excel")
    servers.call("excel", "create_workbook", {"path": "book.xlsx", "sheets": ["Totals"]})
    rows = [["name", "total"], ["Ada", 12.5]]
    at = {"path": "book.xlsx", "sheet": "Totals"}
    assert not servers.call("excel", "write_range", {**at, "at": "A1", "rows": rows}).is_error
    assert json.loads(servers.call("excel", "read_range", at).text)["values"] == rows
    assert (workspace / "book.xlsx").read_bytes().startswith(b"PK")


def test_time_is_converted_and_nothing_is_seen(
    needs: Needs, stack: ExitStack, workspace: Path
) -> None:
    """A server that needs no files gets an empty directory, which is gone afterwards."""
    needs("time")
    servers = opened(stack, workspace, "time")
    asked = {"source_timezone": "UTC", "target_timezone": "Asia/Tokyo", "time": "12:30"}
    assert "T21:30:00+09:00" in servers.call("time", "convert_time", asked).text
    servers.close()
    assert [path.name for path in workspace.parent.iterdir()] == [workspace.name]


def test_only_servers_that_are_named_are_started(
    needs: Needs, stack: ExitStack, workspace: Path
) -> None:
    """Another one is not there to be called, and is not asked for its tools."""
    needs("filesystem", "time")
    servers = opened(stack, workspace, "filesystem")
    assert {tool.server for tool in servers.specs(["filesystem"])} == {"filesystem"}
    for use in (
        lambda: servers.call("time", "get_current_time", {}),
        lambda: servers.specs(["time"]),
    ):
        with pytest.raises(InfrastructureError, match="not started"):
            use()
    servers.start(["time", "filesystem"])
    assert not servers.call("time", "get_current_time", {"timezone": "UTC"}).is_error


def test_a_server_that_cannot_be_had_says_what_to_do(
    needs: Needs, monkeypatch: pytest.MonkeyPatch, workspace: Path, tmp_path: Path, stack: ExitStack
) -> None:
    """Nothing is started then, and the same is known beforehand."""
    servers = stack.enter_context(open_servers(workspace, label="w"))
    assert "servers.toml" not in missing(["nothing"])["nothing"]
    with pytest.raises(Unavailable, match="declared"):
        servers.start(["nothing"])
    monkeypatch.setenv("COMEM_TOOLS", str(tmp_path / "empty"))
    assert "comem tools install time" in missing(["time"])["time"]
    with pytest.raises(Unavailable, match="comem tools install time"):
        servers.start(["time"])


def test_docker_holds_no_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Said without starting anything."""
    from pytest_comem.sandbox.docker import Docker
    from pytest_comem.servers import opening

    monkeypatch.setattr(opening, "choose", lambda name: Docker())
    assert "sandbox docker cannot" in missing(["time"], "docker")["time"]


def test_a_server_that_dies_ends_its_workflow_and_no_other(
    needs: Needs, stack: ExitStack, tmp_path: Path
) -> None:
    """The other workflow's server of the same name goes on."""
    needs("filesystem")
    one, two = (opened(stack, tmp_path / name, "filesystem") for name in ("one", "two"))
    assert isinstance(one, RunningServers)
    ended(one._running["filesystem"]._service)
    for use in (one.alive, lambda: one.call("filesystem", "list_directory", {"path": "."})):
        with pytest.raises(InfrastructureError, match="filesystem of workflow one") as caught:
            use()
        assert caught.value.type == "server"
    two.alive()
    assert not two.call("filesystem", "list_directory", {"path": "."}).is_error


def test_a_database_that_dies_ends_its_workflow_and_no_other(
    needs: Needs, stack: ExitStack, tmp_path: Path, postgresql: Databases
) -> None:
    """Found by the call after it, though the server only tells of an error."""
    needs("postgres")
    made = {name: postgresql.clone(name, ORDERS, "postgresql") for name in ("one", "two")}
    one, two = (
        opened(stack, tmp_path / name, "postgres", database=made[name]) for name in ("one", "two")
    )
    made["one"].drop()
    for use in (one.alive, lambda: one.call("postgres", "query", {"sql": "SELECT 1"})):
        with pytest.raises(InfrastructureError, match="database one") as caught:
            use()
        assert caught.value.type == "database"
    two.alive()
    assert "12.50" in two.call("postgres", "query", {"sql": "SELECT * FROM orders"}).text


def test_two_workflows_at_once_see_nothing_of_each_other(
    needs: Needs, isolating: None, stack: ExitStack, tmp_path: Path, postgresql: Databases
) -> None:
    """Neither files, by whatever path or link, nor rows, nor processes."""
    needs("filesystem", "postgres")
    made = {
        name: postgresql.clone(name, f"CREATE TABLE t (text TEXT); INSERT INTO t VALUES ('{name}')")
        for name in ("one", "two")
    }
    both: dict[str, ToolServers] = {}

    def open_one(name: str) -> None:
        place = tmp_path / name
        place.mkdir()
        (place / "mine.txt").write_text(f"secret of {name}")
        other = tmp_path / ("two" if name == "one" else "one")
        (place / "link").symlink_to(other)
        (place / "processes").symlink_to("/proc")
        both[name] = opened(stack, place, "filesystem", "postgres", database=made[name])

    threads = [threading.Thread(target=open_one, args=(name,)) for name in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, servers in both.items():
        other = "two" if name == "one" else "one"
        said = []
        for path in (
            "link/mine.txt",
            f"{tmp_path}/{other}/mine.txt",
            f"../{other}/mine.txt",
            "processes/1/cmdline",
            "processes/1/environ",
            "/run/postgresql",
        ):
            answer = servers.call("filesystem", "read_text_file", {"path": path})
            assert answer.is_error, path
            said.append(answer.text)
        for sql in (
            "SELECT * FROM t",
            "SELECT datname, usename, query FROM pg_stat_activity",
            f"SELECT pg_read_file('{tmp_path}/{other}/mine.txt')",
            "SELECT pg_ls_dir('.')",
        ):
            said.append(servers.call("postgres", "query", {"sql": sql}).text)
        assert f'"{name}"' in said[-4]
        assert f"secret of {other}" not in "".join(said)
        assert f'"{other}"' not in "".join(said)
        mine = servers.call("filesystem", "read_text_file", {"path": "mine.txt"})
        assert mine.text == f"secret of {name}"


def test_a_server_has_no_network_and_no_way_to_the_host(
    needs: Needs, isolating: None, stack: ExitStack, workspace: Path
) -> None:
    """Each is in namespaces of its own, and its environment holds nothing of ours."""
    needs("filesystem")
    os.environ["COMEM_TEST_SECRET"] = "sesame"
    try:
        servers = opened(stack, workspace, "filesystem")
    finally:
        del os.environ["COMEM_TEST_SECRET"]
    here = {space: Path(f"/proc/self/ns/{space}").readlink() for space in SPACES}
    inside = [
        pid
        for pid in processes_with("server-filesystem")
        if Path(f"/proc/{pid}/ns/pid").readlink() != here["pid"]
    ]
    assert inside
    for pid in inside:
        for space in SPACES:
            assert Path(f"/proc/{pid}/ns/{space}").readlink() != here[space]
        assert b"sesame" not in Path(f"/proc/{pid}/environ").read_bytes()
    servers.alive()


def test_closing_leaves_no_process(needs: Needs, stack: ExitStack, workspace: Path) -> None:
    """Nor can anything be started or called afterwards."""
    needs("filesystem", "time")
    servers = opened(stack, workspace, "filesystem", "time")
    assert processes_with(str(workspace))
    servers.close()
    servers.close()
    assert processes_with(str(workspace)) == []
    with pytest.raises(ValueError, match="closed"):
        servers.start(["time"])
    with pytest.raises(InfrastructureError, match="closed"):
        servers.call("time", "get_current_time", {})
