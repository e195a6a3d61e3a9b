"""A task's workspace in every kind of sandbox that runs here."""

from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.office.libraries import missing_libraries
from pytest_comem.office.operations import CallClass, Operation, Result
from pytest_comem.office.workbench import BenchSettings, SandboxBench, open_bench
from pytest_comem.sandbox.base import Limits
from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.reading import read_file
from pytest_comem.sandbox.registry import KINDS, choose
from pytest_comem.streams.schema import Activity, Resource, Task

LIMITS = Limits(seconds=20, memory_mib=512, processes=32, disk_mib=20)
TASK = Task(
    task_id="t01",
    started="2025-02-03T09:30",
    title="Report",
    instruction="Write the report.",
    activities=(Activity.WRITING,),
    resources=(Resource(name="site north", attributes={"headcount": "12"}),),
)
DEEP: list[Any] = []
for _ in range(20_000):
    DEEP = [DEEP]
SHELL = "import docx, openpyxl, os; print(sorted(os.listdir()), os.path.exists('outside'))"


@cache
def lacking(kind: str) -> str | None:
    """Return why a kind cannot be tried here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoIsolationWarning)
            choose(kind)
    except SettingsError as error:
        return str(error)
    return missing_libraries(kind)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """A kind that works here."""
    name = str(request.param)
    if why := lacking(name):
        pytest.skip(why)
    return name


def some_kind() -> str:
    """Return the first kind that works here."""
    return next(name for name in KINDS if not lacking(name))


@contextmanager
def bench_of(kind: str, directory: Path, limits: Limits = LIMITS) -> Iterator[SandboxBench]:
    """Open a bench on a workspace with one file."""

    def lay_out(workspace: Path) -> None:
        (workspace / "sales.csv").write_text("region,amount\nnorth,10.5\nsouth,20\n")

    directory.mkdir(exist_ok=True)
    settings = BenchSettings(kind, limits)
    with open_bench(settings, TASK, lay_out, directory, "ada t01") as bench:
        yield bench


def op(name: str, **arguments: Any) -> Operation:
    """Return an operation."""
    return Operation(name, arguments)


SALES = [{"name": "s", "path": "sales.csv"}]
EVERYTHING = (
    op("list", path="."),
    op("query", tables=SALES, statement="SELECT sum(amount) FROM s"),
    op("write", path="out/a.md", text="# Ä\n"),
    op("edit", path="out/a.md", old="Ä", new="B"),
    op("append", path="out/a.md", text="more\n"),
    op("edit", path="out/a.md", old="nowhere", new="B"),
    op("ask_resource", request="Site North: headcount"),
    op("write_sheet", path="a.xlsx", sheet="S", rows=[["n"], [1], ["=A2+1"]]),
    op("set_cells", path="a.xlsx", sheet="S", cells={"B1": "m"}),
    op("write_document", path="a.docx", blocks=[{"kind": "heading", "text": "T"}]),
    op("edit_document", path="a.docx", old="T", new="Title"),
    op("execute_sql", path="a.db", statement="CREATE TABLE t (v); INSERT INTO t VALUES (3)"),
    op("query", tables=[{"name": "d", "path": "a.db"}], statement="SELECT v FROM d.t"),
    op("shell", command=f'python3 -c "{SHELL}"; echo oops >&2; exit 3'),
    op("shell", command="git init -q . && git add out && git commit -qm one && git log --oneline"
       " | wc -l && rm -r .git"),
    op("shell", command="printf 'def test_a(): assert 1 == 1\\n' >test_a.py; pytest -q test_a.py"
       " >/dev/null && pwd && rm test_a.py && ls -a"),
    op("read", path="a.docx"),
    op("read", path="a.xlsx"),
    op("shell", command="command -v pytest"),
    op("move", path="out/a.md", to="b.md"),
    op("delete", path="sales.csv"),
    op("list", path="."),
    op("frob", path="a"),
)  # fmt: skip


def outcome(results: list[Result]) -> list[tuple[bool, str, Any]]:
    """Return results as they are compared between kinds."""
    return [(one.ok, one.text, one.value) for one in results]


@cache
def expected() -> dict[int, tuple[bool, str, Any]]:
    """Return what is known of the results beforehand, by place."""
    names = "['a.db', 'a.docx', 'a.xlsx', 'out', 'sales.csv'] False"
    return {
        1: (True, "sum(amount)\n30.5", 30.5),
        6: (True, "12", "12"),
        12: (True, "v\n3", 3),
        13: (False, f"{names}\noops\n[exit status 3]", names),
        14: (True, "1", "1"),
        16: (True, "# Title", None),
        17: (True, "sheet 'S', 3 rows:\nn | m\n1 | \n=A2+1 | ", None),
        18: (True, "/comem/office/bin/pytest", "/comem/office/bin/pytest"),
        21: (True, "a.db\na.docx\na.xlsx\nb.md", ["a.db", "a.docx", "a.xlsx", "b.md"]),
    }


def test_the_same_operations_give_the_same_in_every_kind(kind: str, tmp_path: Path) -> None:
    """Results, record and files, one by one as all at once."""
    with bench_of(kind, tmp_path / "all") as bench:
        together = list(bench.do_all(EVERYTHING))
        assert read_file(bench.workspace, "b.md", 100) == b"# B\nmore\n"
        calls = bench.calls()
    failed = {number for number, result in enumerate(together) if not result.ok}
    assert failed == {5, 13, 22}, [together[number] for number in failed]
    found = outcome(together)
    assert {number: found[number] for number in expected()} == expected()
    assert found[15][1].splitlines() == [
        *("/workspace", ".", "..", "a.db", "a.docx", "a.xlsx", "out", "sales.csv")
    ]
    assert [call.operation for call in calls] == [one.name for one in EVERYTHING]
    with bench_of(kind, tmp_path / "single") as bench:
        singly = [bench.do(operation) for operation in EVERYTHING[:7]]
        assert outcome(singly) == found[:7]
        assert bench.calls() == calls[:7]


def test_what_is_done_is_recorded_in_words(tmp_path: Path) -> None:
    """With its class, whether it was done, and what came back."""
    with bench_of(some_kind(), tmp_path) as bench:
        bench.do(op("write", path="a.md", text="A"))
        bench.do(op("shell", command="ls && cat a.md"))
        bench.do(op("shell", command="rm a.md"))
        bench.do(op("read", path="a.md"))
        bench.do(Operation("frob", {"x": "\ud800"}))
        found = [(call.operation, call.call_class, call.ok, call.text) for call in bench.calls()]
        said = bench.calls()[1].said
    assert found == [
        ("write", CallClass.EXECUTION, True, "wrote a.md:\nA"),
        ("shell", CallClass.EXPLORATION, True, "ran: ls && cat a.md"),
        ("shell", CallClass.EXECUTION, True, "ran: rm a.md"),
        ("read", CallClass.EXPLORATION, False, "read a.md"),
        ("frob", CallClass.OTHER, False, "frob: {'x': '\\ud800'}"),
    ]
    assert said == "a.md\nsales.csv\nA"


def test_an_operation_that_a_limit_ends_is_not_done_and_the_rest_is(
    kind: str, tmp_path: Path
) -> None:
    """A command that takes too long, or writes too much."""
    limits = Limits(seconds=3, memory_mib=512, processes=32, disk_mib=20, output_bytes=10_000)
    with bench_of(kind, tmp_path, limits) as bench:
        slow, loud, after = bench.do_all(
            [
                op("shell", command="echo started; sleep 60"),
                op("shell", command="yes"),
                op("write", path="a.md", text="A"),
            ]
        )
        assert (slow.ok, loud.ok, after.ok) == (False, False, True)
        assert "started" in slow.text
        assert "[ended: it took longer than 3 s]" in slow.text
        assert "[ended:" in loud.text


def test_our_program_ended_by_a_limit_is_one_failed_operation(kind: str, tmp_path: Path) -> None:
    """What comes after it is done in a new run, and what came before is kept."""
    if kind == "none":
        pytest.skip("its memory is not counted together")
    limits = Limits(seconds=20, memory_mib=64, processes=32, disk_mib=200)
    with bench_of(kind, tmp_path, limits) as bench:
        filled = bench.do(op("shell", command="yes '1,2,3' | head -c 15000000 >big.csv"))
        assert filled.ok, filled.text
        big = [{"name": "b", "path": "big.csv"}]
        results = bench.do_all(
            [
                op("write", path="a.md", text="A"),
                op("query", tables=big, statement="SELECT count(*) FROM b"),
                op("append", path="a.md", text="B"),
            ]
        )
        assert [one.ok for one in results] == [True, False, True], results
        assert read_file(bench.workspace, "a.md", 10) == b"AB"


@pytest.mark.parametrize(
    "operation",
    [
        Operation("write", {"path": "a", "text": {"x"}}),
        Operation("write", {"path": "a"}),
        Operation("write", {"path": "a", "text": "x" * 9_000_000}),
        Operation("write_sheet", {"path": "a.xlsx", "sheet": "S", "rows": [[float("inf")]]}),
        Operation("shell", {"command": "echo \0"}),
        Operation("shell", {"command": "x" * 200_000}),
        Operation("shell", {"command": 3}),
        Operation("ask_resource", {"request": None}),
        Operation("ask_resource", {"request": ":" * 100_000}),
        Operation("", {}),
        Operation("query", {"tables": [{"name": "t"}], "statement": ""}),
        Operation("write_sheet", {"path": "a.xlsx", "sheet": "S", "rows": DEEP}),
        Operation("deep", {"rows": DEEP}),
    ],
    ids=lambda operation: operation.name,
)
def test_calls_of_any_shape_are_results(operation: Operation, tmp_path: Path) -> None:
    """They say what is wrong; nothing is raised and nothing changed."""
    with bench_of(some_kind(), tmp_path) as bench:
        result = bench.do(operation)
        assert not result.ok
        assert result.text
        assert [path.name for path in bench.workspace.iterdir()] == ["sales.csv"]


def test_files_of_a_workspace_do_not_stand_for_our_program(kind: str, tmp_path: Path) -> None:
    """An agent that leaves modules of the same names changes no operation."""
    with bench_of(kind, tmp_path) as bench:
        for name in ("json.py", "openpyxl.py", "sqlite3.py", "pytest_comem/__init__.py"):
            bench.do(op("write", path=name, text="raise SystemExit(0)\n"))
        done = bench.do_all(
            [
                op("write_sheet", path="a.xlsx", sheet="S", rows=[[1]]),
                op("query", tables=[{"name": "a", "path": "a.xlsx"}], statement="SELECT 1"),
            ]
        )
        assert [one.ok for one in done] == [True, True], done


def test_a_sandbox_that_breaks_is_no_result(tmp_path: Path) -> None:
    """It is the infrastructure's fault, of type sandbox."""
    if why := lacking("bubblewrap"):
        pytest.skip(why)
    with bench_of("bubblewrap", tmp_path) as bench:
        bench.do(op("list", path="."))
        bench.workspace.rename(tmp_path / "gone")
        with pytest.raises(InfrastructureError) as caught:
            bench.do(op("list", path="."))
    assert caught.value.type == "sandbox"


