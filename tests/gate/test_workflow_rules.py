"""Rules about workflows: shares with their families, tokens, and what a node was misled by."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from made_workflows import DEFECT, families, node, pairs, play

from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.gate.after import judge_recorded
from pytest_comem.gate.configuration import GateConfiguration
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.played import recorded
from pytest_comem.gate.results import GateResult, Ruling
from pytest_comem.report.gate import gate_lines


def run_of(outcomes: Sequence[Outcome]) -> RecordedRun:
    """Return a run that was finished."""
    data: dict[str, dict[str, str]] = {"comembench": {}}
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
        ("comembench.ICS >= 60%", "PASS"),
        ("comembench.ICS >= 0.95", "FAIL"),
        ("comembench.ICS >= 80%", "INCONCLUSIVE"),
        ("comembench[bm25].offline_retrieval.ICS >= 60%", "PASS"),
        ("comembench.SR >= 70%", "PASS"),
        ("comembench.VNCR >= 70%", "PASS"),
        ("comembench.VNCR >= 99%", "FAIL"),
        ("comembench.VHS >= 80%", "PASS"),
        ("comembench.tokens <= 33", "PASS"),
        ("comembench.tokens <= 32", "FAIL"),
        ("comembench.tokens >= 20", "PASS"),
    ],
)
def test_every_metric_can_be_ruled(rule: str, result: str) -> None:
    """Of 80 pairs in 20 families, four each, 64 keep their target; an instance takes 33 tokens."""
    outcomes = families([4, 3, 3, 4, 2] * 4)
    assert ruling(rule, outcomes).result == result


def test_a_rule_knows_of_families() -> None:
    """Half of all pairs: that it is above 30 % is sure where families are alike, else not."""
    rule = "comembench.ICS >= 30%"
    assert ruling(rule, families([2] * 12)).result == "PASS"
    assert ruling(rule, families([4, 0] * 6)).result == "INCONCLUSIVE"


def test_too_few_pairs_decide_nothing() -> None:
    """Nine pairs that all keep their target are no evidence."""
    found = ruling("comembench.ICS >= 10%", pairs(9, 9))
    assert found.result == "INCONCLUSIVE"
    assert found.reason == "fewer than 10 pairs stand behind it"


@pytest.mark.parametrize(
    ("rule", "kept", "result"),
    [
        ("comembench.ICS >= baseline - 5%", 12, "PASS"),
        ("comembench.ICS >= baseline - 5%", 0, "FAIL"),
        ("comembench.ICS >= baseline - 5%", 11, "INCONCLUSIVE"),
        ("comembench.SR >= baseline", 0, "PASS"),
        ("no new comembench.misled", 12, "PASS"),
        ("no new comembench.misled", 11, "FAIL"),
        ("no new comembench.blocked", 11, "PASS"),
        ("regressions <= 0", 11, "FAIL"),
    ],
)
def test_a_baseline_is_held_against_family_by_family(rule: str, kept: int, result: str) -> None:
    """Before, all of twelve families kept their pair's target."""
    assert ruling(rule, pairs(12, kept), pairs(12, 12)).result == result


def test_tokens_are_held_against_the_baseline_in_tokens() -> None:
    """30 more for each of 24 instances; neither percent nor points."""
    before, after = pairs(12, 12, tokens=10), pairs(12, 12, tokens=20)
    found = ruling("comembench.tokens <= baseline + 10", after, before)
    assert (found.result, found.unit, found.value) == ("FAIL", "more tokens", 30.0)
    result = gate("comembench.tokens <= baseline + 10", after, before)
    text = " ".join(" ".join(gate_lines(result, 100)).split())
    assert "+30.0 [+30.0, +30.0] more tokens against the baseline, bound +10.0" in text
    assert ruling("comembench.tokens <= baseline + 40", after, before).result == "PASS"


@pytest.mark.parametrize(
    ("rule", "problem"),
    [
        ("comembench.ics >= 60%", "did you mean ICS"),
        ("comembench.ICS >= 60", "write 60% or a fraction"),
        ("comembench.tokens <= 5%", "tokens is no percentage"),
        ("no new comembench.access_leak", "no class of failures of comembench"),
    ],
)
def test_a_wrong_rule_is_refused(rule: str, problem: str) -> None:
    """Before anything is judged."""
    with pytest.raises(SettingsError, match=problem):
        gate(rule, pairs(12, 12), pairs(12, 12))


def test_a_family_in_quarantine_counts_for_no_row() -> None:
    """Its verdicts on another system do not either: they are unscored steps there."""
    outcomes = [
        *pairs(12, 12, system="none"),
        *play("wrong", False, False, system="none"),
        *pairs(12, 12),
        *play("wrong", True, True)[:2],
        node("wrong", "end", False, failure=DEFECT),
    ]
    played = recorded(run_of(outcomes))
    assert {row[1]: played.unscored(row) for row in played.rows} == {
        "none": (3, 75),
        "bm25": (3, 75),
    }
    found = gate("comembench.SR >= 70%", outcomes)
    assert [(each.result, each.value) for each in found.rulings] == [("PASS", 100.0)] * 2


def test_a_baseline_with_a_family_in_quarantine_knows_nothing_of_it() -> None:
    """What was wrong then is no evidence now."""
    before = [
        *pairs(12, 12),
        *play("wrong", True, True)[:2],
        node("wrong", "end", False, failure=DEFECT),
    ]
    baseline = Baseline(run_of(before))
    (row,) = baseline.rows
    scored = {step[1]: standing.scored for step, standing in baseline.steps(row).items()}
    assert scored["wrong.clean"] == 0
    assert scored["f0.clean"] == 1
