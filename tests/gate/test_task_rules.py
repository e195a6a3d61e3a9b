"""Rules about office tasks: scores in points, shares in percent, gains with their sign."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from made_tasks import task, tasks

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.gate.after import judge_recorded
from pytest_comem.gate.configuration import GateConfiguration
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.results import GateResult, Ruling
from pytest_comem.report.gate import gate_lines

GAINS = [5 + place % 9 for place in range(45)]


def run_of(outcomes: Sequence[Outcome]) -> RecordedRun:
    """Return a run that was finished."""
    data: dict[str, dict[str, str]] = {"contextweave": {}}
    return RecordedRun(Path("run"), {"finished": {"planned": 1}, "data": data}, tuple(outcomes))


def gate(
    rule: str, outcomes: Sequence[Outcome], before: Sequence[Outcome] | None = None
) -> GateResult:
    """Return what a rule comes to."""
    configuration = GateConfiguration((parse_rule(rule, "here"),))
    against = None if before is None else run_of(before)
    return judge_recorded(run_of(outcomes), configuration, against)


def ruling(
    rule: str, outcomes: Sequence[Outcome], before: Sequence[Outcome] | None = None
) -> Ruling:
    """Return the one ruling there is."""
    (found,) = gate(rule, outcomes, before).rulings
    return found


@pytest.mark.parametrize(
    ("rule", "result"),
    [
        ("contextweave.Workspace >= 50", "PASS"),
        ("contextweave.Workspace >= 70", "FAIL"),
        ("contextweave.Workspace >= 59", "INCONCLUSIVE"),
        ("contextweave[bm25].office.Preference >= 40", "PASS"),
        ("contextweave.dWorkspace >= 8", "PASS"),
        ("contextweave.dWorkspace >= 10", "FAIL"),
        ("contextweave.dPreference >= 0", "PASS"),
        ("contextweave.dExploration <= -4", "PASS"),
        ("contextweave.dExploration <= -6", "FAIL"),
        ("contextweave.dWorkspace >= -5", "PASS"),
        ("contextweave.MITR <= 15%", "PASS"),
        ("contextweave.MITR <= 0", "PASS"),
        ("contextweave.Win >= 0.8", "PASS"),
        ("contextweave.RecallTokens <= 1000", "PASS"),
        ("contextweave.RecallTokens <= 800", "FAIL"),
    ],
)
def test_every_kind_of_metric_can_be_ruled(rule: str, result: str) -> None:
    """45 tasks that come to 50 points without recall and gain 9 with it, on average."""
    assert ruling(rule, tasks(GAINS)).result == result


@pytest.mark.parametrize(
    ("rule", "less", "result"),
    [
        ("contextweave.Preference >= baseline - 3", 0, "PASS"),
        ("contextweave.Preference >= baseline - 3", 2, "PASS"),
        ("contextweave.Preference >= baseline - 3", 5, "FAIL"),
        ("contextweave.dPreference >= baseline - 3", 5, "FAIL"),
        ("contextweave.MITR <= baseline", 0, "PASS"),
        ("no new contextweave.misled", 0, "PASS"),
        ("regressions <= 0", 0, "PASS"),
        ("regressions <= 0", 9, "FAIL"),
    ],
)
def test_a_baseline_is_held_against_task_by_task(rule: str, less: int, result: str) -> None:
    """The same tasks with some points less each; what tasks differ by cancels."""
    after = tasks([gain - less for gain in GAINS])
    assert ruling(rule, after, tasks(GAINS)).result == result


def test_points_are_not_taken_for_percent_nor_for_a_difference() -> None:
    """What is told of an absolute score and of a relative one."""
    absolute = gate("contextweave.dWorkspace >= 2", tasks(GAINS))
    text = " ".join(" ".join(gate_lines(absolute, 100)).split())
    assert "score points" in text
    assert "against the baseline" not in text
    relative = gate("contextweave.Preference >= baseline - 3", tasks(GAINS), tasks(GAINS))
    text = " ".join(" ".join(gate_lines(relative, 100)).split())
    assert "more score points against the baseline, bound -3.0" in text


def test_a_task_that_is_newly_misled_fails_the_rule() -> None:
    """It names the task."""
    before = tasks(GAINS)
    after = [*before[1:], task("t0", participant="p0", workspace=20.0, memory_induced=True)]
    found = ruling("no new contextweave.misled", after, before)
    assert found.result == "FAIL"
    assert "t0" in found.reason


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("contextweave.workspace >= 60", "did you mean Workspace"),
        ("contextweave.Workspace >= 60%", "Workspace is no percentage"),
        ("contextweave.Workspace >= 160", "between 0 and 100"),
        ("contextweave.MITR <= 5", "write 5% or a fraction"),
        ("contextweave.MITR <= -5%", "never below 0"),
        ("contextweave.Workspace >= -1", "never below 0"),
        ("no new contextweave.access_leak", "no class of failures of contextweave"),
    ],
)
def test_a_wrong_rule_is_refused(rule: str, problem: str) -> None:
    """Before anything is judged."""
    with pytest.raises(SettingsError, match=problem):
        gate(rule, tasks(GAINS), tasks(GAINS))
