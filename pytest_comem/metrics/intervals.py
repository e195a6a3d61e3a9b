"""Intervals of the metrics of one row, over the episodes that might have been asked instead.

Steps of one episode are alike, and an interval that takes them as independent is too narrow: see
``tests/metrics/test_coverage.py`` for how much. So both methods know of episodes:

* *wilson*, for a plain proportion and for a mean of shares: Wilson's interval of as many
  independent steps as the row's are worth (``shares``).
* *bootstrap*, for products and means: percentiles of resamples of episodes (``resampling``). A
  proportion whose episodes differ no more than chance would make them, above all one at 0 or 100 %,
  is drawn from its posterior distribution under Jeffreys' prior instead: resampling 0 violations
  of 30 would be sure of none (Brown, Cai and DasGupta, "Interval estimation for a binomial
  proportion", Statistical Science 16, 2001).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, final

from pytest_comem.metrics.resampling import (
    degrees_of_freedom,
    limits,
    mean_over_repeats,
    resampled,
    strata,
    weights,
)
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.shares import Share, shares, wilson
from pytest_comem.metrics.statistics import CONFIDENCE, quantile
from pytest_comem.metrics.suites import Array

WILSON: Final = "wilson"
BOOTSTRAP: Final = "bootstrap"
Method: TypeAlias = Literal["wilson", "bootstrap"]

RESAMPLES: Final = 10_000


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """A metric with its interval; percent where the metric is a proportion or a product.

    :param value: mean over the repeats.
    :param low: lower limit, never above the value.
    :param high: upper limit, never below the value.
    :param of: steps (instances, pairs) behind a quotient, repeats included; the row's episodes for
        anything else, also for a mean of domains.
    :param method: how the interval was found.
    """

    value: float
    low: float
    high: float
    of: int
    method: Method


def measure(
    sample: Sample,
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    confidence: float = CONFIDENCE,
    by_domain_mean: bool = False,
) -> dict[str, Measured]:
    """Return every metric that has something behind it with its interval.

    :param seed: of the resamples; equal samples have equal intervals.
    :param confidence: two-sided, between 0 and 1.
    :param by_domain_mean: the mean of the domains' metrics instead of that of all steps; the
        domains are fixed and their episodes drawn, so all intervals are the bootstrap's.
    """
    if not sample.episodes:
        return {}
    if by_domain_mean:
        return _of_domains(sample, seed, resamples, confidence)
    groups = strata(sample.episodes)
    freedom = degrees_of_freedom(groups)
    found = shares(sample, groups, confidence)
    infos = sample.metrics.metrics
    drawn = (
        drawn_values(sample, found, groups, seed, resamples)
        if any(info.kind in ("product", "mean") for info in infos.values())
        else {}
    )
    measured: dict[str, Measured] = {}
    for name, value in sample.values().items():
        if name in found:
            low, high = wilson(found[name].value, found[name].worth, quantile(confidence, None))
            measured[name] = _bounded(sample, name, value, 100 * low, 100 * high, WILSON, found)
        else:
            low, high = limits(drawn[name], confidence, freedom)
            measured[name] = _bounded(sample, name, value, low, high, BOOTSTRAP, found)
    return measured


def drawn_values(
    sample: Sample,
    found: Mapping[str, Share],
    groups: list[list[int]],
    seed: int,
    resamples: int,
) -> dict[str, Array]:
    """Return every metric of every resample, [resamples], mean over the repeats."""
    import numpy as np

    random = np.random.default_rng([seed, 1])
    sums = resampled(weights(groups, resamples, seed), sample.counts)
    for name, share in found.items():
        columns = sample.metrics.numerators(name)
        # Drawn for all, so that no draw depends on which other proportions have a spread.
        hits = share.value * share.worth
        drawn = random.beta(hits + 0.5, share.worth - hits + 0.5, size=resamples)
        if columns is not None and not share.spread:
            sums[..., columns[0]] = sums[..., columns[1]] * drawn[:, None]
    return {name: mean_over_repeats(values) for name, values in sample.metrics.values(sums).items()}


def _of_domains(
    sample: Sample, seed: int, resamples: int, confidence: float
) -> dict[str, Measured]:
    import numpy as np

    by_domain: list[dict[str, Array]] = []
    freedom = 0
    for place, domain in enumerate(sample.domains):
        part = sample.of_domain(domain)
        groups = strata(part.episodes)
        freedom += degrees_of_freedom(groups)
        found = shares(part, groups, confidence)
        by_domain.append(drawn_values(part, found, groups, seed + 1000 * (place + 1), resamples))
    measured: dict[str, Measured] = {}
    for name, value in sample.domain_means().items():
        draws = mean_over_repeats(np.stack([drawn[name] for drawn in by_domain], axis=-1))
        low, high = limits(draws, confidence, freedom)
        measured[name] = _bounded(sample, name, value, low, high, BOOTSTRAP, {})
    return measured


def _bounded(
    sample: Sample,
    name: str,
    value: float,
    low: float,
    high: float,
    method: Method,
    found: Mapping[str, Share],
) -> Measured:
    """Return an interval that holds its value and nothing impossible."""
    low, high = min(low, value), max(high, value)
    if sample.metrics.metrics[name].kind != "mean":
        low, high = max(low, 0.0), min(high, 100.0)
    of = found[name].steps if name in found else len(sample.episodes)
    return Measured(value, low, high, of, method)
