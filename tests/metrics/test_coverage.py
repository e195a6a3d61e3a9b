"""How often the intervals hold the truth: made runs of which the truth is known.

A minute of simulation a case: only with ``COMEM_SLOW=1``. ``-rP`` shows the figures.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import pytest
from scipy.special import ndtr

from pytest_comem.metrics.differences import sample_differences
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.suites import suite_metrics

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        os.environ.get("COMEM_SLOW") != "1", reason="simulates for minutes; set COMEM_SLOW=1"
    ),
]

GATEMEM = suite_metrics("gatemem")
METRICS: Final = ("U", "A", "F", "MGS")
RUNS: Final = 1000
#: Fewer than in use: more make an interval steadier, not wider.
RESAMPLES: Final = 1000
#: Episodes by domain, and steps of each category in an episode.
Size = Mapping[str, tuple[int, Sequence[int]]]
#: The released data's 91 episodes, with 2,224 checkpoints for its 2,218.
FULL: Final[Size] = {
    "medical": (21, (10, 9, 9)),
    "office": (17, (9, 10, 13)),
    "education": (30, (6, 6, 6)),
    "household": (23, (8, 8, 8)),
}
TEN: Final[Size] = {
    domain: (count, FULL[domain][1])
    for domain, count in zip(FULL, (3, 2, 3, 2), strict=True)
}  # fmt: skip
EMBEDDED: Final[Size] = {domain: (1, steps) for domain, (_, steps) in FULL.items()}
#: Share of hits (right answers, violations) by domain and category: the paper's RAG-Naive.
MIDDLING: Final = {
    "medical": (0.65, 0.25, 0.08),
    "office": (0.74, 0.30, 0.10),
    "education": (0.33, 0.13, 0.33),
    "household": (0.50, 0.20, 0.15),
}
#: Of a system that hardly ever fails.
EXCELLENT: Final = {
    "medical": (0.90, 0.02, 0.01),
    "office": (0.90, 0.03, 0.01),
    "education": (0.85, 0.02, 0.02),
    "household": (0.80, 0.03, 0.01),
}
#: What changes between two runs: U by a tenth of what was wrong, A by a fifth, F upwards.
NO_CHANGE: Final = (0.0, 0.0, 0.0)
CHANGE: Final = (0.1, -0.2, 0.05)


def shifted(rate: Any, shift: float) -> Any:
    """Return a rate of which a part of the misses (or, below 0, of the hits) has turned."""
    return rate + shift * (1 - rate) if shift >= 0 else rate * (1 + shift)


def truth(size: Size, rates: Mapping[str, Sequence[float]], shift: Sequence[float]) -> Any:
    """Return the metrics of infinitely many episodes in the same proportions."""
    sums = np.zeros(GATEMEM.columns)
    for domain, (episodes, steps) in size.items():
        for place, count in enumerate(steps):
            sums[4 * place] += episodes * count
            sums[4 * place + 1] += episodes * count * shifted(rates[domain][place], shift[place])
    return GATEMEM.values(sums)


def two_runs(
    random: np.random.Generator,
    size: Size,
    rates: Mapping[str, Sequence[float]],
    alike: float,
    shift: Sequence[float] = NO_CHANGE,
) -> tuple[Sample, Sample, list[int]]:
    """Return two runs on the same steps, and how many steps flip by column.

    An episode's own rate is beta distributed, so that hits in it are beta-binomial with the
    correlation *alike*. In half of the episodes both runs have the same rate; what makes a step
    hard is shared to 60 %.
    """
    runs = EpisodeCounts(GATEMEM), EpisodeCounts(GATEMEM)
    flips = [0] * GATEMEM.columns
    spread = (1 - alike) / alike
    for domain, (episodes, steps) in size.items():
        rows = np.zeros((2, episodes, GATEMEM.columns))
        for place, count in enumerate(steps):
            mean = rates[domain][place]
            own = random.beta(mean * spread, (1 - mean) * spread, size=(2, episodes))
            own[1] = np.where(random.random(episodes) < 0.5, own[0], own[1])
            own[1] = shifted(own[1], shift[place])
            luck = np.sqrt(0.4) * random.normal(size=(2, episodes, count))
            luck += np.sqrt(0.6) * random.normal(size=(episodes, count))
            hits = ndtr(luck) < own[..., None]
            rows[..., 4 * place] = count
            rows[..., 4 * place + 1] = hits.sum(axis=-1)
            flips[4 * place + 1] += int((hits[0] != hits[1]).sum())
        for run, sums in zip(runs, rows.tolist(), strict=True):
            for number, row in enumerate(sums):
                run.sums[(domain, f"e{number:03}"), 0] = row
    return runs[0].sample(), runs[1].sample(), flips


def covered(size: Size, rates: Mapping[str, Sequence[float]], alike: float) -> dict[str, float]:
    """Return by metric in what percentage of runs the interval holds the truth."""
    random, held = np.random.default_rng(20), Counter[str]()
    true = truth(size, rates, NO_CHANGE)
    for seed in range(RUNS):
        found = measure(two_runs(random, size, rates, alike)[0], seed=seed, resamples=RESAMPLES)
        held.update(name for name in METRICS if found[name].low <= true[name] <= found[name].high)
        assert all(0 <= one.low < one.high <= 100 for one in found.values())
    return {name: 100 * held[name] / RUNS for name in METRICS}


def compared(
    size: Size, rates: Mapping[str, Sequence[float]], alike: float, shift: Sequence[float]
) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    """Return, in percent of pairs: intervals with the truth, intervals that are worse, p <= 5 %.

    Worse is what a gate ``>= baseline`` (``<= baseline``) fails on: the whole interval is below
    (above) 0.
    """
    random = np.random.default_rng(21)
    held, worse, significant = Counter[str](), Counter[str](), Counter[str]()
    before, after = truth(size, rates, NO_CHANGE), truth(size, rates, shift)
    for seed in range(RUNS):
        pair = two_runs(random, size, rates, alike, shift)
        found = sample_differences(*pair, seed=seed, resamples=RESAMPLES)
        for name in METRICS:
            one, more_is_better = found[name], GATEMEM.metrics[name].higher_is_better
            held[name] += bool(one.low <= after[name] - before[name] <= one.high)
            worse[name] += one.high < 0 if more_is_better else one.low > 0
            significant[name] += one.p <= 0.05
    return (
        {name: 100 * held[name] / RUNS for name in METRICS},
        {name: 100 * worse[name] / RUNS for name in METRICS},
        {name: 100 * significant[name] / RUNS for name in METRICS},
    )


@pytest.mark.parametrize("alike", [0.1, 0.25])
@pytest.mark.parametrize("rates", [MIDDLING, EXCELLENT], ids=["middling", "excellent"])
def test_intervals_hold_the_truth_as_often_as_they_say(
    rates: Mapping[str, Sequence[float]], alike: float
) -> None:
    """95 % of runs of GateMem's size, give or take 2.5, for every metric."""
    found = covered(FULL, rates, alike)
    print(f"coverage: {found}")
    assert all(92.5 <= share <= 97.5 for share in found.values()), found


