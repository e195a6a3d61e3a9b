"""What GitHub Actions is told: commands that no text can forge, a summary of bounded size."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from made_outcomes import made

from pytest_comem.baseline.changes import changes
from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.gate.results import GateResult, Result, Ruling
from pytest_comem.report.baseline import as_json
from pytest_comem.report.github import (
    MOST_ANNOTATIONS,
    Annotation,
    annotations_of,
    summary_of,
    write_summary,
)

HOSTILE = "x\n::set-output name=a::b\r\n::error::no\r::stop-commands::t %0A ##[error]\x1b[2J"


def run(*outcomes: Outcome, **finished: Any) -> RecordedRun:
    """Return a run that was finished."""
    return RecordedRun(Path("run"), {"finished": {"planned": 1, **finished}}, outcomes)


def broken(number: int, message: str) -> Outcome:
    """Return a step without a verdict."""
    failure = Failure(Attribution.INFRASTRUCTURE, "adapter", message)
    return made(number, None, failure=failure)


def unescaped(text: str) -> str:
    """Return what GitHub makes of a command's message."""
    for escaped, one in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, one)
    return text


def test_a_command_is_one_line_whatever_it_says() -> None:
    """Line ends, percent signs, colons and commas are escaped by GitHub's rules."""
    shown = str(Annotation("error", "a: b, c", HOSTILE, "x,y:z.json"))
    assert len(shown.splitlines()) == 1
    head, _, message = shown[2:].partition("::")
    assert head == "error file=x%2Cy%3Az.json,title=a%3A b%2C c"
    assert message.startswith("x%0A::set-output name=a::b")
    assert "%250A" in message
    assert unescaped(message).splitlines()[0] == "x"
    assert "\x1b" not in message


def test_infrastructure_trouble_is_told_once_a_reason() -> None:
    """With the number of steps, at most ten, the last of which says how many more."""
    steps = [broken(number, f"step s{number}, the model was busy") for number in range(3)]
    assert [str(each) for each in annotations_of(run(*steps))] == [
        "::error title=infrastructure::3 steps are unscored: the model was busy"
    ]
    many = [broken(number, f"reason {number}") for number in range(25)]
    found = annotations_of(run(*many))
    assert len(found) == MOST_ANNOTATIONS
    assert found[-1].message == "and 16 more"


def test_a_defect_of_the_benchmark_is_no_trouble() -> None:
    """It is a skip, not an error."""
    defect = Failure(Attribution.BENCHMARK, "data", "no pattern")
    assert annotations_of(run(made(0, None, failure=defect), made(1, False))) == []


def held(before: RecordedRun, *now: Outcome) -> RecordedRun:
    """Return a run that was held against *before*, as its manifest then says."""
    baseline = Baseline(before)
    rows = run(*now).rows.items()
    found = [changes(baseline, row, outcomes) for row, outcomes in rows if row in baseline]
    return run(*now, baseline=as_json(found, before.path))


def test_regressions_are_errors_at_the_baseline() -> None:
    """A step that passed there and fails here; one that failed there too is none."""
    before = RecordedRun(Path("b.json"), {}, (made(0, True), made(1, False), made(2, False)))
    now = held(before, made(0, False), made(1, False), made(2, True), made(3, False))
    (found,) = annotations_of(now, baseline_file="b.json")
    assert (found.level, found.title, found.file) == ("error", "regression", "b.json")
    assert found.message.startswith("bm25-medical-medical-e-s0: ")


def test_a_summary_holds_the_run_and_what_changed() -> None:
    """Scorecard with intervals, regressions, failures by attack type, unscored with reasons."""
    before = RecordedRun(Path("b.json"), {}, (made(0, True), made(1, False)))
    steps = [made(0, False), made(1, True), broken(2, HOSTILE)]
    steps.append(made(3, False, category="privacy", attack="role_play"))
    text = summary_of(held(before, *steps, made(4, True, system="rag")))
    assert "2 of 4 scored steps passed" in text
    assert "rag with offline is not in the baseline; its steps count by themselves." in text
    assert re.search(r"\*\*bm25 with offline\*\* \| \*\*50\.0 \([\d.]+–[\d.]+\)\*\*", text)  # noqa: RUF001
    assert "1 regression, 1 newly passing, 0 failed before too, 1 not in the baseline" in text
    assert "- `bm25-medical-medical-e-s0`" in text
    assert "| `role_play` | 1 of 1 | - |" in text
    assert "1 because: <code>x\\n::set-output" in text
    assert not re.search(r"^(::|##\[)", text, flags=re.MULTILINE)


