"""Resamples of whole episodes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from pytest_comem.metrics.resampling import (
    degrees_of_freedom,
    limits,
    resampled,
    strata,
    variance_of_sum,
    weights,
)


def test_domains_are_strata_and_single_episodes_are_put_together() -> None:
    """One that is left alone goes with the smallest domain."""
    a, b, c, d = ("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")
    assert strata([a, b, c, d]) == [[0, 1, 2, 3]]
    assert strata([a, ("a", "2"), b, ("b", "2")]) == [[0, 1], [2, 3]]
    assert strata([a, ("a", "2"), ("a", "3"), b, ("b", "2"), c]) == [[0, 1, 2], [3, 4, 5]]
    assert strata([a, ("a", "2"), b, c]) == [[0, 1], [2, 3]]
    assert strata([a]) == [[0]]
    assert strata([]) == []
    assert degrees_of_freedom([[0, 1, 2], [3, 4]]) == 3


def test_draws_are_seeded_and_keep_each_domain() -> None:
    """The same seed draws the same; in every resample a domain weighs what it has."""
    groups = [[0, 2, 4], [1, 3]]
    first = weights(groups, 500, 7)
    assert np.array_equal(first, weights(groups, 500, 7))
    assert not np.array_equal(first, weights(groups, 500, 8))
    for group in groups:
        assert np.allclose(first[:, group].sum(axis=1), len(group))
    assert (weights([[0]], 3, 1) == 1).all()


def test_the_spread_of_the_draws_is_that_of_the_estimate() -> None:
    """For five episodes as for many: the textbook variance of a mean, s² / n."""
    values = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    drawn = weights([[0, 1, 2, 3, 4]], 200_000, 1) @ values / 5
    assert drawn.mean() == pytest.approx(values.mean(), abs=0.01)
    assert drawn.var() == pytest.approx(values.var(ddof=1) / 5, rel=0.02)
    assert variance_of_sum(values / 5, [[0, 1, 2, 3, 4]]) == pytest.approx(values.var(ddof=1) / 5)


def test_an_episode_is_drawn_with_all_its_repeats() -> None:
    """One weight for both, so that repeats of an episode are no further episodes."""
    counts = np.arange(12.0).reshape(2, 3, 2)
    weight = np.array([[0.0, 1.0, 2.0]])
    assert resampled(weight, counts).tolist() == [[[10.0, 13.0], [28.0, 31.0]]]


def test_few_degrees_of_freedom_widen_the_percentiles() -> None:
    """To Student's t times the standard deviation, for draws that are normal."""
    draws = stats.norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    for freedom in (3, 20):
        low, high = limits(draws, 0.95, freedom)
        assert high == pytest.approx(stats.t.ppf(0.975, freedom), rel=0.01)
        assert low == pytest.approx(-high)
    low, high = limits(np.append(draws, np.nan), 0.95, None)
    assert high == pytest.approx(1.96, abs=0.001)
