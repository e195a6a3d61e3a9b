"""When a step has changed: by definition without repeats, by an exact test with them."""

from __future__ import annotations

import random

import pytest
from scipy.stats import false_discovery_control, fisher_exact

from pytest_comem.baseline.evidence import LEVEL, Draws, grown


def _fisher(step: Draws) -> float:
    table = [
        [step.after, step.of_after - step.after],
        [step.before, step.of_before - step.before],
    ]
    return float(fisher_exact(table, alternative="greater").pvalue)


def test_without_repeats_a_step_is_what_it_is() -> None:
    """Seen now and not before is new; anything else is not."""
    steps = {
        "new": Draws(0, 1, 1, 1),
        "old": Draws(1, 1, 1, 1),
        "gone": Draws(1, 1, 0, 1),
        "unscored before": Draws(0, 0, 1, 1),
        "unscored now": Draws(0, 1, 0, 0),
    }
    assert grown(steps, drawn=False) == ["new"]


def test_one_unlucky_draw_is_no_evidence() -> None:
    """A step that failed once in five where it never did before has not changed."""
    assert grown({"a": Draws(0, 5, 1, 5), "b": Draws(0, 5, 0, 5)}, drawn=True) == []
    assert grown({"a": Draws(0, 5, 1, 1)}, drawn=True) == []


@pytest.mark.parametrize("others", [0, 2000])
def test_what_always_fails_now_is_evidence_however_many_steps_are_steady(others: int) -> None:
    """Never in five before and five times now is found, among any number of steady steps."""
    steps = {str(number): Draws(0, 5, 0, 5) for number in range(others)}
    assert grown({**steps, "lost": Draws(0, 5, 5, 5)}, drawn=True) == ["lost"]


def test_everything_lost_is_found_step_by_step() -> None:
    """Many steps that are lost together do not hide each other."""
    steps = {number: Draws(0, 3, 3, 3) for number in range(300)}
    assert grown(steps, drawn=True) == list(steps)


def test_the_test_is_fishers() -> None:
    """A single step is found exactly where scipy's test has at most the level."""
    for of_before in range(1, 7):
        for of_after in range(1, 7):
            for before in range(of_before + 1):
                for after in range(of_after + 1):
                    step = Draws(before, of_before, after, of_after)
                    found = grown({0: step}, drawn=True)
                    assert bool(found) == (_fisher(step) <= LEVEL * (1 + 1e-9))


def test_many_steps_are_corrected_as_scipy_does() -> None:
    """Those are found whose p value by Benjamini and Hochberg is at most the level."""
    draw = random.Random(2)
    for _ in range(200):
        steps = {
            place: Draws(draw.randint(0, 5), 5, draw.randint(0, 5), 5)
            for place in range(draw.randint(1, 12))
        }
        p_values = {}
        for place, step in steps.items():
            seen = step.before + step.after
            most = min(seen, 5)
            if _fisher(Draws(seen - most, 5, most, 5)) <= LEVEL:
                p_values[place] = _fisher(step)
        adjusted = false_discovery_control(list(p_values.values())) if p_values else []
        found = [place for place, p in zip(p_values, adjusted, strict=True) if p <= LEVEL]
        assert grown(steps, drawn=True) == found


def test_false_alarms_stay_below_the_level() -> None:
    """Where nothing has changed, at most 5 % of runs have any finding."""
    draw = random.Random(1)
    alarms = 0
    for _ in range(300):
        rates = [draw.choice((0.0, 0.0, 0.1, 0.5, 0.9)) for _ in range(60)]
        steps = {
            place: Draws(
                sum(draw.random() < rate for _ in range(5)),
                5,
                sum(draw.random() < rate for _ in range(5)),
                5,
            )
            for place, rate in enumerate(rates)
        }
        alarms += bool(grown(steps, drawn=True))
    assert alarms / 300 <= LEVEL


def test_too_few_draws_are_known_as_such() -> None:
    """Two draws against two cannot show anything; three against three can."""
    assert not Draws(0, 2, 2, 2).decidable
    assert Draws(0, 3, 3, 3).decidable
