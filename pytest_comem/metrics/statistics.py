"""Student's t: its quantiles, and what a few repeats of a run say about its expected value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean, stdev
from typing import Final, final

#: Two-sided confidence of an interval.
CONFIDENCE: Final = 0.95


@final
@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and how far the expected value may be from it.

    :param mean: in the unit of the values.
    :param half: half of the interval's width, in the same unit; ``None`` for a single value.
    """

    mean: float
    half: float | None = None


def estimate(values: Sequence[float], confidence: float = CONFIDENCE) -> Estimate | None:
    """Return the mean of *values* with Student's t interval, or ``None`` where there are none.

    The interval takes the values as independent draws of about normal spread. It may reach beyond
    what the values' range allows, such as 100 %, above all with two or three of them.

    :param confidence: two-sided, between 0 and 1.
    """
    if not values:
        return None
    if len(values) == 1:
        return Estimate(values[0])
    spread = stdev(values) / sqrt(len(values))
    return Estimate(
        fmean(values), spread * quantile(confidence, len(values) - 1) if spread else 0.0
    )


def quantile(confidence: float, freedom: int | None) -> float:
    """Return the two-sided quantile: Student's t, or normal where *freedom* is ``None`` or 0."""
    # Lazily, because it takes a second; scipy.stats would take two.
    from scipy.special import ndtri, stdtrit

    level = (1 + confidence) / 2
    return float(stdtrit(freedom, level) if freedom else ndtri(level))
