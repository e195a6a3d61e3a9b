"""Runs held against a baseline: what is expected, what is a regression, and the exit status."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from gated_project import SYSTEM, fact, make_project, run_comem, run_pytest, step
from test_runs import needs_xdist

BOTH = pytest.mark.parametrize("workers", [(), pytest.param(("-n", "2"), marks=needs_xdist)])
AGAINST = "--comem-baseline=base.json"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the baseline of a memory that loses two facts."""
    project = make_project(tmp_path_factory.mktemp("gated"))
    lost = f"{fact('one', 1)},{fact('two', 2)}"
    assert run_pytest(project, "--comem-run-dir=base", loses=lost).returncode == 1
    assert run_comem(project, "baseline", "base", "-o", "base.json").returncode == 0
    return project


def counts(text: str) -> dict[str, int]:
    """Return the counts of pytest's last line."""
    (line,) = re.findall(r"^(?:=+ )?(\d+ \w+(?:, \d+ \w+)*) in [\d.]+s", text, re.MULTILINE)
    return {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", line)}


@BOTH
def test_what_failed_there_is_expected_here(home: Path, workers: tuple[str, ...]) -> None:
    """The same results again: expected failures, nothing else, and exit status 0."""
    lost = f"{fact('one', 1)},{fact('two', 2)}"
    found = run_pytest(home, AGAINST, *workers, loses=lost)
    assert found.returncode == 0, found.stdout
    assert counts(found.stdout) == {"passed": 28, "xfailed": 3}
    assert "0 regressions, 0 newly passing, 3 expected failures" in found.stdout


@BOTH
def test_a_regression_is_named_and_fails(home: Path, workers: tuple[str, ...]) -> None:
    """What passed there and fails here is a failure whose paragraph begins with the word."""
    run = f"changed{len(workers)}"
    found = run_pytest(
        home, AGAINST, *workers, f"--comem-run-dir={run}", "--junitxml=out.xml",
        loses=f"{fact('one', 1)},{fact('three', 3)}",
    )  # fmt: skip
    assert found.returncode == 1
    assert counts(found.stdout) == {"failed": 1, "passed": 27, "xfailed": 2, "xpassed": 1}
    assert "\nregression: [utility] asked" in found.stdout
    assert f"regression: {step('three', 3)}" in found.stdout
    assert f"newly passing: {step('two', 2)}" in found.stdout
    kept = json.loads((home / run / "manifest.json").read_text())["finished"]["baseline"]["rows"][0]
    assert kept["regressions"] == [["medical", "three", "three_ckpt_03"]]
    assert kept["newly_passing"] == [["medical", "two", "two_ckpt_02"]]
    cases = list(ET.parse(home / "out.xml").getroot().iter("testcase"))
    kinds = Counter(child.tag for case in cases for child in case if child.tag != "properties")
    assert kinds == {"failure": 1, "skipped": 2}
    (skipped, *_) = (child for case in cases for child in case.iter("skipped"))
    assert skipped.get("message") == "failed in the baseline"


@BOTH
def test_x_stops_at_a_regression_and_at_nothing_else(home: Path, workers: tuple[str, ...]) -> None:
    """Expected failures do not stop a run that stops at the first failure."""
    lost = f"{fact('one', 1)},{fact('two', 2)}"
    found = run_pytest(home, AGAINST, "-x", *workers, loses=lost)
    assert (found.returncode, counts(found.stdout)["passed"]) == (0, 28)
    found = run_pytest(home, AGAINST, "-x", *workers, loses=f"{lost},{fact('three', 3)}")
    assert found.returncode in (1, 2)
    assert counts(found.stdout)["failed"] == 1


def test_what_is_unscored_stays_an_error(home: Path) -> None:
    """A memory that breaks is an error of its steps, whatever the baseline says."""
    found = run_pytest(home, AGAINST, breaks=fact("one", 1))
    assert found.returncode == 1
    assert counts(found.stdout)["errors"] == 5
    assert "0 regressions" in found.stdout


def test_a_run_is_a_baseline_too(home: Path) -> None:
    """A run directory and its outcomes.jsonl say the same as the file made of them."""
    for name in ("base", "base/outcomes.jsonl"):
        found = run_pytest(home, f"--comem-baseline={name}", "-k", "one or two")
        assert counts(found.stdout) == {"passed": 8, "xpassed": 2, "deselected": 21}


def test_failures_of_ones_own_stay_failures(home: Path) -> None:
    """A test that raises something else than a step's failure fails, whatever is expected."""
    (home / "test_own.py").write_text(
        "def test_own(checkpoint, outcome):\n    raise KeyError(checkpoint.id)\n"
    )
    found = run_pytest(home, AGAINST, "test_own.py", "-k", "test_own and one and ckpt_01",
                       loses=fact("one", 1))  # fmt: skip
    assert found.returncode == 1
    assert counts(found.stdout)["failed"] == 1


def test_lf_knows_regressions_alone(home: Path) -> None:
    """What is run again with --lf are the failures that were not expected."""
    lost = f"{fact('one', 1)},{fact('two', 2)},{fact('three', 3)}"
    run_pytest(home, AGAINST, "-p", "cacheprovider", loses=lost)
    again = run_pytest(home, AGAINST, "-p", "cacheprovider", "--lf", loses=lost)
    assert counts(again.stdout)["failed"] == 1
    assert "passed" not in counts(again.stdout)


def test_a_system_that_is_not_in_it_counts_by_itself(home: Path) -> None:
    """One line says so, and its steps pass and fail as without a baseline."""
    found = run_pytest(home, AGAINST, "-v", system="adapters:Other", loses=fact("one", 1))
    assert found.returncode == 1
    assert counts(found.stdout) == {"failed": 2, "passed": 29}
    (line,) = (line for line in found.stdout.splitlines() if "baseline has no" in line)
    assert line.endswith("row of adapters:Other with offline; its steps count by themselves")
    assert "regression:" not in found.stdout


def test_steps_that_it_does_not_know_count_by_themselves(home: Path) -> None:
    """A baseline of some steps says nothing of the others, and how many they are is said."""
    run_pytest(home, "-k", "one", "--comem-run-dir=part")
    found = run_pytest(home, "--comem-baseline=part", loses=fact("two", 2))
    assert found.returncode == 1
    assert counts(found.stdout) == {"failed": 2, "passed": 29}
    assert "26 steps not in it" in found.stdout
    assert "\nregression:" not in found.stdout


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--comem-scoring=release-gated", "scoring: paper in "),
        ("--comem-synthetic=1", "gatemem data: "),
        ("--comem-baseline=nothing.json", "nothing.json: cannot be read"),
        ("--comem-baseline=adapters.py", "adapters.py: not JSON"),
    ],
)
def test_what_cannot_be_compared_is_refused(home: Path, option: str, said: str) -> None:
    """Before anything is played it is said what differs, as an error of use."""
    arguments = [AGAINST, option, "--comem-run-dir=refused"]
    if "synthetic" in option:
        arguments.append("--comem-data=")
    found = run_pytest(home, *arguments)
    assert found.returncode == 4
    assert said in found.stderr
    assert not (home / "refused").exists()


def test_with_repeats_a_regression_needs_evidence(home: Path) -> None:
    """Failing draws are expected ones; what fails in all of them is found at the end."""
    run_pytest(home, "--comem-repeats=4", "--comem-run-dir=often", "-k", "one or two")
    again = ["--comem-baseline=often", "--comem-repeats=4", "-k", "one or two"]
    assert run_pytest(home, *again).returncode == 0
    found = run_pytest(home, *again, loses=fact("one", 1))
    assert found.returncode == 1
    assert counts(found.stdout) == {"passed": 36, "xfailed": 4, "deselected": 84}
    assert "1 regression, 0 newly passing, 0 expected failures" in found.stdout


def test_the_file_is_the_same_whoever_played(home: Path) -> None:
    """Runs with the same results make the same baseline, byte by byte."""
    files: list[Any] = []
    for number, more in enumerate(((), ("--comem-concurrency=1",))):
        run_pytest(home, f"--comem-run-dir=same{number}", *more)
        run_comem(home, "baseline", f"same{number}", "-o", f"same{number}.json")
        files.append((home / f"same{number}.json").read_bytes())
    assert files[0] == files[1]
    assert SYSTEM.encode() in files[0]
