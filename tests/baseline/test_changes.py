"""What has changed since a baseline."""

from __future__ import annotations

from made_runs import all_but, made_run, recorded_run

from pytest_comem.baseline.changes import changes
from pytest_comem.baseline.standing import Baseline, row_of

#: First place of an episode's steps that are none of utility.
BEYOND_UTILITY = 4
ROW = ("gatemem", "bm25", "offline")


def test_steps_are_told_apart() -> None:
    """A regression, a new pass, an expected failure and an unknown step are four things."""
    before = made_run(all_but((0, 0), (0, 1)), episodes=19)
    now = made_run(all_but((0, 1), (5, 2)))
    found = changes(Baseline(recorded_run(before)), ROW, now)
    assert found.regressions == (("office", "e5", "e5_ckpt_2"),)
    assert found.newly_passing == (("medical", "e0", "e0_ckpt_0"),)
    assert found.expected == (("medical", "e0", "e0_ckpt_1"),)
    assert {episode for _, episode, _ in found.unknown} == {"e19"}
    assert found.known == 19 * 8


def test_unscored_steps_have_not_changed() -> None:
    """A step without a verdict, there or here, is neither better nor worse."""
    before = made_run(lambda e, p, r: None if e == 0 else True)
    now = made_run(lambda e, p, r: None if e == 1 else e != 0)
    found = changes(Baseline(recorded_run(before)), ROW, now)
    assert not found.regressed
    assert not found.newly_passing
    assert {episode for _, episode, _ in found.unknown} == {"e0"}


def test_one_unlucky_draw_is_no_regression() -> None:
    """With repeats a step that fails once of five times has not regressed."""
    baseline = Baseline(recorded_run(made_run(repeats=5)), repeats=5)
    now = made_run(lambda e, p, r: (e, p, r) != (0, 0, 2), repeats=5)
    assert not changes(baseline, ROW, now).regressed


def test_a_step_that_always_fails_now_is_one() -> None:
    """With repeats a step that failed in all of them has regressed."""
    baseline = Baseline(recorded_run(made_run(repeats=5)), repeats=5)
    found = changes(baseline, ROW, made_run(all_but((0, 0)), repeats=5))
    assert found.regressions == (("medical", "e0", "e0_ckpt_0"),)


def test_a_memory_that_fails_everywhere_is_worse_however_few_draws_there_are() -> None:
    """One draw against five shows nothing of a step, and everything of the whole."""
    baseline = Baseline(recorded_run(made_run(repeats=5)), repeats=1)
    found = changes(baseline, ROW, made_run(lambda e, p, r: p >= BEYOND_UTILITY))
    assert found.regressions == ()
    assert "U" in dict(found.worse)
    assert found.regressed


def test_expectations_are_by_row() -> None:
    """What another system or model did there says nothing here."""
    baseline = Baseline(recorded_run(made_run(all_but((0, 0)))))
    (first, second) = (made_run(system=name)[0] for name in ("bm25", "other"))
    assert row_of(first) in baseline
    expected = baseline.expectation(first)
    assert expected is not None
    assert expected.fails
    assert baseline.expectation(second) is None


def test_a_rate_is_said() -> None:
    """With repeats a failure is expected, and the baseline's rate is its reason."""
    there = made_run(lambda e, p, r: r < 3, repeats=5)
    expected = Baseline(recorded_run(there), repeats=5).expectation(there[0])
    assert expected is not None
    assert expected.fails
    assert expected.reason == "passed 3 of 5 times in the baseline"
