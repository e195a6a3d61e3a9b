"""Runs that are killed and gone on with."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tiny_project import checkpoint, episode, records, write_data

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
pytestmark = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="the system has no process groups to kill"
)
NAMES = ("one", "two", "three", "four")
STEPS = 6
POINTS = 20
#: Slow enough to be killed in the middle, and the same every time.
SLOW = """
import time
from adapters import LastWords


class Slow(LastWords):
    def recall(self, query):
        time.sleep(0.02)
        return super().recall(query)


class Fails(LastWords):
    def recall(self, query):
        import pathlib
        if pathlib.Path("broken").exists() and "fact3" in query.text:
            raise RuntimeError("the store is gone")
        return super().recall(query)
"""


@pytest.fixture
def long_project(project: pytest.Pytester) -> pytest.Pytester:
    """A project with four episodes of six steps, and a slow memory."""
    rows = [
        checkpoint(name, number, number + 1) for name in NAMES for number in range(1, STEPS + 1)
    ]
    write_data(project.path, [episode(name, STEPS + 1) for name in NAMES], rows)
    project.makepyfile(slow=SLOW)
    return project


def command(*more: str, system: str = "slow:Slow") -> list[str]:
    """Return a run of the project."""
    return [
        *(sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--tb=no", "-r", ""),
        *(f"--memory-system={system}", "--comem-data=data", "--comem-concurrency=2", "gatemem"),
        *more,
    ]


def ran(project: pytest.Pytester, *more: str, system: str = "slow:Slow") -> str:
    """Run to the end and return what was printed."""
    found = subprocess.run(
        command(*more, system=system), cwd=project.path, capture_output=True, text=True, check=False
    )
    assert found.returncode in (0, 1), found.stdout + found.stderr
    return found.stdout


def comparable(run: Path) -> list[dict[str, Any]]:
    """Return a run's outcomes without the seconds they took."""
    rows = records(run)
    for row in rows:
        for usage in row["usage"].values():
            usage["seconds"] = 0
    return rows


