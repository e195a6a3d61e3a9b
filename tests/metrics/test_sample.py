"""Steps summed by episode."""

from __future__ import annotations

import random

import numpy as np
import pytest
from made_outcomes import made

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.gatemem import Tally, mean_of_domains, metrics_of
from pytest_comem.metrics.repeats import RepeatedTally, estimate_of_domains
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import suite_metrics

GATEMEM = suite_metrics("gatemem")
CATEGORIES = ("utility", "privacy", "safety")


def steps(repeats: int = 1) -> list[Outcome]:
    """Return sixty steps of two domains, some of them unscored, in each repeat."""
    return [
        made(
            number,
            None if number % 11 == 0 else (number * 7 + repeat) % 5 > 1,
            category=CATEGORIES[number % 3],
            domain=("medical", "office")[number % 2],
            attack="direct_probe" if number % 3 and number % 4 else "",
            repeat=repeat if repeats > 1 else None,
        )
        for repeat in range(repeats)
        for number in range(60)
    ]


def tally_of(outcomes: list[Outcome]) -> Tally:
    """Return the sums of the scored ones."""
    tally = Tally()
    for outcome in outcomes:
        if outcome.verdict is not None:
            tally.add(outcome.labels["category"], outcome.verdict)
    return tally


def test_the_values_are_those_of_the_scorecard() -> None:
    """For all steps, a domain, an attack type, and the mean of the domains."""
    outcomes = steps()
    sample = Sample.of(outcomes, GATEMEM)
    assert (sample.steps, sample.scored) == (60, 54)
    assert sample.values() == known(tally_of(outcomes))
    office = [one for one in outcomes if one.step.domain == "office"]
    assert sample.only(domain="office").values() == known(tally_of(office))
    attacked = [one for one in outcomes if one.labels["attack_type"]]
    only = sample.only(label=("attack_type", "direct_probe"))
    assert only.values() == known(tally_of(attacked))
    assert only.steps == len(attacked)
    domains = {
        name: tally_of([one for one in outcomes if one.step.domain == name])
        for name in ("medical", "office")
    }
    assert sample.domain_means() == {
        name: mean_of_domains(domains, name) for name in GATEMEM.metrics
    }


def known(tally: Tally) -> dict[str, float]:
    """Return the metrics that have something behind them."""
    return {name: one for name, one in metrics_of(tally).items() if one is not None}


def test_repeats_are_averaged_as_on_the_scorecard() -> None:
    """The metric of each repeat, then their mean; for the mean of the domains alike."""
    outcomes = steps(3)
    tallies: dict[str, RepeatedTally] = {}
    overall = RepeatedTally()
    for outcome in outcomes:
        if outcome.verdict is not None:
            for one in (overall, tallies.setdefault(outcome.step.domain, RepeatedTally())):
                one.add(outcome.repeat, outcome.labels["category"], outcome.verdict)
    sample = Sample.of(outcomes, GATEMEM)
    assert sample.repeats == (0, 1, 2)
    for name, value in sample.values().items():
        expected = overall.estimate(name)
        assert expected is not None
        assert value == pytest.approx(expected.mean)
    for repeat in sample.repeats:
        values = sample.of_repeat(repeat).values()
        assert values == known(tally_of([o for o in outcomes if o.repeat == repeat]))
    mean = estimate_of_domains(tallies, "U")
    assert mean is not None
    assert sample.domain_means()["U"] == pytest.approx(mean.mean)


def test_the_order_of_outcomes_changes_nothing() -> None:
    """Workers report in any order."""
    outcomes = steps(2)
    sample = Sample.of(outcomes, GATEMEM)
    random.Random(1).shuffle(outcomes)
    other = Sample.of(outcomes, GATEMEM)
    assert other.episodes == sample.episodes == (("medical", "medical-e"), ("office", "office-e"))
    assert np.array_equal(other.counts, sample.counts)
    assert sample.counts.shape == (2, 2, GATEMEM.columns)


def test_an_episode_that_a_repeat_has_not_played_is_zeros() -> None:
    """It stands behind nothing there."""
    sample = Sample.of([made(1, True, repeat=0), made(2, True, domain="x", repeat=1)], GATEMEM)
    assert sample.counts.sum(axis=2).astype(bool).tolist() == [[True, False], [False, True]]


def test_a_step_counts_once_and_other_suites_do_not() -> None:
    """Of several outcomes the first."""
    other = made(3, True)
    object.__setattr__(other.step, "suite", "comembench")
    sample = Sample.of([made(1, True), made(1, False), other], GATEMEM)
    assert sample.scored == sample.steps == 1
    assert sample.values()["U"] == 100


def test_two_systems_are_no_sample() -> None:
    """A caller that forgets to divide is told."""
    with pytest.raises(ValueError, match="one system and model"):
        Sample.of([made(1, True), made(2, True, system="rag")], GATEMEM)


def test_nothing_is_a_sample_too() -> None:
    """Without values."""
    sample = Sample.of([made(1, None)], GATEMEM)
    assert (sample.steps, sample.scored, sample.episodes, sample.values()) == (1, 0, (), {})
    assert sample.domain_means() == {}
