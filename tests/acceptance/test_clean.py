"""Runs that are killed, what they leave, and what is kept on purpose."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from cleaning_alone import alone
from tiny_project import records

__all__ = ["alone"]

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="processes are looked at through /proc"
)
needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
#: Stores something, starts a program of its own that outlives it, and hangs when it is asked.
HANGS = """
import os, subprocess, time
from pathlib import Path

from adapters import LastWords


class Hangs(LastWords):
    own_process = True

    @classmethod
    def open(cls, setup):
        (setup.directory / "store").write_text("x")
        Path("stores.txt").write_text(str(setup.directory / "store"))
        server = subprocess.Popen(["sleep", "600"], start_new_session=True)
        place = Path("pids")
        place.mkdir(exist_ok=True)
        (place / f"{os.getpid()}-{server.pid}").touch()
        return cls()

    def recall(self, query):
        Path("asked").touch()
        time.sleep(600)


class Stores(LastWords):
    @classmethod
    def open(cls, setup):
        (setup.directory / "store").write_text("x")
        return cls()
"""


@pytest.fixture
def hanging(project: pytest.Pytester) -> pytest.Pytester:
    """A project with the systems above."""
    project.makepyfile(hanging=HANGS)
    return project


def command(*more: str) -> list[str]:
    """Return the command line of a run."""
    return [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--tb=no"),
        *("--comem-data=data", "gatemem", *more),
    ]


def run(project: pytest.Pytester, *more: str) -> str:
    """Run to the end and return what was printed."""
    found = subprocess.run(
        command(*more), cwd=project.path, capture_output=True, text=True, check=False
    )
    assert found.returncode in (0, 1), found.stdout + found.stderr
    return found.stdout


def clean(project: pytest.Pytester, *more: str) -> list[str]:
    """Run ``comem clean`` and return the lines it prints."""
    code = "from pytest_comem.cli import main; main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "clean", *more],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout.splitlines()


def told(project: pytest.Pytester, lines: Sequence[str]) -> list[str]:
    """Return the lines that are about this project's things; the machine may have others."""
    names = (f" {project.path}", *(f" process {pid} " for pid in pids(project)))
    return [line for line in lines if any(name in line for name in names)]


@contextmanager
def running(project: pytest.Pytester, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a run that hangs in its first question, and kill it with all its processes after."""
    with subprocess.Popen(
        command("--memory-system=hanging:Hangs", *more),
        cwd=project.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while not (project.path / "asked").exists():
                assert process.poll() is None
                assert time.monotonic() < deadline, "the run does not come to its first question"
                time.sleep(0.02)
            yield process
        finally:
            kill(process)
            for pid in pids(project):
                if lives(pid):
                    os.kill(pid, signal.SIGKILL)


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a run with all processes of its group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def pids(project: pytest.Pytester) -> Sequence[int]:
    """Return the ids of worker processes and of what they have started."""
    return [int(pid) for file in (project.path / "pids").glob("*") for pid in file.name.split("-")]


def lives(pid: int) -> bool:
    """Whether a process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("more", [(), pytest.param(("-n2",), marks=needs_xdist)], ids=str)
def test_what_a_killed_run_leaves_is_removed_and_it_can_be_gone_on_with(
    hanging: pytest.Pytester, more: tuple[str, ...]
) -> None:
    """Processes in sessions of their own and state go; manifest and outcomes stay."""
    with running(hanging, "--comem-run-dir=run", *more) as process:
        state = hanging.path / "run" / "state"
        assert Path((hanging.path / "stores.txt").read_text()).is_relative_to(state)
        # While it goes on, nothing of it is touched.
        (line,) = told(hanging, clean(hanging, "."))
        assert line.startswith(f"left alone: state directory {state}: its run goes on")
        assert all(map(lives, pids(hanging)))
        kill(process)
        before = clean(hanging, ".", "--dry-run")
        assert f"would remove: state directory {state}" in before
        said = clean(hanging, ".")
        assert f"removed: state directory {state}" in said
        assert not any(map(lives, pids(hanging)))
        # Worker processes notice the end themselves; what has a session of its own does not.
        servers = [int(file.name.split("-")[1]) for file in (hanging.path / "pids").iterdir()]
        text = "\n".join(said)
        assert all(f"removed: process {pid} (sleep) of run " in text for pid in servers)
    assert {path.name for path in state.parent.iterdir()} == {"manifest.json", "outcomes.jsonl"}
    assert told(hanging, clean(hanging, ".")) == []
    run(hanging, "--memory-system=hanging:Stores", "--comem-resume=run", *more)
    assert len(records(state.parent)) == 5
    assert not state.exists()


def test_the_default_is_where_runs_are_written(hanging: pytest.Pytester) -> None:
    """The link to the latest run is no second one; without runs there is nothing to do."""
    assert clean(hanging)[-1].endswith("0 left alone, 0 could not be removed")
    with running(hanging) as process:
        kill(process)
        said = clean(hanging)
    states = [line for line in said if "state directory" in line]
    assert len(states) == 1
    assert states[0].startswith(f"removed: state directory {hanging.path / '.comem' / 'runs'}")


@pytest.mark.parametrize("more", [(), pytest.param(("-n2",), marks=needs_xdist)], ids=str)
@pytest.mark.parametrize("how", ["option", "ini"])
def test_state_is_kept_where_that_is_asked_for(
    hanging: pytest.Pytester, more: tuple[str, ...], how: str
) -> None:
    """The end says where it is, it can be looked at, and cleaning leaves it; no key changes."""
    system = "--memory-system=hanging:Stores"
    if how == "ini":
        hanging.makeini("[pytest]\ncomem_keep_state = true")
    else:
        more = (*more, "--comem-keep-state")
    text = run(hanging, system, "--comem-run-dir=run", *more)
    state = hanging.path / "run" / "state"
    assert f"state: kept in {state}" in text
    stores = list(state.rglob("store"))
    assert len(stores) == 2
    assert all(place.stat().st_mode & 0o500 == 0o500 for place in stores[0].parents)
    (line,) = told(hanging, clean(hanging, "."))
    assert line.endswith("it was kept on purpose (--comem-keep-state)")
    assert stores[0].exists()
    (hanging.path / "tox.ini").unlink(missing_ok=True)
    # Going on with the run takes nothing away from what it was to keep.
    assert f"state: kept in {state}" in run(hanging, system, "--comem-resume=run")
    assert stores[0].exists()
    assert "state:" not in run(hanging, system, "--comem-run-dir=plain")
    assert not (hanging.path / "plain" / "state").exists()
    kept, plain = records(hanging.path / "run"), records(hanging.path / "plain")
    assert [row["key"] for row in kept] == [row["key"] for row in plain]


def test_a_switch_says_true_or_false(hanging: pytest.Pytester) -> None:
    """Another word in an ini file is an error that names the option."""
    hanging.makeini("[pytest]\ncomem_keep_state = maybe")
    found = subprocess.run(
        command("--memory-system=bm25"),
        cwd=hanging.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "--comem-keep-state: 'maybe' is neither true nor false." in found.stderr


def test_the_manifest_says_what_took_part(hanging: pytest.Pytester) -> None:
    """Versions of what is installed, the platform, and the commit where there is a repository."""
    run(hanging, "--memory-system=bm25", "--comem-run-dir=run")
    manifest = json.loads((hanging.path / "run" / "manifest.json").read_bytes())
    assert {"pytest-comem", "pytest", "python", "httpx"} <= set(manifest["versions"])
    assert manifest["platform"]
    assert "git" in manifest
