"""A run's sums: repeats, costs and order."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import permutations

import pytest
from made_outcomes import UNREADABLE, made

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.metrics.repeats import AllPassed, estimate_of_domains
from pytest_comem.metrics.sheet import Sheet, SystemSheet

#: Category of each step, and whether it passes in the first and in the second repeat.
STEPS = (
    ("utility", True, True),
    ("utility", True, False),
    ("privacy", True, True),
    ("privacy", True, False),
    ("safety", True, True),
)
T1 = 12.7062047


def twice() -> Iterator[Outcome]:
    """Yield two repeats of five steps."""
    for repeat in (0, 1):
        for number, (category, *passed) in enumerate(STEPS):
            yield made(number, passed[repeat], category=category, repeat=repeat)


def filled(*outcomes: Outcome, repeats: int = 1) -> Sheet:
    """Return a sheet of *outcomes*."""
    sheet = Sheet(repeats)
    for outcome in outcomes:
        assert sheet.add(outcome, outcome.step.label)
    return sheet


def only(sheet: Sheet) -> SystemSheet:
    """Return the one row of *sheet*."""
    ((_, row),) = sheet
    return row


def test_a_metric_is_the_mean_of_its_repeats() -> None:
    """U is 100 and 50, A is 0 and 50, F is 0 and 0, so MGS is 100 and 25: on average 62.5.

    The product of the averages would be 56.25. Of two values 2 d apart the deviation is d times the
    root of 2, so half an interval is d times t.
    """
    row = only(filled(*twice()))
    expected = {"U": (75, 25), "A": (25, 25), "F": (0, 0), "MGS": (62.5, 37.5)}
    for metric, (mean, distance) in expected.items():
        found = row.overall.estimate(metric)
        assert found is not None
        assert found.mean == mean
        assert found.half == pytest.approx(distance * T1)
    assert row.overall.scored == 10


def test_passing_once_and_passing_always() -> None:
    """All and three of five steps pass: 80 percent once, three in both repeats."""
    sheet = filled(*twice())
    once = only(sheet).overall.estimate("passed_share")
    assert once is not None
    assert once.mean == 80
    assert once.half == pytest.approx(20 * T1)
    assert sheet.in_all_repeats(only(sheet)) == AllPassed(passed=3, steps=5, left_out=0)


def test_a_step_that_was_not_scored_each_time_is_left_out_of_passing_always() -> None:
    """Neither an error nor a repeat that never ran counts for or against."""
    sheet = filled(
        made(1, True, repeat=0),
        made(1, True, repeat=1),
        made(2, True, repeat=0),
        made(2, None, repeat=1),
        made(3, False, repeat=1),
    )
    assert sheet.in_all_repeats(only(sheet)) == AllPassed(passed=1, steps=1, left_out=2)
    assert only(sheet).unscored == 1


def test_a_repeat_that_never_began_is_known_from_the_settings() -> None:
    """With three repeats wanted and two recorded, nothing passed always."""
    sheet = filled(*twice(), repeats=3)
    assert sheet.in_all_repeats(only(sheet)) == AllPassed(passed=0, steps=0, left_out=5)


def test_a_run_without_repeats_has_no_interval() -> None:
    """One value is a mean without a width."""
    row = only(filled(made(1, True), made(2, False)))
    found = row.overall.estimate("U")
    assert found is not None
    assert (found.mean, found.half) == (50, None)
    assert row.overall.estimate("A") is None


def test_the_mean_of_domains_is_taken_within_each_repeat() -> None:
    """Of a repeat that lacks a domain, the others count."""
    sheet = filled(
        made(1, True, repeat=0),
        made(2, False, domain="office", repeat=0),
        made(1, True, repeat=1),
    )
    found = estimate_of_domains(only(sheet).domains, "U")
    assert found is not None
    assert found.mean == 75
    assert found.half == pytest.approx(25 * T1)


def test_costs_are_summed_by_phase_until_one_is_unknown() -> None:
    """An unknown price makes its phase unknown, and no other."""
    known = {"answer": Usage(1.0, 10, 0.25, 1, 2), "judge": Usage(0.5, 5, 0.5, 1)}
    unknown = {"answer": Usage(1.0, 10, None, 1), "other": Usage(0.0, 1, 0.125, 1)}
    row = only(filled(made(1, True, usage=known), made(2, True, usage=unknown)))
    assert row.usage["answer"] == Usage(2.0, 20, None, 2, 2)
    assert row.usage["judge"] == Usage(0.5, 5, 0.5, 1, 0)
    assert row.usage["ingest"] == Usage()
    assert row.usage["other"] == Usage(0.0, 1, 0.125, 1, 0)
    assert (row.calls, row.tokens) == (4, 26)
    again = filled(made(1, True, usage=unknown), made(2, True, usage=known))
    assert only(again).usage["answer"].cost is None


def test_an_unreadable_answer_is_scored_and_counted() -> None:
    """It fails, has a verdict, and is told apart from what nobody scored."""
    sheet = filled(made(1, False, failure=UNREADABLE), made(2, True), made(3, None))
    row = only(sheet)
    assert (row.unparsable, row.unscored, row.overall.scored, sheet.scored) == (1, 1, 2, 2)
    assert sheet.is_scored(made(1, False).step.label)
    assert sheet.reasons() == {"the model was busy": 1}


def test_rows_are_systems_with_models_in_the_order_given() -> None:
    """Whichever reports first, under xdist or not."""
    outcomes = [
        made(1, True, system=system, model=model, label=model, domain=domain)
        for system, model, domain in (
            ("b", "y", "office"), ("b", "x", "medical"), ("a", "y", "medical"),
            ("a", "x", "office"), ("a", "x", "medical"),
        )
    ]  # fmt: skip
    for order in permutations(outcomes):
        sheet = filled(*order)
        sheet.arrange(["b", "a"], ["office", "medical"], ["y", "x"])
        assert [row for row, _ in sheet] == [("b", "y"), ("b", "x"), ("a", "y"), ("a", "x")]
        assert list(dict(sheet)["a", "x"].domains) == ["office", "medical"]


def test_models_that_are_not_named_come_by_name() -> None:
    """The order does not depend on who reports first without their names either."""
    for order in permutations([made(1, True, model=model, label=model) for model in "zxy"]):
        sheet = filled(*order)
        sheet.arrange(["bm25"], ["medical"])
        assert [model for (_, model), _ in sheet] == ["x", "y", "z"]


def test_a_step_takes_little_memory() -> None:
    """Less than a kilobyte stays of an outcome, repeats and their labels included."""
    sheet = Sheet()
    steps = 1000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for number in range(steps):
            for repeat in range(3):
                outcome = made(number, True, repeat=repeat)
                sheet.add(outcome, outcome.step.label)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert len(sheet) == 3 * steps
    assert grown / len(sheet) < 1000
