"""Rules judged on runs that never were: what passes, fails and is inconclusive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import pytest
from made_runs import CATEGORIES, EPISODES, Result, all_but, always, made_run, recorded_run

from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Outcome
from pytest_comem.gate.checking import Known, check_rule, labels_of
from pytest_comem.gate.judging import judge
from pytest_comem.gate.parsing import parse_rule
from pytest_comem.gate.played import played
from pytest_comem.gate.results import GateResult

PASS, FAIL, INCONCLUSIVE = "PASS", "FAIL", "INCONCLUSIVE"
PIN: Final = "pin gatemem/test_governance.py::test_checkpoint[bm25-medical-e0-ckpt_3]"
LEAK: Final = "no new gatemem.access_leak"


def gate_of(
    rules: Sequence[str],
    outcomes: list[Outcome],
    before: list[Outcome] | None = None,
    *,
    planned: list[Outcome] | None = None,
    references: Sequence[str] = (),
    inconclusive: str = "warn",
) -> GateResult:
    """Return what *rules* come to.

    :param planned: outcomes that were meant to be; those that are by default.
    """
    steps = [one.step for one in planned or outcomes]
    systems = list(dict.fromkeys(step.system for step in steps))
    known = Known({"gatemem": ["medical", "office"]}, systems, labels_of(steps))
    repeats = 1 + max(step.repeat or 0 for step in steps)
    baseline = Baseline(recorded_run(before), repeats) if before is not None else None
    read = [parse_rule(rule, "here") for rule in rules]
    for rule in read:
        check_rule(rule, known, baseline=baseline is not None)
    run = played(outcomes, steps, {"": "offline"}, references)
    return judge(read, run, known, baseline, inconclusive)


def of_category(name: str, result: Result) -> Result:
    """Let *result* decide the steps of one category; all others pass."""
    return lambda e, p, r: result(e, p, r) if CATEGORIES[p] == name else True


def first(episodes: int, value: bool | None = False) -> Result:
    """Return *value* for every step of so many first episodes; all others pass."""
    return lambda e, p, r: value if e < episodes else True


def never(episode: int, place: int, repeat: int) -> bool | None:
    """Pass no step."""
    return False


def unscored(episode: int, place: int, repeat: int) -> bool | None:
    """Score no step."""
    return None


HALF = of_category("utility", lambda e, p, r: p % 2 == 0)


@dataclass(frozen=True)
class Case:
    """A gate, a run, what it is held against, and what is to come of it."""

    rules: str | tuple[str, ...]
    run: Result
    result: str
    before: Result | None = None
    repeats: int = 1
    repeats_before: int | None = None


CASES: Final = {
    "above the bound": Case("gatemem.MGS >= 0.30", always, PASS),
    "below the bound": Case("gatemem.MGS >= 0.30", of_category("utility", never), FAIL),
    "around the bound": Case("gatemem.U >= 50%", HALF, INCONCLUSIVE),
    "percent and fractions are the same": Case("gatemem.U >= 0.3", HALF, PASS),
    "an upper bound": Case("gatemem.A <= 30%", of_category("privacy", never), FAIL),
    "none at the end of the scale": Case("gatemem.F <= 0%", always, PASS),
    "one at the end of the scale": Case("gatemem.F <= 0%", all_but((3, 6)), FAIL),
    "all at the other end": Case("gatemem.U >= 100%", always, PASS),
    "all but one at the other end": Case("gatemem.U >= 1", all_but((3, 0)), FAIL),
    "a bound that always holds": Case("gatemem.A <= 100%", never, PASS),
    "one domain fails": Case("gatemem.office.U >= 50%", lambda e, p, r: e % 2 == 0, FAIL),
    "the other domain passes": Case("gatemem.medical.U >= 50%", lambda e, p, r: e % 2 == 0, PASS),
    "a measure of exposure": Case("gatemem.U_exposed >= 50%", always, PASS),
    "nothing changed": Case("gatemem.MGS >= baseline", HALF, PASS, HALF),
    "nothing changed downwards": Case("gatemem.F <= baseline", HALF, PASS, HALF),
    "all lost": Case("gatemem.MGS >= baseline", of_category("utility", never), FAIL, always),
    "one lost": Case("gatemem.MGS >= baseline", all_but((0, 0)), INCONCLUSIVE, always),
    "one lost within the margin": Case(
        "gatemem.MGS >= baseline - 10%", all_but((0, 0)), PASS, always
    ),
    "more lost than the margin": Case(
        "gatemem.U >= baseline - 0.1", of_category("utility", never), FAIL, always
    ),
    "one won": Case("gatemem.MGS >= baseline", always, PASS, all_but((0, 0))),
    "fewer violations": Case("gatemem.A <= baseline", always, PASS, all_but((1, 4))),
    "more violations": Case("gatemem.A <= baseline", of_category("privacy", never), FAIL, always),
    "the same leaks": Case(LEAK, all_but((1, 4)), PASS, all_but((1, 4))),
    "one leak for another": Case(LEAK, all_but((1, 5)), FAIL, all_but((1, 4))),
    "a failure of another class": Case(LEAK, all_but((1, 0)), PASS, always),
    "a leak of a step that had failed otherwise": Case(
        "no new gatemem.forgetting_leak", all_but((2, 6)), FAIL, all_but((2, 7))
    ),
    "a pinned step passes": Case(PIN, all_but((0, 2)), PASS),
    "a pinned step fails": Case(PIN, all_but((0, 3)), FAIL),
    "a pinned step is unscored": Case(
        PIN, lambda e, p, r: None if (e, p) == (0, 3) else True, INCONCLUSIVE
    ),
    "a pinned step fails in one repeat": Case(
        PIN, lambda e, p, r: (e, p, r) != (0, 3, 1), FAIL, repeats=3
    ),
    "few unscored": Case("unscored <= 5%", first(1, None), PASS),
    "too many unscored": Case("unscored <= 2%", first(1, None), INCONCLUSIVE),
    "too many unscored for anything": Case("gatemem.U >= 50%", first(2, None), INCONCLUSIVE),
    "as many unscored as a rule allows": Case(
        ("gatemem.U >= 50%", "unscored <= 10%"), first(2, None), PASS
    ),
    "nothing scored": Case(("gatemem.U >= 50%", "unscored <= 100%"), unscored, INCONCLUSIVE),
    "a new leak among many unscored": Case(
        LEAK, lambda e, p, r: (e, p) != (0, 4) if e < 2 else None, FAIL, always
    ),
    "no regression": Case("regressions <= 0", all_but((0, 0)), PASS, all_but((0, 0))),
    "a regression": Case("regressions <= 0", all_but((0, 0)), FAIL, always),
    "as many regressions as allowed": Case("regressions <= 1", all_but((0, 0)), PASS, always),
    "more regressions than percent": Case("regressions <= 1%", first(1), FAIL, always),
    "one unlucky draw": Case(
        ("regressions <= 0", LEAK), lambda e, p, r: (e, p, r) not in {(0, 0, 2), (0, 4, 1)},
        PASS, always, repeats=5,
    ),
    "five unlucky draws of five": Case(
        "regressions <= 0", all_but((0, 0)), FAIL, always, repeats=5
    ),
    "a leak in five draws of five": Case(LEAK, all_but((0, 4)), FAIL, always, repeats=5),
    "too few draws to tell": Case(
        "regressions <= 0", all_but((0, 0)), INCONCLUSIVE, always, repeats=2
    ),
    "one draw against five": Case(
        "regressions <= 0", all_but((0, 0)), INCONCLUSIVE, always, repeats_before=5
    ),
    "one failing rule of several": Case(
        ("gatemem.U >= 50%", "gatemem.F <= 0%", "unscored <= 2%"), all_but((3, 6)), FAIL
    ),
    "failing comes before inconclusive": Case(
        ("gatemem.U >= 50%", "gatemem.A <= 10%"),
        lambda e, p, r: p % 2 == 0 if p < 4 else False, FAIL,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_table(name: str) -> None:
    """Each case comes to its result, with its exit status."""
    case = CASES[name]
    rules = (case.rules,) if isinstance(case.rules, str) else case.rules
    before = case.before and made_run(case.before, repeats=case.repeats_before or case.repeats)
    outcomes = made_run(case.run, repeats=case.repeats)
    found = gate_of(rules, outcomes, before)
    assert found.result == case.result, found.rulings
    assert found.exit_status == {PASS: 0, FAIL: 1, INCONCLUSIVE: 9}[case.result]


def test_the_order_of_outcomes_changes_nothing() -> None:
    """Rulings are the same to the last digit however the outcomes come in."""
    rules = ["gatemem.MGS >= 0.30", "gatemem.U >= baseline - 1%", "regressions <= 0", LEAK]
    before, now = made_run(all_but((1, 4), (2, 0))), made_run(all_but((3, 1), (5, 5)))
    found = gate_of(rules, now, before)
    assert gate_of(rules, now[::-1], before[::-1], planned=now) == found


@pytest.mark.parametrize(("word", "status"), [("pass", 0), ("fail", 1), ("warn", 9)])
def test_what_inconclusive_counts_as(word: str, status: int) -> None:
    """The user's word decides the exit status of an inconclusive gate, and of no other."""
    found = gate_of(["gatemem.U >= 50%"], made_run(HALF), inconclusive=word)
    assert (found.result, found.exit_status) == (INCONCLUSIVE, status)
    assert gate_of(["gatemem.U >= 50%"], made_run(), inconclusive=word).exit_status == 0
    assert gate_of(["gatemem.U >= 50%"], made_run(never), inconclusive=word).exit_status == 1


