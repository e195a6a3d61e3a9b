"""What a comparison of this size could have seen."""

from __future__ import annotations

from typing import Final

from pytest_comem.metrics.statistics import CONFIDENCE, quantile

#: How often a difference of the size in question is to be found.
POWER: Final = 0.80


def minimum_detectable(
    error: float,
    *,
    confidence: float = CONFIDENCE,
    power: float = POWER,
    freedom: int | None = None,
) -> float:
    """Return the smallest true difference that is found significant with probability *power*.

    That is the standard error times the sum of two quantiles, 2.80 times at the usual values
    (Bloom, "Minimum detectable effects", Evaluation Review 19, 1995).

    :param error: standard error of the difference; the result has its unit.
    :param confidence: 1 minus the two-sided level of the test.
    :param freedom: degrees of freedom of the standard error; ``None`` takes it as known.
    """
    return error * (quantile(confidence, freedom) + quantile(2 * power - 1, freedom))
