"""Wilson's interval, and how many independent steps a proportion is worth."""

from __future__ import annotations

import pytest
from scipy import stats

from pytest_comem.metrics.resampling import strata
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.shares import Share, shares, wilson
from pytest_comem.metrics.statistics import quantile
from pytest_comem.metrics.suites import suite_metrics

GATEMEM = suite_metrics("gatemem")


def utility(*episodes: tuple[float, float], repeats: int = 1, access: float = -1) -> Sample:
    """Return a sample of (right, asked) utility steps, an episode each; all repeats alike."""
    counted = EpisodeCounts(GATEMEM)
    for repeat in range(repeats):
        for number, (right, asked) in enumerate(episodes):
            row = [0.0] * GATEMEM.columns
            row[0], row[1] = asked, right
            if access >= 0:
                row[4], row[5] = asked, access
            counted.sums[("d", f"e{number:03}"), repeat] = row
    return Sample(counted)


def u_of(sample: Sample, name: str = "U") -> Share:
    """Return what U is worth."""
    return shares(sample, strata(sample.episodes), 0.95)[name]


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718),
    ],
)  # fmt: skip
def test_newcombe_s_examples(hits: int, of: int, low: float, high: float) -> None:
    """Newcombe, Statistics in Medicine 17 (1998), table I, method 3."""
    assert wilson(hits / of, of, quantile(0.95, None)) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("hits", "of"), [(0, 1), (1, 1), (3, 7), (699, 700), (350, 700)])
def test_wilson_is_scipy_s(hits: int, of: int) -> None:
    """For whole numbers of steps, which is all that scipy takes."""
    expected = stats.binomtest(hits, of).proportion_ci(0.95, method="wilson")
    assert wilson(hits / of, of, quantile(0.95, None)) == pytest.approx(tuple(expected), abs=1e-12)


def test_episodes_of_one_mind_are_worth_a_step_each() -> None:
    """All right or all wrong: the design effect is the episodes' size."""
    found = u_of(utility(*[(10 * (number % 2), 10) for number in range(200)]))
    assert found.spread
    assert found.steps == found.distinct == 2000
    assert found.worth == pytest.approx(200, rel=0.03)


def test_nothing_is_worth_more_than_its_steps() -> None:
    """Equal episodes, a single one, or repeats of the same steps."""
    for sample in (utility(*[(5, 10)] * 8), utility((5, 10))):
        found = u_of(sample)
        assert not found.spread
        assert found.worth == found.distinct == found.steps
    again = u_of(utility(*[(4 + number % 3, 10) for number in range(8)], repeats=5))
    assert again.steps == 400
    assert again.worth <= again.distinct == 80


def test_at_its_boundary_a_proportion_is_worth_what_the_others_are() -> None:
    """No violation was seen, but the steps cling together as those of utility do."""
    episodes = [(10.0 * (number % 2), 10.0) for number in range(100)]
    found = u_of(utility(*episodes, access=0), "A")
    assert found.value == 0
    assert not found.spread
    assert found.worth == pytest.approx(100, rel=0.05)
    alone = utility(*[(0, 10)] * 100)
    assert u_of(alone).worth == 1000


def test_what_nothing_stands_behind_is_left_out() -> None:
    """Products too: they are no plain proportions."""
    sample = utility((5, 10), (6, 10))
    assert set(shares(sample, strata(sample.episodes), 0.95)) == {"U", "OR"}
