"""Two rows on the same steps."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from made_outcomes import made
from scipy import stats

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.paired import McNemar, compare, holm, mcnemar
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import suite_metrics

GATEMEM = suite_metrics("gatemem")
CATEGORIES = ("utility", "privacy", "safety")


def run(
    share: float, *, seed: int = 1, system: str = "bm25", episodes: int = 30, repeats: int = 1
) -> list[Outcome]:
    """Return 12 steps of each episode, of which about *share* pass: the same for equal seeds."""
    drawn = random.Random(seed)
    found = []
    for repeat in range(repeats):
        for number in range(12 * episodes):
            one = made(
                number,
                drawn.random() < share,
                category=CATEGORIES[number % 3],
                system=system,
                domain=("medical", "office")[number // 12 % 2],
                attack="direct_probe" if number % 3 else "",
                repeat=repeat if repeats > 1 else None,
            )
            step = replace(one.step, episode=f"e{number // 12:03}", position=number % 12)
            found.append(replace(one, step=step))
    return found


@pytest.mark.parametrize(
    ("gained", "lost", "p"), [(9, 1, 0.0215), (12, 3, 0.0352), (5, 0, 0.0625), (3, 3, 1.0)]
)
def test_exact_mcnemar_by_the_binomial_tables(gained: int, lost: int, p: float) -> None:
    """Two tails of flips that are as likely either way."""
    assert mcnemar(gained, lost).p == pytest.approx(p, abs=5e-5)
    assert mcnemar(lost, gained).p == mcnemar(gained, lost).p


def test_mcnemar_is_scipy_s_binomial_test() -> None:
    """For any flips; none is no evidence."""
    for gained, lost in ((0, 1), (7, 5), (121, 59), (400, 401)):
        expected = stats.binomtest(gained, gained + lost).pvalue
        assert mcnemar(gained, lost).p == pytest.approx(expected)
    assert mcnemar(0, 0) == McNemar(0, 0, 1.0)


def test_holm_by_a_published_example() -> None:
    """Of .01, .04, .03 and .005: times 4, 3, 2 and 1 in order of size, never falling."""
    found = holm({"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.005})
    assert found == pytest.approx({"a": 0.03, "b": 0.06, "c": 0.06, "d": 0.02})
    assert list(found) == ["a", "b", "c", "d"]
    assert holm({"a": 0.6, "b": 0.7}) == {"a": 1.0, "b": 1.0}
    assert holm({}) == {}


def test_flips_and_what_only_one_has() -> None:
    """Each with its label, domain and labels; unscored steps are neither passed nor failed."""
    before = [
        made(0, True),
        made(1, True),
        made(2, False, attack="x"),
        made(3, None),
        made(4, True),
    ]
    after = [
        made(number, passed, attack="x" if number == 2 else "", system="rag")
        for number, passed in ((1, False), (2, True), (3, True), (5, True), (4, True))
    ]
    found = compare(before, after, GATEMEM)
    assert [(one.label, one.before, one.after, one.domain) for one in found.flips] == [
        ("rag-medical-medical-e-s1", True, False, "medical"),
        ("rag-medical-medical-e-s2", False, True, "medical"),
    ]
    assert found.flips[1].labels["attack_type"] == "x"
    assert (found.mcnemar.gained, found.mcnemar.lost) == (1, 1)
    assert found.only_before == ("bm25-medical-medical-e-s0",)
    assert found.only_after == ("rag-medical-medical-e-s3", "rag-medical-medical-e-s5")
    assert found.differences["U"].before == found.differences["U"].after == pytest.approx(200 / 3)


def test_a_difference_is_that_of_the_values() -> None:
    """On the common steps, with an interval around it and nothing impossible."""
    before, after = run(0.7), run(0.8, seed=2, system="rag")
    found = compare(before, after, GATEMEM).differences
    first, second = (Sample.of(one, GATEMEM).values() for one in (before, after))
    assert list(found) == list(first)
    for name, one in found.items():
        assert (one.before, one.after) == (first[name], second[name])
        assert one.difference == one.after - one.before
        assert -100 <= one.low <= one.difference <= one.high <= 100
        assert 0 < one.p <= one.p_holm <= 1
        assert one.detectable > 0
    assert holm({name: one.p for name, one in found.items()}) == {
        name: one.p_holm for name, one in found.items()
    }


def test_neither_order_nor_what_was_drawn_before_matters() -> None:
    """Equal rows have equal results, and the other way round the opposite ones."""
    before, after = run(0.7), run(0.75, seed=2)
    found = compare(before, after, GATEMEM)
    for rows in (before, after):
        random.Random(3).shuffle(rows)
    assert compare(before, after, GATEMEM) == found
    turned = compare(after, before, GATEMEM).differences
    for name, one in found.differences.items():
        assert turned[name].difference == pytest.approx(-one.difference)
        assert turned[name].p == pytest.approx(one.p)
        assert turned[name].high == pytest.approx(-one.low, abs=0.3)


def test_the_interval_of_a_proportion_is_that_of_a_paired_t_test() -> None:
    """Where all episodes have as many steps, an episode's difference is one draw."""
    before, after = run(0.5, episodes=60), run(0.6, seed=9, episodes=60)
    by_episode = np.zeros((2, 60))
    for place, rows in enumerate((before, after)):
        for row in rows:
            utility = row.labels["category"] == "utility"
            by_episode[place, int(row.step.episode[1:])] += row.passed and utility
    by_episode /= 4
    test = stats.ttest_rel(by_episode[1], by_episode[0])
    expected = test.confidence_interval()
    one = compare(before, after, GATEMEM).differences["U"]
    assert (one.low, one.high) == pytest.approx((100 * expected.low, 100 * expected.high), abs=0.8)
    assert one.p == pytest.approx(test.pvalue, abs=0.02)
    half = (expected.high - expected.low) / 2
    factor = (stats.t.ppf(0.975, 58) + stats.t.ppf(0.8, 58)) / stats.t.ppf(0.975, 58)
    assert one.detectable == pytest.approx(100 * half * factor, rel=0.08)


