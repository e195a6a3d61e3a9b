"""The figures of a comparison: what flipped, what is missing, what it cost, what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from made_outcomes import made

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.report.comparison import Compared, compare_runs, grouped
from pytest_comem.report.spending import Spent


def run(path: str, outcomes: Iterable[Outcome], **finished: object) -> RecordedRun:
    """Return a run that was finished."""
    return RecordedRun(Path(path), {"finished": {"planned": 1, **finished}}, tuple(outcomes))


def compared(before: Iterable[Outcome], after: Iterable[Outcome]) -> Compared:
    """Return the one comparison of two runs."""
    (found,) = compare_runs([run("a", before), run("b", after)]).rows
    return found


def privacy(number: int, passed: bool | None, **more: str) -> Outcome:
    """Return an access-control step."""
    return made(number, passed, category="privacy", attack="role_play", **more)  # type: ignore[arg-type]


def test_a_flip_has_its_label_and_groups() -> None:
    """Lost and gained steps stand by attack type and domain; equal steps nowhere."""
    before = [made(0, True), privacy(1, True), privacy(2, False, domain="office"), made(3, False)]
    after = [made(0, True), privacy(1, False), privacy(2, True, domain="office"), made(3, False)]
    found = compared(before, after)
    assert [flip.label for flip in found.lost] == ["bm25-medical-medical-e-s1"]
    assert [flip.label for flip in found.gained] == ["bm25-office-office-e-s2"]
    assert grouped(found.flips, "attack_type") == {"role_play": (1, 1)}
    assert grouped(found.flips, "domain") == {"medical": (1, 0), "office": (0, 1)}
    assert grouped(found.flips, "topology") == {}
    assert (found.mcnemar.gained, found.mcnemar.lost, found.mcnemar.p) == (1, 1, 1.0)
    assert found.differences["U"].difference == 0


def test_figures_are_of_the_steps_scored_in_both() -> None:
    """A step without a verdict on one side counts on neither, and is named with its reason."""
    found = compared(
        [made(0, True), made(1, True), made(2, None)],
        [made(0, False), made(1, None), made(2, True), made(3, True)],
    )
    assert (found.common, found.episodes) == (1, 1)
    assert (found.differences["U"].before, found.differences["U"].after) == (100, 0)
    assert found.before.unscored == {"bm25-medical-medical-e-s2": "the model was busy"}
    assert found.only_before == ("bm25-medical-medical-e-s1",)
    assert found.only_after == ("bm25-medical-medical-e-s2", "bm25-medical-medical-e-s3")


def test_other_systems_and_models_are_compared_step_by_step() -> None:
    """Labels differ in the system, and steps are the same nevertheless."""
    found = compared([made(0, True)], [made(0, False, system="mem0", model="m/x")])
    assert [flip.label for flip in found.flips] == ["mem0-medical-medical-e-s0"]
    assert str(found.after) == "mem0 with m/x"


def test_what_was_spent_stands_by_phase_and_in_total() -> None:
    """Tokens, dollars, seconds; what nothing was spent on is left out, what is unknown is None."""
    before = {"ingest": Usage(1.0, 10, 0.5, 1), "judge": Usage(0.5)}
    after = {"ingest": Usage(3.0, 25, None, 1), "probe": Usage(1.0, 5, 0.25, 1)}
    found = compared([made(0, True, usage=before)], [made(0, True, usage=after)])
    assert found.spent == (
        Spent("tokens", "ingest", 10, 25),
        Spent("tokens", "probe", 0, 5),
        Spent("tokens", "total", 10, 30),
        Spent("cost", "ingest", 0.5, None),
        Spent("cost", "probe", 0.0, 0.25),
        Spent("cost", "total", 0.5, None),
        Spent("seconds", "ingest", 1.0, 3.0),
        Spent("seconds", "judge", 0.5, 0.0),
        Spent("seconds", "probe", 0.0, 1.0),
        Spent("seconds", "total", 1.5, 4.0),
    )
    assert [each.change for each in found.spent[2:4]] == [20, None]


def test_where_one_side_knows_of_no_cost_nothing_is_said_of_it() -> None:
    """A baseline's file holds none, which is not the same as nothing spent."""
    usage = {"answer": Usage(1.0, 10, 0.5, 1)}
    assert compared([made(0, True)], [made(0, True, usage=usage)]).spent == ()


def test_a_difference_in_one_direction_is_called_better_or_worse() -> None:
    """Forty episodes all turn: U falls and A rises, both for the worse, and significantly."""
    steps = [
        replace(step, step=replace(step.step, episode=f"e{number}"))
        for number in range(40)
        for step in (made(0, True), privacy(1, True))
    ]
    turned = [
        replace(step, verdict=step.verdict and replace(step.verdict, passed=False))
        for step in steps
    ]
    found = compared(steps, turned)
    assert (found.differences["U"].difference, found.differences["A"].difference) == (-100, 100)
    assert (found.verdict("U"), found.verdict("A")) == ("worse", "worse")
    back = compared(turned, steps)
    assert (back.verdict("U"), back.verdict("A")) == ("better", "better")
    assert compared(steps, steps).verdict("U") == ""


def test_each_run_is_compared_with_the_first() -> None:
    """Three runs are two comparisons; notes say which run is not whole."""
    runs = [run("a", [made(0, True)]), run("b", [made(0, False)], ended="the budget is spent")]
    runs.append(RecordedRun(Path("c"), {"finished": None}, (made(0, True),)))
    found = compare_runs(runs)
    assert [(str(row.before.run), str(row.after.run)) for row in found.rows] == [
        ("a", "b"),
        ("a", "c"),
    ]
    assert found.notes == ("c was not finished", "b was ended early: the budget is spent")


def test_everything_that_forbids_it_is_told_at_once() -> None:
    """Judge and scoring of one run, data of another."""
    first, step = run("a", [made(0, True)]), made(0, True)
    others = [
        run("b", [replace(step, judge="m/judge", scoring="release-gated")]),
        run("c", [replace(step, data="new")]),
    ]
    with pytest.raises(SettingsError) as caught:
        compare_runs([first, *others])
    assert str(caught.value).splitlines() == [
        "the runs cannot be compared:",
        "  gatemem scoring: paper in a; release-gated in b",
        "  gatemem judge: rules-1 in a; m/judge in b",
        "  gatemem data: made in a; new in c",
    ]


def test_nothing_in_common_is_an_error() -> None:
    """Two runs over other steps, or without a verdict, have no difference."""
    with pytest.raises(SettingsError, match=r"no step of gatemem is scored both in a .* and in b"):
        compared([made(0, True), made(1, None)], [made(1, True)])


def test_the_order_of_outcomes_changes_nothing() -> None:
    """Reversed files make the same comparison."""
    before = [made(number, number % 3 > 0) for number in range(12)]
    after = [made(number, number % 4 > 0) for number in range(12)]
    assert compared(before, after) == compared(before[::-1], after[::-1])
