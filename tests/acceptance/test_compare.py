"""Real runs of two small memories compared; what a run leaves on GitHub Actions and in JUnit."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
WAYS = ["serial", pytest.param("parallel", marks=needs_xdist)]
MEMORIES = """
import os
from adapters import LastWords
from pytest_comem.core.recall import Recall, RecallItem


class Forgets(LastWords):
    def ingest(self, entry):
        if entry.id != "t2":
            super().ingest(entry)


class Moody(LastWords):
    def ingest(self, entry):
        if entry.id not in os.environ.get("FORGOTTEN", ""):
            super().ingest(entry)


class Hostile(LastWords):
    def recall(self, query):
        if "fact4" in query.text:
            raise RuntimeError("gone\\n::set-output name=a::b, %0A::error::forged")
        text = "nothing\\n ::error::forged\\n</details><b>|` ##[error]forged"
        print(text)
        return Recall((RecallItem(text),))
"""
FLIPPED = "memories_Forgets-medical-one-ckpt_02"


def play(project: pytest.Pytester, system: str, run: str, *more: str) -> pytest.RunResult:
    """Play the tiny data on *system* into the directory *run*."""
    project.makepyfile(memories=MEMORIES)
    arguments = ("-p", "no:cacheprovider", "--comem-data=data", f"--comem-run-dir={run}")
    return project.runpytest_subprocess(*arguments, f"--memory-system={system}", *more, "gatemem")


def comem(project: pytest.Pytester, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own."""
    code = "from pytest_comem.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=project.path,
        capture_output=True,
        text=True,
        check=False,
    )


def way_of(way: str) -> tuple[str, ...]:
    """Return what makes pytest play this way."""
    return ("-n", "2") if way == "parallel" else ()


@pytest.mark.parametrize("way", WAYS)
def test_a_flipped_step_is_in_every_format(project: pytest.Pytester, way: str) -> None:
    """A memory that loses one entry fails one step, which every format names."""
    play(project, "adapters:LastWords", "before", *way_of(way))
    play(project, "memories:Forgets", "after", *way_of(way))
    shown = {}
    for form in ("table", "markdown", "json", "csv", "latex"):
        done = comem(project, "compare", "before", "after", "--format", form)
        assert (done.returncode, done.stderr) == (0, "")
        shown[form] = done.stdout
    found = json.loads(shown["json"])["comparisons"][0]
    assert [(flip["step"], flip["before"], flip["after"]) for flip in found["flips"]] == [
        (FLIPPED, "passed", "failed")
    ]
    assert found["metrics"]["U"]["difference"] == -20
    assert f"  {FLIPPED} (utility)" in shown["table"].splitlines()
    assert f"- `{FLIPPED}` (`utility`)" in shown["markdown"].splitlines()
    assert f",lost,{FLIPPED},passed,failed," in shown["csv"]
    assert FLIPPED.replace("_", r"\_").replace("-", "{-}") in shown["latex"]
    for form in ("table", "markdown"):
        assert "1 step flipped: 1 lost (pass in A, fail in B), 0 gained" in shown[form]


def test_a_comparison_can_be_written_to_a_file(project: pytest.Pytester) -> None:
    """One run of two systems is compared within; the terminal says where it is."""
    play(project, "adapters:LastWords,memories:Forgets", "both")
    done = comem(project, "compare", "both", "--format", "markdown", "-o", "reports/flips.md")
    assert (done.returncode, done.stdout) == (0, "written: reports/flips.md\n")
    assert f"`{FLIPPED}`" in (project.path / "reports" / "flips.md").read_text()


def test_runs_that_differ_in_scoring_are_refused(project: pytest.Pytester) -> None:
    """Exit status 2, what differs, and nothing on standard output."""
    play(project, "adapters:LastWords", "before")
    play(project, "adapters:LastWords", "after", "--comem-scoring=release-gated")
    done = comem(project, "compare", "before", "after")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.splitlines() == [
        "comem: the runs cannot be compared:",
        "  gatemem scoring: paper in before; release-gated in after",
    ]


def commands(result: pytest.RunResult) -> list[str]:
    """Return the lines that GitHub takes for commands."""
    return [line for line in result.outlines if line.lstrip().startswith("::") or "##[" in line]


