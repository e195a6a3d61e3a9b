"""A benchmark in parts on several machines, joined: pytest and comem as their users run them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

SYSTEMS = "--memory-system=bm25,full-context"
SHARDS = ("1/3", "2/3", "3/3")
_SECONDS = re.compile(r'"seconds":[^,}]*')


def run(project: pytest.Pytester, name: str, *arguments: str) -> pytest.RunResult:
    """Run the embedded data into the directory *name*."""
    return project.runpytest_subprocess(
        "-p", "no:cacheprovider", "-q", SYSTEMS, f"--comem-run-dir={name}", "gatemem", *arguments
    )


def comem(project: pytest.Pytester, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in the project."""
    code = "from pytest_comem.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=project.path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def outcomes(run: Path) -> str:
    """Return a run's outcomes, byte for byte but for the seconds."""
    return _SECONDS.sub('"seconds":0', (run / "outcomes.jsonl").read_bytes().decode())


def manifest(run: Path) -> dict[str, Any]:
    """Return a run's manifest."""
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())
    return found


def test_three_shards_merged_equal_the_whole_run(project: pytest.Pytester) -> None:
    """The same bytes, the same scorecard and the same manifest, whichever run is named first."""
    run(project, "whole", "--comem-repeats=2")
    for shard in SHARDS:
        run(project, f"run{shard[0]}", f"--comem-shard={shard}", "--comem-repeats=2")
    parts = [outcomes(project.path / f"run{number}") for number in (1, 2, 3)]
    whole = project.path / "whole"
    assert all(parts)
    assert sum(part.count("\n") for part in parts) == outcomes(whole).count("\n") == 324
    for order in ("123", "312", "231"):
        done = comem(project, "merge", *(f"run{each}" for each in order), "-o", f"all{order}")
        assert (done.returncode, done.stderr) == (0, "")
        assert "merged 3 runs: 324 of 324 steps are scored" in done.stdout
        merged = project.path / f"all{order}"
        assert outcomes(merged) == outcomes(whole)
        found, expected = manifest(merged), manifest(whole)
        assert found["finished"] == {**expected["finished"], "at": found["finished"]["at"]}
        assert found["systems"] == expected["systems"]
        assert found["data"] == expected["data"]
    assert manifest(project.path / "all123") == manifest(project.path / "all231")
    assert scores(project, "all123") == scores(project, "whole")


def scores(project: pytest.Pytester, name: str) -> list[str]:
    """Return the lines of a run's report without those of times."""
    done = comem(project, "report", name)
    assert done.returncode == 0
    before, _, _ = done.stdout.partition("per step")
    return before.splitlines()


def test_a_shard_without_an_episode_is_a_run_of_no_steps(project: pytest.Pytester) -> None:
    """It succeeds, leaves a manifest, and merges with the others."""
    empty = run(project, "run1", "--comem-shard=1/7")
    assert empty.ret == pytest.ExitCode.OK
    assert manifest(project.path / "run1")["finished"]["planned"] == 0
    assert outcomes(project.path / "run1") == ""
    run(project, "run5", "--comem-shard=5/7")
    done = comem(project, "merge", "run1", "run5", "-o", "all")
    assert done.returncode == 0
    assert "shard 2/7, 3/7, 4/7, 6/7, 7/7 is not among the merged runs" in done.stdout
    assert outcomes(project.path / "all") == outcomes(project.path / "run5")


def test_runs_that_do_not_belong_together_are_refused(project: pytest.Pytester) -> None:
    """Exit status 2, every difference by its name, and no directory."""
    run(project, "run1", "--comem-shard=1/3")
    run(project, "run2", "--comem-shard=2/3", "--comem-seed=1", "--comem-top-k=5")
    done = comem(project, "merge", "run1", "run2", "-o", "all")
    assert (done.returncode, done.stdout) == (2, "")
    for name in ("settings.seed: 0 in run1; 1 in run2", "settings.top_k: ", "systems.bm25.top_k: "):
        assert f"\n  {name}" in done.stderr
    assert not (project.path / "all").exists()


@pytest.mark.parametrize("shard", ["0/3", "3"])
def test_a_shard_that_is_none_is_refused(shard: str, project: pytest.Pytester) -> None:
    """Before anything is collected, with the option's name."""
    result = run(project, "run1", f"--comem-shard={shard}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--comem-shard: '{shard}'*"])
    assert not (project.path / "run1").exists()
