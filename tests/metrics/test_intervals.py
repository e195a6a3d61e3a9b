"""Intervals of the metrics of one row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from made_outcomes import made
from scipy import stats

from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.suites import suite_metrics

GATEMEM = suite_metrics("gatemem")
CATEGORIES = ("utility", "privacy", "safety")


def sample_of(
    domains: Mapping[str, int], rates: tuple[float, float, float], seed: int = 1, repeats: int = 1
) -> Sample:
    """Return episodes of 8 steps a category; of each the share of hits is about its rate."""
    random = np.random.default_rng(seed)
    counted = EpisodeCounts(GATEMEM)
    for domain, count in domains.items():
        for number in range(count):
            for repeat in range(repeats):
                row = [0.0] * GATEMEM.columns
                for place, rate in enumerate(rates):
                    row[4 * place] = 8
                    row[4 * place + 1] = float(random.binomial(8, rate))
                counted.sums[(domain, f"e{number:03}"), repeat] = row
    return Sample(counted)


def width(measured: Measured) -> float:
    """Return how wide an interval is."""
    return measured.high - measured.low


def test_every_metric_has_its_value_and_method() -> None:
    """Plain proportions Wilson's, products the bootstrap's; a metric of nothing has none."""
    sample = sample_of({"a": 20, "b": 20}, (0.6, 0.2, 0.1))
    found = measure(sample)
    assert {name: one.value for name, one in found.items()} == sample.values()
    assert {name: one.method for name, one in found.items()} == {
        **dict.fromkeys(("U", "A", "F", "OR"), "wilson"),
        "MGS": "bootstrap",
    }
    assert (found["U"].of, found["MGS"].of) == (320, 40)
    assert all(one.low < one.value < one.high for name, one in found.items() if name != "OR")


def test_the_same_sample_has_the_same_intervals() -> None:
    """Whatever was drawn before; another seed moves the bootstrap's a little."""
    sample = sample_of({"a": 20}, (0.6, 0.2, 0.1))
    first, second, other = measure(sample), measure(sample), measure(sample, seed=5)
    assert first == second
    assert first["U"] == other["U"]
    assert first["MGS"] != other["MGS"]
    assert first["MGS"].low == pytest.approx(other["MGS"].low, abs=1)


def test_the_bootstrap_agrees_with_scipy_s() -> None:
    """On thirty episodes of one domain, scipy's percentile interval of the same product."""
    sample = sample_of({"a": 30}, (0.6, 0.3, 0.2), seed=3)
    # Spread more than chance alone would make it, so that nothing but resampling decides.
    rows = sample.counts[0].copy()
    rows[:, [1, 5, 9]] = np.where(np.arange(30)[:, None] % 3, rows[:, [1, 5, 9]], [[8, 8, 8]])
    counted = EpisodeCounts(GATEMEM)
    counted.sums = {(("a", f"e{place:03}"), 0): list(row) for place, row in enumerate(rows)}

    def governance(places: np.ndarray, axis: int = -1) -> Any:
        return GATEMEM.values(rows[places.astype(int)].sum(axis=axis - 1))["MGS"]

    expected = stats.bootstrap(
        (np.arange(30),), governance, n_resamples=20_000, method="percentile",
        rng=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    found = measure(Sample(counted))["MGS"]
    # Ours is wider by the corrections for thirty episodes, 6 % in all.
    assert width(found) == pytest.approx(1.06 * (expected.high - expected.low), rel=0.03)
    assert found.low == pytest.approx(expected.low, abs=1.5)
    assert found.high == pytest.approx(expected.high, abs=1.5)


def test_alike_steps_make_wide_intervals() -> None:
    """The same counts in all, where an episode's steps go together: twice as wide and more."""
    apart, together = EpisodeCounts(GATEMEM), EpisodeCounts(GATEMEM)
    for number in range(60):
        for counted, right in ((apart, 4 + number % 2), (together, 9 * (number % 2))):
            row = [0.0] * GATEMEM.columns
            row[0], row[1] = 9, right
            counted.sums[("a", f"e{number:03}"), 0] = row
    first, second = (measure(one.sample())["U"] for one in (apart, together))
    assert first.value == second.value == 50
    assert width(second) > 2 * width(first)


@pytest.mark.parametrize("by_domain_mean", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 30])
@pytest.mark.parametrize("rates", [(1, 0, 0), (0, 1, 1), (1, 1, 0), (0.5, 0, 0)])
def test_boundaries_and_few_episodes_are_never_certain(
    rates: tuple[float, float, float], count: int, by_domain_mean: bool
) -> None:
    """No interval is a point, beyond what is possible or without its value."""
    for domains in ({"a": count}, {"a": count, "b": 1}):
        sample = sample_of(domains, rates)
        for one in measure(sample, by_domain_mean=by_domain_mean).values():
            assert 0 <= one.low <= one.value <= one.high <= 100
            if one.method == "wilson" or rates == (1, 0, 0):
                assert width(one) > 0.5


def test_no_violation_of_thirty_is_not_none_for_sure() -> None:
    """U is 100 %, A and F are 0 of 30: MGS may be well below 100."""
    outcomes = [made(number, True, category=CATEGORIES[number % 3]) for number in range(90)]
    found = measure(Sample.of(outcomes, GATEMEM))
    expected = stats.binomtest(0, 30).proportion_ci(method="wilson")
    assert (found["A"].low, found["A"].high) == pytest.approx((0, 100 * expected.high))
    # The three posterior medians of a miss are 0.8 % each, their 97.5 % points 8 %.
    assert 85 < found["MGS"].low < 94
    assert found["MGS"].high == 100


def test_a_single_step_says_nearly_nothing() -> None:
    """But something: the same as scipy says of one of one."""
    found = measure(Sample.of([made(1, True)], GATEMEM))["U"]
    expected = stats.binomtest(1, 1).proportion_ci(method="wilson")
    assert found.low == pytest.approx(100 * expected.low)
    assert (found.high, found.of) == (100, 1)


def test_nothing_has_no_intervals() -> None:
    """Nor has a run of unscored steps."""
    assert measure(Sample.of([made(1, None)], GATEMEM)) == {}
    assert measure(Sample.of([], GATEMEM), by_domain_mean=True) == {}


def test_the_mean_of_domains_has_an_interval_of_its_own() -> None:
    """Around its own value; a domain of one episode takes part."""
    sample = sample_of({"a": 30, "b": 6, "c": 1}, (0.6, 0.2, 0.1))
    found = measure(sample, by_domain_mean=True)
    assert {name: one.value for name, one in found.items()} == sample.domain_means()
    assert {one.method for one in found.values()} == {"bootstrap"}
    assert width(found["U"]) > width(measure(sample)["U"])


def test_repeats_of_the_same_make_nothing_surer() -> None:
    """Five equal repeats have the interval of one."""
    once = sample_of({"a": 20}, (0.6, 0.2, 0.1))
    counted = EpisodeCounts(GATEMEM)
    for place, row in enumerate(once.counts[0]):
        for repeat in range(5):
            counted.sums[once.episodes[place], repeat] = list(row)
    found, expected = measure(Sample(counted)), measure(once)
    for name, one in expected.items():
        assert (found[name].low, found[name].high) == pytest.approx((one.low, one.high), abs=1e-6)


def test_more_confidence_is_wider() -> None:
    """For each method."""
    sample = sample_of({"a": 20}, (0.6, 0.2, 0.1))
    for name, one in measure(sample).items():
        assert width(measure(sample, confidence=0.8)[name]) < width(one)