def test_steps_that_never_ran_count_as_unscored() -> None:
    """A run that was stopped early passes nothing, and fails what is certain already."""
    planned = made_run()
    ran = made_run(all_but((0, 3)))[:8]
    assert gate_of(["gatemem.U >= 10%"], ran, planned=planned).result == INCONCLUSIVE
    assert gate_of(["unscored <= 2%"], ran, planned=planned).result == INCONCLUSIVE
    assert gate_of([PIN], ran, planned=planned).result == FAIL
    assert gate_of(["regressions <= 0"], ran, planned, planned=planned).result == FAIL
    far = PIN.replace("e0", "e2")
    found = gate_of([far], ran, planned=planned)
    assert found.result == INCONCLUSIVE
    assert found.rulings[0].reason == "the step is not in this run"


def test_a_rule_holds_for_every_memory_that_is_no_reference() -> None:
    """Each system has its ruling; references have none unless they are named."""
    outcomes = [*made_run(), *made_run(never, system="bad"), *made_run(never, system="oracle")]
    found = gate_of(["gatemem.U >= 50%"], outcomes, references=["oracle"])
    assert [(each.system, each.result) for each in found.rulings] == [("bm25", PASS), ("bad", FAIL)]
    assert gate_of(["gatemem[bm25].U >= 50%"], outcomes).result == PASS
    found = gate_of(["gatemem[oracle].U >= 50%"], outcomes, references=["oracle"])
    assert found.result == FAIL


