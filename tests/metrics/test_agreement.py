"""Agreement and kappa by their definitions, and which steps are compared."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from pytest_comem.core.outcomes import Outcome, SystemInfo, Verdict
from pytest_comem.core.replies import UNPARSABLE, Reply
from pytest_comem.core.steps import Step
from pytest_comem.evaluators.governance import Scoring
from pytest_comem.metrics.agreement import (
    COMPARED,
    OTHER_REPLY,
    UNMATCHED,
    UNSCORED,
    Agreement,
    Comparison,
    compare_runs,
    compare_with_rules,
)

EXPECTED = {"utility": "answer", "privacy": "refuse", "safety": "no_memory"}


def outcome(
    category: str = "privacy",
    *,
    id: str = "c0",
    model_says: bool | None = None,
    rules_say: bool = False,
    passed: bool = True,
    action: str | None = None,
    text: str = "Hm.",
) -> Outcome:
    """Return an outcome judged by a model, or by the rules where it says nothing."""
    if model_says is not None:
        evidence: dict[str, Any] = {
            "judge": {"finding": model_says, "note": ""},
            "rules": {"finding": rules_say},
        }
    elif category == "utility":
        evidence = {"missing": [] if rules_say else ["blue"]}
    else:
        evidence = {"leaked": ["red"] if rules_say else []}
    return Outcome(
        key="k",
        step=Step("gatemem", "bm25", "medical", "e", id, 0),
        data="tiny",
        system=SystemInfo("bm25", "1", "c"),
        model="m",
        judge="rules-1" if model_says is None else "j@1",
        scoring="paper",
        labels={"category": category, "attack_type": "", "expected_action": EXPECTED[category]},
        query={"text": "What?"},
        reply=Reply(EXPECTED[category] if action is None else action, text),
        verdict=Verdict(passed, "", {}, evidence),
    )


def counts(comparison: Comparison, name: str) -> tuple[int, int, int, int]:
    """Return one row's counts."""
    row = comparison.overall[name]
    return (row.both, row.first, row.second, row.neither)


@pytest.mark.parametrize(
    ("table", "agreement", "kappa"),
    [
        # Computed by hand: 35/50 observed, (25 * 30 + 25 * 20) / 50² = 1/2 expected.
        ((20, 5, 10, 15), 70.0, 0.4),
        # A pair with the same observed agreement and different margins: 0.54 and 0.46 expected.
        ((45, 15, 25, 15), 60.0, (0.60 - 0.54) / 0.46),
        ((25, 35, 5, 35), 60.0, (0.60 - 0.46) / 0.54),
        ((5, 0, 0, 5), 100.0, 1.0),
        ((0, 5, 5, 0), 0.0, -1.0),
        # One judge always says yes: agreement is chance.
        ((6, 2, 0, 0), 75.0, 0.0),
        ((1, 1, 1, 1), 50.0, 0.0),
        # Both say the same throughout: chance agreement is certain.
        ((7, 0, 0, 0), 100.0, None),
        ((0, 0, 0, 7), 100.0, None),
        ((0, 0, 0, 0), None, None),
    ],
)
def test_hand_computed_tables(
    table: tuple[int, int, int, int], agreement: float | None, kappa: float | None
) -> None:
    """Percent agreement and kappa are the definitions' figures, and undefined where those are."""
    row = Agreement(*table)
    assert row.n == sum(table)
    assert row.agreement == (agreement if agreement is None else pytest.approx(agreement))
    assert row.kappa == (kappa if kappa is None else pytest.approx(kappa))


def test_kappa_is_its_definition_on_every_small_table() -> None:
    """Recomputed in exact fractions over lists of answers, for all tables of up to 4 a cell."""
    for table in product(range(5), repeat=4):
        pairs = Counter(dict(zip(product((True, False), repeat=2), table, strict=True)))
        # The table's order is both, first, second, neither: as product() gives the pairs.
        answers = list(pairs.elements())
        row = Agreement()
        for pair in answers:
            row.add(*pair)
        assert (row.both, row.first, row.second, row.neither) == table
        if not answers:
            continue
        observed = Fraction(sum(a == b for a, b in answers), len(answers))
        expected = sum(
            Fraction(sum(a is value for a, _ in answers), len(answers))
            * Fraction(sum(b is value for _, b in answers), len(answers))
            for value in (True, False)
        )
        if expected == 1:
            assert row.kappa is None
        else:
            assert row.kappa == pytest.approx(float((observed - expected) / (1 - expected)))


@pytest.mark.parametrize("category", EXPECTED)
@pytest.mark.parametrize("model_says", [True, False])
@pytest.mark.parametrize("rules_say", [True, False])
def test_a_model_judge_against_the_rules(category: str, model_says: bool, rules_say: bool) -> None:
    """The finding goes to its category, and the rules' verdict follows from their finding."""
    wanted = category == "utility"
    found = compare_with_rules(
        [
            outcome(
                category,
                model_says=model_says,
                rules_say=rules_say,
                passed=model_says is wanted,
            )
        ]
    )
    row = Agreement()
    row.add(model_says, rules_say)
    assert counts(found, category) == (row.both, row.first, row.second, row.neither)
    row = Agreement()
    row.add(model_says is wanted, rules_say is wanted)
    assert counts(found, "passed") == (row.both, row.first, row.second, row.neither)
    assert sum(found.overall[name].n for name in COMPARED) == 2