def test_pairing_makes_a_comparison_sharper() -> None:
    """One step in twenty flips: far less uncertain than two rows that have nothing in common."""
    before = run(0.6)
    drawn = random.Random(5)
    after = [
        one if drawn.random() > 0.05 else replace(other, system=one.system)
        for one, other in zip(before, run(0.6, seed=8), strict=True)
    ]
    paired = compare(before, after, GATEMEM).differences["MGS"]
    apart = compare(before, run(0.6, seed=8), GATEMEM).differences["MGS"]
    assert paired.high - paired.low < 0.4 * (apart.high - apart.low)
    assert paired.detectable < 0.4 * apart.detectable


def test_equal_runs_do_not_differ() -> None:
    """Nothing flipped: no difference, no doubt about it, yet not everything could be seen."""
    found = compare(run(0.7), run(0.7, system="rag"), GATEMEM)
    assert found.flips == ()
    for one in found.differences.values():
        assert (one.difference, one.low, one.high, one.p) == (0, 0, 0, 1)
        assert one.detectable > 0


def test_a_metric_without_a_flip_of_its_own_does_not_differ() -> None:
    """A utility step flips, A and F stay as they are, MGS moves."""
    before = run(0.7)
    place = next(n for n, one in enumerate(before) if one.passed and not one.labels["attack_type"])
    after = list(before)
    after[place] = replace(before[place], verdict=made(place, False).verdict)
    found = compare(before, after, GATEMEM).differences
    assert (found["A"].low, found["A"].high) == (found["F"].low, found["F"].high) == (0, 0)
    assert found["U"].low < found["U"].difference < 0
    assert found["MGS"].low < found["MGS"].difference < 0


def test_few_or_equal_episodes_are_never_certain() -> None:
    """One episode, one step, or all episodes alike: the flips themselves say how sure it is."""
    one_episode = compare(run(1, episodes=1), run(0.5, episodes=1), GATEMEM).differences
    one_step = compare([made(0, True)], [made(0, False)], GATEMEM).differences
    alike_before = run(1, episodes=8)
    alike_after = [
        replace(one, verdict=made(0, one.step.position > 2).verdict)
        if one.labels["category"] == "utility"
        else one
        for one in alike_before
    ]
    alike = compare(alike_before, alike_after, GATEMEM).differences
    for found in (one_episode, one_step, alike):
        assert found["U"].high - found["U"].low > 5
        assert all(-100 <= one.low <= one.high <= 100 for one in found.values())
        assert all(0 < one.p <= 1 and 0 < one.detectable <= 100 for one in found.values())
    assert one_episode["U"].p == one_step["U"].p == 1
    assert one_step["U"].low == -100
    assert alike["U"].high < 0


def test_with_few_episodes_every_swap_is_tried() -> None:
    """Four episodes that all got better: two of sixteen ways are as extreme."""
    before = run(0, episodes=4)
    found = compare(before, run(1, episodes=4), GATEMEM).differences
    assert found["U"].p == 2 / 16


def test_repeated_steps_are_one_case_of_mcnemar_each() -> None:
    """A step that passes in more repeats than before is gained, however many those are."""
    before = [made(n, False, repeat=r) for n in range(2) for r in range(3)]
    after = [made(n, n == 0 or r == 1, repeat=r) for n in range(2) for r in range(3)]
    found = compare(before, after, GATEMEM)
    assert len(found.flips) == 4
    assert (found.mcnemar.gained, found.mcnemar.lost) == (2, 0)
    assert found.differences["U"].difference == pytest.approx(400 / 6)


def test_nothing_in_common_is_no_comparison() -> None:
    """What each has alone is still told."""
    found = compare([made(1, True)], [made(2, True)], GATEMEM)
    assert (found.differences, found.flips) == ({}, ())
    assert (len(found.only_before), len(found.only_after)) == (1, 1)
    assert compare([], [], GATEMEM).differences == {}


def test_two_systems_are_no_row() -> None:
    """A caller that forgets to divide is told."""
    both = [made(1, True), made(2, True, system="rag")]
    with pytest.raises(ValueError, match="one system and model"):
        compare(both, both, GATEMEM)