def test_a_summary_is_as_long_as_github_takes_at_most() -> None:
    """Lists become shorter, and say by how much; at last it is cut at a line and says so."""
    steps = [broken(number, "busy " * 50) for number in range(400)]
    whole = summary_of(run(*steps), limit=1_000_000)
    assert "and 200 more" in whole
    short = summary_of(run(*steps), limit=5_000)
    assert len(short.encode()) <= 5_000
    assert re.search(r"and (350|390|400) more", short)
    least = summary_of(run(*steps), limit=300)
    assert len(least.encode()) <= 300
    assert least.endswith("The summary is cut: it would be too long.\n")


def test_keys_of_the_environment_are_blackened(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the summary as in annotations."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-0123456789abcdef")
    step = broken(0, "refused: sk-0123456789abcdef")
    assert "sk-0123" not in summary_of(run(step))
    assert "sk-0123" not in str(annotations_of(run(step))[0])


def test_rules_of_the_gate_that_do_not_pass_are_told() -> None:
    """A failing one as error, an inconclusive one as warning, a passing one not at all."""
    rulings = (
        Ruling("gatemem.U >= 0.5", "bm25", "offline", Result.FAIL, "it is 10.0", 10.0, 5.0, 20.0),
        Ruling("gatemem.A <= 0.5", "bm25", "offline", Result.PASS, "it is", 10.0, bound=50.0),
        Ruling("unscored <= 2%", "", "", Result.INCONCLUSIVE, "too few"),
    )
    told = run(made(0, True), gate=GateResult(rulings, 1).as_json())
    assert [str(each) for each in annotations_of(told, rules_file="pyproject.toml")] == [
        "::error file=pyproject.toml,title=gate FAIL::"
        "gatemem.U >= 0.5: bm25 with offline: it is 10.0",
        "::warning file=pyproject.toml,title=gate INCONCLUSIVE::unscored <= 2%25: too few",
    ]
    text = summary_of(told)
    assert "### gate: FAIL" in text
    assert "| FAIL | `gatemem.U >= 0.5` | bm25 with offline | 10.0 \\[5.0, 20.0\\] |" in text


def test_a_summary_is_appended(tmp_path: Path) -> None:
    """What an earlier step wrote stays."""
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    assert write_summary("ours \udc80", {"GITHUB_STEP_SUMMARY": str(path)}) is None
    assert path.read_text() == "before\nours ?\n"


def test_a_summary_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """No exception, and the file is named."""
    assert write_summary("x", {}) == (
        "GITHUB_STEP_SUMMARY is not set, so the job's summary is not written"
    )
    missing = tmp_path / "no" / "summary.md"
    found = write_summary("x", {"GITHUB_STEP_SUMMARY": str(missing)})
    assert found == f"the job's summary {missing} cannot be written: No such file or directory"


def test_a_run_of_nothing_has_a_summary() -> None:
    """An unfinished run without outcomes says so."""
    text = summary_of(RecordedRun(Path("run"), {}, ()))
    assert "0 of 0 scored steps passed" in text
    assert "This run was not finished" in text


def test_a_run_in_which_nothing_was_scored_has_a_summary() -> None:
    """Metrics are dashes, and the reason stands there."""
    text = summary_of(
        run(broken(0, "busy"), replace(made(1, None), labels={"category": "utility"}))
    )
    assert "**bm25 with offline** | **-**" in text
    assert "1 because: <code>busy</code>" in text


def test_a_rule_on_which_nothing_was_measured_has_no_unit() -> None:
    """An empty cell stands for what was not measured."""
    ruling = Ruling("a", "s", "m", Result.INCONCLUSIVE, "nothing was scored", bound=1.0, unit="%")
    summary = summary_of(run(made(0, True), gate=GateResult((ruling,), 1).as_json()))
    (row,) = [line for line in summary.splitlines() if line.startswith("| INCONCLUSIVE")]
    assert "%" not in row
