"""How the metrics of two samples of the same steps differ, with intervals and p values.

The interval is that of resamples of episodes, each with the steps of both samples
(``resampling``). The p value is that of a permutation: were it the same which row is which, then
swapping the two in any episodes would make differences as large as often. Both are clustered, so
that neither takes an episode's steps for independent witnesses. Where episodes differ less than
independent flips would make them, as few or equal ones may, the interval is that of such flips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.metrics.intervals import RESAMPLES
from pytest_comem.metrics.power import minimum_detectable
from pytest_comem.metrics.resampling import (
    degrees_of_freedom,
    limits,
    mean_over_repeats,
    resampled,
    strata,
    weights,
)
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.statistics import CONFIDENCE, quantile
from pytest_comem.metrics.suites import SHARED, Array, SuiteMetrics

#: Two differences that are nearer than this, in percent points, are equal.
_ROUNDING: Final = 1e-9


@final
@dataclass(frozen=True, slots=True)
class SampleDifference:
    """One metric of two samples; see :class:`pytest_comem.metrics.paired.Difference`."""

    before: float
    after: float
    low: float
    high: float
    p: float
    detectable: float


def sample_differences(
    before: Sample,
    after: Sample,
    flips: Sequence[float],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
) -> dict[str, SampleDifference]:
    """Return the difference of every metric that both samples have.

    :param before: of the same steps as *after*.
    :param flips: by column, the sum of the squared differences of units: where a unit counts 0 or
        1, how many are counted differently.
    """
    if not before.episodes:
        return {}
    first, second = before.values(), after.values()
    freedom = degrees_of_freedom(strata(before.episodes))
    drawn = _drawn_together(before, after, seed, resamples)
    swapped = _swapped(before, after, seed, resamples)
    unchanged = _unchanged(before.metrics, flips)
    found: dict[str, SampleDifference] = {}
    for name in [name for name in first if name in second]:
        difference = second[name] - first[name]
        chance = _error_by_chance(before, after, flips, name)
        low, high, error = _interval(drawn[name], difference, chance, confidence, freedom)
        detectable = minimum_detectable(error, confidence=confidence, freedom=freedom)
        if name in unchanged:
            low, high = 0.0, 0.0
        if before.metrics.metrics[name].kind != "mean":
            low, high, detectable = max(low, -100.0), min(high, 100.0), min(detectable, 100.0)
        p = _share_as_large(swapped[name], difference)
        found[name] = SampleDifference(first[name], second[name], low, high, p, detectable)
    return found


def _interval(
    draws: Array, difference: float, chance: float, confidence: float, freedom: int
) -> tuple[float, float, float]:
    """Return the interval of a difference and its standard error.

    :param chance: the standard error that independent flips would have; it is the least.
    """
    import numpy as np

    spread, normal = float(np.nanstd(draws)), quantile(confidence, None)
    if spread * quantile(confidence, freedom) < chance * normal:
        return difference - chance * normal, difference + chance * normal, chance
    low, high = limits(draws, confidence, freedom)
    return min(low, difference), max(high, difference), spread


def _drawn_together(before: Sample, after: Sample, seed: int, resamples: int) -> dict[str, Array]:
    """Return the differences of resamples of episodes, each with both samples' steps."""
    weight = weights(strata(before.episodes), resamples, seed)
    first, second = (
        sample.metrics.values(resampled(weight, sample.counts)) for sample in (before, after)
    )
    return {
        name: mean_over_repeats(second[name]) - mean_over_repeats(first[name]) for name in first
    }


def _swapped(before: Sample, after: Sample, seed: int, resamples: int) -> dict[str, Array]:
    """Return the differences with both samples swapped in random episodes.

    All the ways there are where they are no more than *resamples*, random ones otherwise; the
    first is always that of swapping none.
    """
    import numpy as np

    episodes = len(before.episodes)
    if episodes < 63 and 2**episodes <= resamples:
        ways = np.arange(2**episodes)[:, None] >> np.arange(episodes) & 1
    else:
        ways = np.random.default_rng([seed, 2]).integers(0, 2, size=(resamples + 1, episodes))
        ways[0] = 0
    gain = after.counts - before.counts
    moved = resampled(ways.astype(np.float64), gain)
    first = before.metrics.values(before.counts.sum(axis=1) + moved)
    second = before.metrics.values(after.counts.sum(axis=1) - moved)
    return {
        name: mean_over_repeats(second[name]) - mean_over_repeats(first[name]) for name in first
    }


def _share_as_large(swapped: Array, difference: float) -> float:
    import numpy as np

    known = swapped[~np.isnan(swapped)]
    return float((np.abs(known) >= abs(difference) - _ROUNDING).mean())


def _error_by_chance(before: Sample, after: Sample, flips: Sequence[float], name: str) -> float:
    """Return the standard error of a difference if steps flip independently of each other.

    That of McNemar's test for a plain proportion, and what follows from those for a product. No
    step flipped or every one is not sure to be so again: it is taken for one flip that may be.
    """
    import numpy as np

    sums = before.counts.sum(axis=1)
    net = (after.counts - before.counts).sum(axis=1)
    known = before.metrics.values(sums)[name]
    variance = 0.0
    for metric in before.metrics.metrics:
        columns = before.metrics.numerators(metric)
        if columns is None or not sums[..., columns[1]].any():
            continue
        count, of = columns
        more = sums.copy()
        more[..., count] += np.where(sums[..., count] < sums[..., of], 1, -1)
        effect = float(np.nanmean(before.metrics.values(more)[name] - known))
        steps, shift = float(sums[..., of].mean()), float(net[..., count].mean())
        apart = flips[count] / len(sums) - shift**2 / steps
        # A share that a unit has may move by less than one.
        least = 0.0 if before.metrics.metrics[metric].kind in SHARED and flips[count] else 1.0
        variance += effect**2 * max(least, apart)
    return float(np.sqrt(variance))


def _unchanged(metrics: SuiteMetrics, flips: Sequence[float]) -> set[str]:
    """Return the metrics that no column with a flip has to do with."""
    import numpy as np

    # At any place where no factor is 0, a metric moves with every column it is made of.
    base = np.sqrt(np.arange(metrics.columns) + 2.0)
    moved = metrics.values(base + np.eye(metrics.columns)[np.asarray(flips, dtype=bool)])
    still = metrics.values(base)
    return {name for name in moved if not (moved[name] != still[name]).any()}