@pytest.mark.parametrize("way", WAYS)
def test_github_gets_a_summary_and_annotations(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Written once, by the process that reports; no text of a memory becomes a command."""
    summary = project.path / "summary.md"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    result = play(
        project, "memories:Hostile", "run", "--comem-model=offline-verbatim", *way_of(way)
    )
    assert result.ret == 1
    result.stdout.fnmatch_lines(["|  ::error::forged", "*## [[]error]forged*"])
    (command,) = commands(result)
    assert command.startswith("::error title=infrastructure::1 step is unscored: ")
    assert "%250A" in command
    text = summary.read_text(encoding="utf-8")
    assert text.count("# pytest-comem: ") == 1
    assert "0 of 4 scored steps passed" in text
    assert "| incomplete\\_answer | 4 |" in text
    assert re.search(r"<summary>1 because: <code>.*set-output", text)
    assert not re.search(r"^\s*(::|##\[)", text, flags=re.MULTILINE)
    again = comem(project, "report", "run", "--format", "markdown").stdout
    assert text == f"{again}\n"


def test_github_is_told_of_regressions_and_rules(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step that passed in the baseline, and the rule it breaks, at the files they stand in."""
    play(project, "memories:Moody", "before")
    comem(project, "baseline", "before", "-o", "baseline.json")
    monkeypatch.setenv("FORGOTTEN", "t2")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    gate = ("--comem-baseline=baseline.json", "--comem-gate=regressions <= 0")
    result = play(project, "memories:Moody", "after", *gate)
    assert result.ret == 1
    rule, regression = commands(result)
    assert rule.startswith("::error title=gate FAIL::regressions <= 0: ")
    label = "memories_Moody-medical-one-ckpt_02"
    assert regression.startswith(f"::error file=baseline.json,title=regression::{label}: ")
    text = (project.path / "summary.md").read_text(encoding="utf-8")
    assert "### gate: FAIL" in text
    assert "1 regression, 0 newly passing" in text
    done = comem(project, "compare", "baseline.json", "after", "--format", "csv")
    assert f",lost,{label},passed,failed," in done.stdout


@pytest.mark.parametrize("path", ["", "missing/summary.md"])
def test_a_summary_that_cannot_be_written_changes_nothing(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """One line of warning, the run and its exit status as ever."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", path and str(project.path / path))
    result = play(project, "adapters:LastWords", "run")
    assert result.ret == 0
    warnings = [line for line in result.outlines if "summary" in line and "warning: " in line]
    assert len(warnings) == 1


def test_elsewhere_nothing_is_written(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without GITHUB_ACTIONS there is neither command nor summary."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    result = play(project, "adapters:RaisesLate", "run")
    assert commands(result) == []
    assert not (project.path / "summary.md").exists()


def properties(path: Path) -> dict[str, str]:
    """Return the properties of the test suite in a JUnit file."""
    found = ET.parse(path).findall("testsuite/properties/property")
    return {each.attrib["name"]: each.attrib["value"] for each in found}


@pytest.mark.parametrize("way", WAYS)
def test_junit_has_the_metrics_on_the_suite(project: pytest.Pytester, way: str) -> None:
    """By system and model, with the number of steps; the same serial and in parallel."""
    play(project, "memories:Forgets", "run", "--junitxml=junit.xml", *way_of(way))
    name = "comem.memories:Forgets.offline"
    found = properties(project.path / "junit.xml")
    assert {each.removeprefix(f"{name}.") for each in found} == {
        *("U", "OR", "U_exposed", "scored", "unscored")
    }
    assert found[f"{name}.U"] == found[f"{name}.U_exposed"] == "80.0000"
    assert (found[f"{name}.scored"], found[f"{name}.unscored"]) == ("5", "0")


def test_the_papers_rows_stand_below_on_request(project: pytest.Pytester) -> None:
    """In the scorecard, in the report, and with the difference in protocol."""
    result = play(project, "adapters:LastWords", "run", "--comem-reference")
    for text in (result.stdout.str(), comem(project, "report", "run", "--reference").stdout):
        assert "Mem0 (paper; here mem0)" in text
        assert "This run is not comparable with the paper" in text
    assert "(paper" not in comem(project, "report", "run").stdout