@pytest.mark.parametrize("shift", [NO_CHANGE, CHANGE], ids=["no change", "change"])
@pytest.mark.parametrize("alike", [0.1, 0.25])
def test_intervals_of_differences_do_too(shift: Sequence[float], alike: float) -> None:
    """And where nothing has changed, a gate fails, and a p value is small, in 5 % at most."""
    held, worse, significant = compared(FULL, MIDDLING, alike, shift)
    print(f"coverage: {held}; worse: {worse}; p <= 5 %: {significant}")
    assert all(92.5 <= share <= 97.5 for share in held.values()), held
    if shift == NO_CHANGE:
        assert all(share <= 5 for share in worse.values()), worse
        # Of 1,000 runs, 6.4 % is two standard errors more than 5 %.
        assert all(share <= 6.4 for share in significant.values()), significant


@pytest.mark.parametrize("size", [TEN, EMBEDDED], ids=["ten", "embedded"])
def test_with_few_episodes_it_is_what_it_is(size: Size) -> None:
    """No promise but that a gate hardly fails by chance; see the printed figures."""
    found = covered(size, MIDDLING, 0.1)
    held, worse, significant = compared(size, MIDDLING, 0.1, NO_CHANGE)
    print(f"coverage: {found}; of differences: {held}; worse: {worse}; p <= 5 %: {significant}")
    assert all(share <= 7.5 for share in worse.values()), worse