def killed(project: pytest.Pytester, lines: int, *more: str) -> None:
    """Start a run and kill all its processes once it has written so many lines."""
    with subprocess.Popen(
        command("--comem-run-dir=run", *more),
        cwd=project.path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        file = project.path / "run" / "outcomes.jsonl"
        while process.poll() is None:
            if file.is_file() and file.read_bytes().count(b"\n") >= lines:
                os.killpg(process.pid, signal.SIGKILL)
                break
            time.sleep(0.002)
        process.wait()


@pytest.mark.parametrize(
    "more", [(), pytest.param(("-n2",), marks=needs_xdist)], ids=["serial", "two workers"]
)
@pytest.mark.parametrize("quarter", range(4))
def test_a_killed_run_is_finished_as_if_nothing_had_happened(
    long_project: pytest.Pytester, more: tuple[str, ...], quarter: int
) -> None:
    """Killed at twenty seeded points, a run that is gone on with equals an uninterrupted one."""
    whole = long_project.path / "whole"
    ran(long_project, "--comem-run-dir=whole", *more)
    points = random.Random(7).sample(range(len(NAMES) * STEPS), POINTS)
    for lines in points[quarter::4]:
        killed(long_project, lines, *more)
        run = long_project.path / "run"
        before = records(run) if (run / "outcomes.jsonl").is_file() else []
        text = ran(long_project, "--comem-resume=run", *more) if run.is_dir() else ""
        if not run.is_dir():
            # Killed before anything was written down.
            ran(long_project, "--comem-run-dir=run", *more)
        elif before:
            assert f"resumed: {len(before)} of 24 steps reused" in text
        assert comparable(run) == comparable(whole)
        kept = {row["step"]: row["usage"] for row in records(run)}
        assert all(kept[row["step"]] == row["usage"] for row in before)
        shutil.rmtree(run)


def test_a_line_that_was_cut_off_is_played_again(long_project: pytest.Pytester) -> None:
    """Half a last line, as a kill may leave it, costs that step and nothing else."""
    ran(long_project, "--comem-run-dir=run")
    file = long_project.path / "run" / "outcomes.jsonl"
    whole = comparable(file.parent)
    file.write_bytes(file.read_bytes()[:-40])
    text = ran(long_project, "--comem-resume=run")
    assert "resumed: 23 of 24 steps reused; played: 1 not played before" in text
    assert comparable(file.parent) == whole


def test_infrastructure_errors_are_played_again_and_failures_never(
    long_project: pytest.Pytester,
) -> None:
    """What broke around the method gets another chance; what the method did stands."""
    (long_project.path / "broken").touch()
    ran(long_project, "--comem-run-dir=run", system="slow:Fails")
    run = long_project.path / "run"
    unscored = [row for row in records(run) if row["verdict"] is None]
    assert len(unscored) == len(NAMES) * 5
    (long_project.path / "broken").unlink()
    text = ran(long_project, "--comem-resume=run", system="slow:Fails")
    assert "resumed: 4 of 24 steps reused; played: 20 infrastructure errors" in text
    assert all(row["verdict"] is not None for row in records(run))
    assert "24 of 24 steps reused" in ran(long_project, "--comem-resume=run", system="slow:Fails")


def test_what_has_changed_since_is_played_again_and_named(long_project: pytest.Pytester) -> None:
    """Another seed makes other keys, and another question only its own step's."""
    ran(long_project, "--comem-run-dir=run")
    text = ran(long_project, "--comem-resume=run", "--comem-seed=5")
    assert "resumed: 0 of 24 steps reused; played: 24 changed (settings.seed)" in text
    rows = [
        checkpoint(name, number, number + 1) for name in NAMES for number in range(1, STEPS + 1)
    ]
    rows[3]["query_text"] = "and what was fact5 again?"
    write_data(long_project.path, [episode(name, STEPS + 1) for name in NAMES], rows)
    text = ran(long_project, "--comem-resume=run", "--comem-seed=5")
    assert "resumed: 23 of 24 steps reused; played: 1 changed (data.gatemem." in text
    assert len(records(long_project.path / "run")) == 24


def test_a_resumed_run_says_so_and_remembers_when(long_project: pytest.Pytester) -> None:
    """The manifest keeps the run's identity and beginning, and adds when it was gone on with."""
    ran(long_project, "--comem-run-dir=run", "-k", "one")
    place = long_project.path / "run" / "manifest.json"
    first = json.loads(place.read_bytes())
    ran(long_project, "--comem-resume=run")
    second = json.loads(place.read_bytes())
    assert (second["run"], second["started"]) == (first["run"], first["started"])
    assert len(second["resumed"]) == 1
    assert second["finished"]["scored"] == 24


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--comem-resume=nowhere"], "nowhere is no directory"),
        (["--comem-resume=.", "--comem-run-dir=x"], "leave out --comem-run-dir"),
    ],
)
def test_what_cannot_be_resumed_is_a_usage_error(
    long_project: pytest.Pytester, more: list[str], said: str
) -> None:
    """The message names the option and the way out."""
    found = subprocess.run(
        command(*more), cwd=long_project.path, capture_output=True, text=True, check=False
    )
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert said in found.stderr


def test_a_damaged_run_is_not_gone_on_with(long_project: pytest.Pytester) -> None:
    """A line in the middle that is no outcome is said with its place, and nothing is changed."""
    ran(long_project, "--comem-run-dir=run")
    file = long_project.path / "run" / "outcomes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:2], b"{}\n", *lines[2:]]))
    damaged = file.read_bytes()
    found = subprocess.run(
        command("--comem-resume=run"),
        cwd=long_project.path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == pytest.ExitCode.USAGE_ERROR
    assert "outcomes.jsonl:3" in found.stderr
    assert file.read_bytes() == damaged