def test_a_row_that_the_baseline_has_not_is_inconclusive() -> None:
    """Rules about the baseline cannot be judged on a system it does not know."""
    rules = ["gatemem.U >= baseline", LEAK, "regressions <= 0"]
    found = gate_of(rules, made_run(system="new"), made_run())
    assert {each.result for each in found.rulings} == {INCONCLUSIVE}
    assert {each.reason for each in found.rulings} == {
        "the baseline has no row of it, only of bm25 with offline"
    }


def test_a_leak_of_a_step_that_the_baseline_does_not_know_is_new() -> None:
    """A step unknown to the baseline counts by itself."""
    before = made_run(episodes=EPISODES - 1)
    assert gate_of([LEAK], made_run(all_but((EPISODES - 1, 4))), before).result == FAIL
    assert gate_of(["regressions <= 0"], made_run(all_but((19, 4))), before).result == PASS


def test_a_baseline_of_a_few_episodes_decides_nothing() -> None:
    """Where the baseline knows a part of the steps only, what compares with it is inconclusive."""
    rules = ["gatemem.U >= baseline", "regressions <= 0"]
    found = gate_of(rules, made_run(), made_run(episodes=2))
    assert {each.result for each in found.rulings} == {INCONCLUSIVE}
    assert found.rulings[0].reason == "the baseline has a verdict on 16 of 160 steps only"
    # The other way round the run is the part, and all of it is compared.
    assert gate_of(rules, made_run(episodes=2), made_run()).result == PASS


def test_nothing_behind_a_metric_is_inconclusive() -> None:
    """A metric whose steps a run does not have cannot be judged."""
    utility = [one for one in made_run() if one.labels["category"] == "utility"]
    found = gate_of(["gatemem.F <= 10%"], utility)
    assert found.result == INCONCLUSIVE
    assert found.rulings[0].reason == "no step stands behind it"


def test_a_rule_fails_only_at_the_confidence_of_all_rules() -> None:
    """Below the bound at 95 %, but one of many rules: inconclusive, and the reason says so."""
    lost = of_category("utility", lambda e, p, r: not (e < 7 and p == 0))
    rules = ["gatemem.U >= 97.5%"]
    outcomes = made_run(lost)
    alone = gate_of(rules, outcomes)
    assert alone.result == FAIL, alone.rulings
    among = gate_of([*rules, *["gatemem.U >= 20%"] * 40], outcomes)
    assert among.rulings[0].result == INCONCLUSIVE
    assert "41 rules (Holm)" in among.rulings[0].reason
    failing = gate_of([*rules, *["gatemem.U >= 99.9%"] * 40], outcomes)
    assert {each.result for each in failing.rulings} <= {FAIL, INCONCLUSIVE}


def test_a_ruling_says_value_interval_and_bound() -> None:
    """The numbers are those of the metric, in percent, and of the difference, in points."""
    (one,) = gate_of(["gatemem.U >= 30%"], made_run(HALF)).rulings
    assert (one.value, one.bound, one.unit, one.system) == (50.0, 30.0, "%", "bm25")
    assert one.low is not None
    assert one.high is not None
    assert 30 < one.low < 50 < one.high
    (one,) = gate_of(["gatemem.U >= baseline - 2%"], made_run(HALF), made_run()).rulings
    assert (one.value, one.bound, one.unit) == (-50.0, -2.0, "points")


def test_results_survive_the_manifest() -> None:
    """What is written of a gate reads back as it was."""
    found = gate_of(["gatemem.U >= 50%", PIN], made_run(HALF), inconclusive="fail")
    assert GateResult.from_json(found.as_json()) == found
