"""What a comparison could have seen."""

from __future__ import annotations

import pytest
from scipy import stats

from pytest_comem.metrics.power import minimum_detectable


def test_the_usual_factor_is_two_point_eight() -> None:
    """Bloom's: 80 % power at the two-sided 5 % level."""
    assert minimum_detectable(1) == pytest.approx(2.80, abs=0.005)
    assert minimum_detectable(2.5) == pytest.approx(2.5 * minimum_detectable(1))


def test_a_true_difference_of_that_size_is_found_as_often_as_promised() -> None:
    """By the normal distribution, for another level and power too."""
    for confidence, power in ((0.95, 0.8), (0.9, 0.6)):
        size = minimum_detectable(1, confidence=confidence, power=power)
        found = stats.norm.sf(stats.norm.ppf((1 + confidence) / 2) - size)
        assert found == pytest.approx(power)


def test_few_episodes_see_less() -> None:
    """Student's t instead of the normal distribution."""
    expected = stats.t.ppf(0.975, 3) + stats.t.ppf(0.8, 3)
    assert minimum_detectable(1, freedom=3) == pytest.approx(expected)