def test_a_sandbox_killed_from_outside_is_no_result(tmp_path: Path) -> None:
    """Neither for a command that ran in it, whoever killed it."""
    if why := lacking("bubblewrap"):
        pytest.skip(why)
    import threading
    import time

    token = f"comem-bench-{os.getpid()}"

    def kill() -> None:
        until = time.monotonic() + 15
        while time.monotonic() < until:
            for place in Path("/proc").glob("[0-9]*"):
                try:
                    words = (place / "cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue
                if words[0].endswith(b"bwrap") and any(token.encode() in word for word in words):
                    time.sleep(0.3)
                    os.kill(int(place.name), signal.SIGKILL)
                    return
            time.sleep(0.02)

    killer = threading.Thread(target=kill)
    with bench_of("bubblewrap", tmp_path) as bench:
        killer.start()
        with pytest.raises(InfrastructureError) as caught:
            bench.do(op("shell", command=f": {token}; sleep 30"))
        killer.join()
    assert caught.value.type == "sandbox"


def test_no_sandbox_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    """An answer of the resource service needs none; neither does a refusal."""
    with bench_of("no such kind", tmp_path) as bench:
        assert bench.do(op("ask_resource", request="list")).ok
        assert not bench.do(op("frob")).ok
        with pytest.raises(SettingsError):
            bench.do(op("list", path="."))