@pytest.mark.parametrize(
    ("scoring", "action", "passes"),
    [
        (Scoring.PAPER, "answer_redacted", True),
        (Scoring.RELEASE_GATED, "answer_redacted", False),
        (Scoring.PAPER, "answer", False),
        (Scoring.RELEASE_UNGATED, "answer", True),
        (Scoring.RELEASE_UNGATED, UNPARSABLE, False),
    ],
)
def test_the_rules_verdict_counts_the_action_as_the_run_did(
    scoring: Scoring, action: str, passes: bool
) -> None:
    """Each scoring mode decides on the recorded action."""
    one = outcome(model_says=False, passed=True, action=action)
    found = compare_with_rules([replace(one, scoring=str(scoring))])
    assert counts(found, "passed") == ((1, 0, 0, 0) if passes else (0, 1, 0, 0))


@pytest.mark.parametrize("category", EXPECTED)
@pytest.mark.parametrize("finding", [True, False])
def test_a_rule_judge_s_finding_is_read_from_its_evidence(category: str, finding: bool) -> None:
    """Nothing missing means satisfied; nothing leaked means no leak."""
    model = outcome(category, model_says=True)
    found = compare_runs([model], [outcome(category, rules_say=finding)])
    assert counts(found, category) == ((1, 0, 0, 0) if finding else (0, 1, 0, 0))


@pytest.mark.parametrize(
    "other",
    [
        outcome(text="Other."),
        outcome(action="no_memory"),
        replace(outcome(), reply=Reply("refuse", "Hm.", [True])),
        replace(outcome(), query={"text": "Which?"}),
        replace(outcome(), data="other"),
        outcome("safety", action="refuse"),
    ],
)
def test_steps_with_another_reply_are_counted_and_left_out(other: Outcome) -> None:
    """Judges are compared on the same text, question and row only."""
    found = compare_runs([outcome(), outcome(id="c1")], [other, outcome(id="c1")])
    assert found.left_out == {OTHER_REPLY: 1, UNMATCHED: 0}
    assert found.compared == 1


def test_true_is_not_1_in_a_structured_answer() -> None:
    """Structured answers are compared as the JSON that the judges read."""
    one, two = (replace(outcome(), reply=Reply("refuse", "", [value])) for value in (True, 1))
    assert compare_runs([one], [two]).left_out[OTHER_REPLY] == 1
    assert compare_runs([one], [one]).compared == 1


def test_steps_without_a_counterpart_or_verdict_are_left_out() -> None:
    """Whichever run lacks them; an unscored step is neither agreement nor disagreement."""
    unscored = replace(outcome(id="c1"), verdict=None)
    first = [outcome(), unscored, outcome(id="c2"), outcome(id="c3")]
    second = [outcome(), outcome(id="c1"), replace(outcome(id="c2"), verdict=None)]
    found = compare_runs(first, [*second, outcome(id="c4"), outcome(id="c5")])
    assert found.left_out == {UNSCORED: 2, UNMATCHED: 3}
    assert found.compared == 1
    assert compare_with_rules([outcome(model_says=True), unscored]).left_out == {UNSCORED: 1}


def test_systems_models_and_repeats_are_kept_apart() -> None:
    """A step of another system, model or repeat is another row, whatever the order of the files."""
    one = outcome()
    rows = [
        one,
        replace(one, model="n"),
        replace(one, system=SystemInfo("rag", "1", "c"), step=replace(one.step, system="rag")),
        replace(one, step=replace(one.step, repeat=1)),
    ]
    found = compare_runs(rows, rows[::-1])
    assert found.compared == 4
    assert {key: row["passed"].n for key, row in found.systems.items()} == {
        ("bm25", "m"): 2,
        ("bm25", "n"): 1,
        ("rag", "m"): 1,
    }


def test_a_step_recorded_twice_counts_once() -> None:
    """The first record counts, as everywhere; other suites' outcomes do not."""
    other = replace(outcome(id="c1"), step=replace(outcome(id="c1").step, suite="contract"))
    found = compare_runs([outcome(), outcome(rules_say=True), other], [outcome(), other])
    assert counts(found, "privacy") == (0, 0, 0, 1)
    assert found.left_out == {UNMATCHED: 0}


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"judge": {"finding": "true"}, "rules": {"finding": True}},
        {"judge": True, "rules": {"finding": True}},
        {"judge": {"finding": True}},
        {"judge": {"finding": True}, "rules": {}},
    ],
)
def test_a_verdict_that_records_no_finding_is_an_error(evidence: dict[str, Any]) -> None:
    """Nothing is guessed; the step is named."""
    one = replace(outcome(), verdict=Verdict(True, "", {}, evidence))
    with pytest.raises(ValueError, match="bm25-medical-e-c0 does not record"):
        compare_with_rules([one])
