"""Resamples of whole episodes: the clustered bootstrap, stratified by domain.

An episode is drawn with all its steps and repeats, because its steps share one history and one
memory. Domains are part of a benchmark's design and keep their number of episodes. Of the ``n``
episodes of a domain ``n - 1`` are drawn and weighted ``n / (n - 1)``, which makes the spread of the
draws that of the estimate however small ``n`` is (Rao, Wu and Yue, "Some recent work on resampling
methods for complex surveys", Survey Methodology 18, 1992).
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_comem.metrics.sample import Episode
from pytest_comem.metrics.statistics import quantile
from pytest_comem.metrics.suites import Array


def strata(episodes: Sequence[Episode]) -> list[list[int]]:
    """Return the places of each domain's episodes; domains of one episode are put together.

    One that is left alone goes with the smallest of the others ("collapsed strata", Cochran,
    *Sampling Techniques*, 5A.12): an episode alone says nothing of how far episodes differ.
    """
    domains: dict[str, list[int]] = {}
    for place, (domain, _) in enumerate(episodes):
        domains.setdefault(domain, []).append(place)
    several = [places for places in domains.values() if len(places) > 1]
    alone = [places[0] for places in domains.values() if len(places) == 1]
    if len(alone) == 1 and several:
        min(several, key=len).extend(alone)
    elif alone:
        several.append(alone)
    return several


def degrees_of_freedom(groups: Sequence[Sequence[int]]) -> int:
    """Return episodes minus strata: what a spread between episodes is estimated from."""
    return sum(len(group) - 1 for group in groups)


def weights(groups: Sequence[Sequence[int]], resamples: int, seed: int) -> Array:
    """Return how much each episode counts in each resample, [resamples, episodes].

    A stratum of a single episode always counts once.
    """
    import numpy as np

    random = np.random.default_rng(seed)
    found = np.ones((resamples, sum(map(len, groups))))
    for group in groups:
        size = len(group)
        if size > 1:
            # Counting places is several times as fast as drawing from a multinomial distribution.
            places = random.integers(size, size=(resamples, size - 1))
            places += size * np.arange(resamples)[:, None]
            drawn = np.bincount(places.ravel(), minlength=resamples * size)
            found[:, group] = drawn.reshape(resamples, size) * (size / (size - 1))
    return found


def resampled(weight: Array, counts: Array) -> Array:
    """Return the sums of each resample, [resamples, repeats, columns].

    :param weight: from :func:`weights`.
    :param counts: [repeats, episodes, columns].
    """
    repeats, episodes, columns = counts.shape
    flat = counts.transpose(1, 0, 2).reshape(episodes, repeats * columns)
    return (weight @ flat).reshape(-1, repeats, columns)


def mean_over_repeats(values: Array) -> Array:
    """Return the mean over the last axis of what is not NaN; NaN where everything is."""
    import numpy as np

    known = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        return np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1)


def variance_of_sum(values: Array, groups: Sequence[Sequence[int]]) -> float:
    """Return the variance of the sum of one value an episode, drawn within the strata."""
    total = 0.0
    for group in groups:
        size = len(group)
        if size > 1:
            part = values[list(group)]
            total += size / (size - 1) * float(((part - part.mean()) ** 2).sum())
    return total


def limits(draws: Array, confidence: float, freedom: int | None) -> tuple[float, float]:
    """Return the percentile interval of *draws*, wider where few episodes stand behind them.

    The two tails are those of a normal distribution beyond Student's t quantile ("expanded
    percentile interval", Hesterberg, "What teachers should know about the bootstrap", The American
    Statistician 69, 2015). His further factor, the root of ``n / (n - 1)``, is left out: resamples
    weighted by :func:`weights` are as wide already.

    :param freedom: degrees of freedom of the spread; ``None`` where it is not estimated.
    """
    import numpy as np
    from scipy.special import ndtr

    tail = float(ndtr(-quantile(confidence, freedom)))
    low, high = np.quantile(draws[~np.isnan(draws)], [tail, 1 - tail])
    return float(low), float(high)
