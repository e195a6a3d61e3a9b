"""Quantiles, and means and intervals of a few values."""

from __future__ import annotations

import subprocess
import sys

import pytest
from scipy import stats

from pytest_comem.metrics.statistics import Estimate, estimate, quantile


def test_a_textbook_interval() -> None:
    """Moore and McCabe's vitamin C content of eight lots: 22.5, from 16.5 to 28.5."""
    found = estimate([26, 31, 23, 22, 11, 22, 14, 31])
    assert found is not None
    assert found.mean == 22.5
    assert found.half == pytest.approx(2.365 * 7.1913 / 8**0.5, abs=0.005)


@pytest.mark.parametrize(("count", "t"), [(2, 12.706), (3, 4.303), (5, 2.776), (31, 2.042)])
def test_the_factor_is_that_of_the_tables(count: int, t: float) -> None:
    """Of values 0 and 2 in turn the deviation is known, and so is the factor from any t table."""
    values = [2.0 * (place % 2) for place in range(count)]
    mean = sum(values) / count
    deviation = (sum((value - mean) ** 2 for value in values) / (count - 1)) ** 0.5
    found = estimate(values)
    assert found is not None
    assert found.half is not None
    assert found.half * count**0.5 / deviation == pytest.approx(t, abs=0.0005)


def test_few_values() -> None:
    """None has no mean, one has no interval, equal ones have none of any width."""
    assert estimate([]) is None
    assert estimate([3.0]) == Estimate(3.0, None)
    assert estimate([3.0, 3.0]) == Estimate(3.0, 0.0)


def test_the_quantiles_are_those_of_the_distributions() -> None:
    """Student's t, or normal where no spread is estimated."""
    assert quantile(0.95, 3) == pytest.approx(stats.t.ppf(0.975, 3))
    assert quantile(0.95, None) == quantile(0.95, 0) == pytest.approx(stats.norm.ppf(0.975))


def test_starting_up_needs_no_scipy() -> None:
    """Importing the scorecard, or a mean of one value, does not load it."""
    code = (
        "import sys\n"
        "import pytest_comem.plugin, pytest_comem.report.scorecard\n"
        "from pytest_comem.metrics.statistics import estimate\n"
        "estimate([1.0])\n"
        "assert not {'scipy', 'numpy'} & set(sys.modules)\n"
        "estimate([1.0, 2.0])\n"
        "assert 'scipy.special' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
