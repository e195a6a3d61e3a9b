"""A program as a memory system, as its users run it."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from made_streams import make_stream
from tiny_project import records

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="these tests look at processes through /proc"
)
EXAMPLE = Path(__file__).resolve().parents[2] / "fixtures/components/keyword_memory.py"
#: Notes who it and its child are, and stays whatever happens.
STAYS = """
import os, signal, subprocess, sys, time
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"])
with open(sys.argv[1] + f"/{os.getpid()}-{child.pid}", "w"):
    time.sleep(600)
"""


@pytest.fixture
def component(project: pytest.Pytester) -> pytest.Pytester:
    """A project with the example beside it, and two made streams."""
    (project.path / "mem").mkdir()
    (project.path / "mem/words.py").write_bytes(EXAMPLE.read_bytes())
    make_stream(project.path / "streams", "ada", 4)
    make_stream(project.path / "streams", "ben", 2, seed=1)
    return project


def command(*more: str) -> list[str]:
    """Return what names the example, in both its forms, and other arguments."""
    program = f"cmd:{sys.executable} mem/words.py"
    return [
        *("-p", "no:cacheprovider", "--tb=short", f"--memory-system={program},once={program}"),
        *("--memory-option=once.mode=once", *more),
    ]


def play(project: pytest.Pytester, name: str, *more: str) -> list[dict[str, Any]]:
    """Return the outcomes of a run, without times."""
    project.runpytest_subprocess(*command(f"--comem-run-dir={name}", *more))
    return records(project.path / name)


def told(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what an outcome says apart from which system it is of."""
    passages = tuple(item["text"] for item in row["recall"]["items"])
    return row["step"], passages, str(row["verdict"])


@needs_xdist
@pytest.mark.parametrize(
    ("suite", "steps"), [(("--comem-data=data", "gatemem"), 5), (("contextweave",), 6)]
)
def test_outcomes_are_the_same_however_a_run_is_cut_up(
    component: pytest.Pytester, suite: tuple[str, ...], steps: int
) -> None:
    """Serial, abreast on two workers, and by either form of the protocol."""
    more = ("--comem-streams=streams", *suite)
    serial = play(component, "serial", "--comem-concurrency=1", *more)
    assert {row["failure"] for row in serial} == {None}
    by_form = {
        name: [told(row) for row in serial if row["system"]["name"] == name]
        for name in ("cmd-words", "once")
    }
    assert len(by_form["once"]) == steps
    assert by_form["cmd-words"] == by_form["once"]
    assert any(passages for _, passages, _ in by_form["once"])
    if suite == ("contextweave",):
        # The fourth task's habits are those of the second: what is recalled shows them.
        measures = serial[3]["verdict"]["measures"]
        assert (measures["workspace"], measures["preference"]) == (80, 100)
    assert play(component, "workers", "-n", "2", "--comem-concurrency=8", *more) == serial


def test_ids_have_its_short_name(component: pytest.Pytester) -> None:
    """Not its path, nor its arguments."""
    listed = component.runpytest_subprocess(
        *command("--comem-streams=streams", "contextweave", "--collect-only", "-q")
    )
    assert "contextweave/test_office.py::test_task[cmd-words-office-ada-t0001]" in listed.outlines
    assert "contextweave/test_office.py::test_task[once-office-ben-t0002]" in listed.outlines


def test_it_keeps_the_promises_that_any_memory_keeps(component: pytest.Pytester) -> None:
    """Nothing is known of its capabilities: promises about them are left out, none is broken."""
    pytest.importorskip("hypothesis")
    result = component.runpytest_subprocess(
        "-p", "no:cacheprovider", f"--memory-system=cmd:{sys.executable} mem/words.py", "contract"
    )
    outcomes = result.parseoutcomes()
    assert set(outcomes) == {"passed", "skipped"}
    assert outcomes["passed"] >= 7
    result.stdout.fnmatch_lines(["cmd-words * 0 * 0 *"])


def test_a_program_that_breaks_is_no_verdict(component: pytest.Pytester) -> None:
    """Its steps are errors that say what it did, with the last that it wrote."""
    (component.path / "breaks.py").write_text(
        "import sys\nsys.stdin.readline()\nsys.exit('index is locked')\n", encoding="utf-8"
    )
    result = component.runpytest_subprocess(
        "-p", "no:cacheprovider", "--comem-data=data",
        f"--memory-system=cmd:{sys.executable} breaks.py", "gatemem",
    )  # fmt: skip
    assert result.parseoutcomes() == {"errors": 5}
    result.stdout.fnmatch_lines(["*breaks.py ended with exit status 1 in inject; it last wrote:*"])
    result.stdout.fnmatch_lines(["*index is locked*"])


@pytest.mark.parametrize(
    ("systems", "message"),
    [
        ("cmd:mem a,b c", "*'b c' is unknown*NAME.command=PROGRAM ARGS*"),
        ("cmd:nothing-like-it", "*cmd:nothing-like-it: there is no such program*"),
        ("cmd", "*cmd: no program is named*"),
    ],
)
def test_what_is_wrong_is_said_before_anything_runs(
    component: pytest.Pytester, systems: str, message: str
) -> None:
    """Also that a comma in a command is not what it seems."""
    (component.path / "mem/mem").write_text("#!/bin/sh\n", encoding="utf-8")
    (component.path / "mem/mem").chmod(0o755)
    systems = systems.replace("cmd:mem ", "cmd:mem/mem ")
    result = component.runpytest_subprocess(f"--memory-system={systems}", "gatemem")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([message])


@on_linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("mode", ["lines", "once"])
def test_nothing_is_left_of_a_run_that_is_broken_off(
    component: pytest.Pytester, number: int, mode: str
) -> None:
    """Neither the program, whatever it does about signals, nor what it started."""
    (component.path / "stays.py").write_text(STAYS, encoding="utf-8")
    noted = component.path / "pids"
    noted.mkdir()
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "pytest", "--comem-data=data", "gatemem"),
            f"--memory-system=cmd:{sys.executable} stays.py {noted}",
            f"--memory-option=cmd.mode={mode}",
        ],
        cwd=component.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        wait_for(lambda: len(list(noted.iterdir())) == 2)
        process.send_signal(number)
        process.wait(60)
    pids = [int(pid) for file in noted.iterdir() for pid in file.name.split("-")]
    try:
        wait_for(lambda: not any(map(is_running, pids)))
    finally:
        for pid in filter(is_running, pids):
            os.kill(pid, signal.SIGKILL)


def wait_for(is_so: Any) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline, "it does not come to that"
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether a process lives, other than as a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
