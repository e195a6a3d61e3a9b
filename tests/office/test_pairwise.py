"""The blind comparison of two runs."""

from __future__ import annotations

import pytest

from pytest_comem.office.base import Found, Grade
from pytest_comem.office.pairwise import Side, prefers

WEIGHTS = {"light": 1.0, "heavy": 3.0}


def side(workspace: float = 80.0, explorations: int = 0, **items: bool | None) -> Side:
    """Return a run with these results."""
    found = {name: Found(passed, "") for name, passed in items.items()}
    return Side(Grade(workspace, None, {}, found), explorations, WEIGHTS)


DECIDED = [
    (side(light=True, heavy=False), side(light=False, heavy=True), False, "preference"),
    (side(light=True, heavy=True), side(light=True, heavy=False), True, "preference"),
    (side(60, heavy=True), side(100, heavy=False), True, "preference"),
    (side(60, heavy=True), side(61, heavy=True), False, "workspace"),
    (side(60, heavy=None), side(61, heavy=True), False, "workspace"),
    (side(70, 9), side(60, 0), True, "workspace"),
    (side(70, 3), side(70, 4), True, "exploration"),
    (side(70, 5), side(70, 4), False, "exploration"),
]


@pytest.mark.parametrize(("with_", "without", "wins", "by"), DECIDED)
@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_the_first_difference_decides_whatever_the_side(
    with_: Side, without: Side, wins: bool, by: str, seed: int
) -> None:
    """Preference before Workspace before exploration; sides and seeds change nothing."""
    found = prefers("ada/t1", seed, with_, without)
    assert (found.with_wins, found.decided_by) == (wins, by)
    turned = prefers("ada/t1", seed, without, with_)
    assert turned.with_wins is not wins


def test_sides_are_drawn_evenly_and_again_the_same() -> None:
    """About half the tasks have recall as A, and another seed draws others."""
    tasks = [f"ada/t{number}" for number in range(400)]
    first, again, other = (
        [prefers(task, seed, side(90), side(80)).with_side for task in tasks] for seed in (0, 0, 1)
    )
    assert first == again
    assert 160 < first.count("A") < 240
    assert 160 < sum(one != two for one, two in zip(first, other, strict=True)) < 240


def test_equal_runs_win_half_the_time_and_never_tie() -> None:
    """A coin that is neither bound to the side nor to having recall."""
    found = [prefers(f"ada/t{number}", 7, side(), side()) for number in range(400)]
    assert {one.decided_by for one in found} == {"coin"}
    assert 160 < sum(one.with_wins for one in found) < 240
    assert 160 < sum(one.with_wins == (one.with_side == "A") for one in found) < 240
