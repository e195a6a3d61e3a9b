"""Which of two runs of a task did better: a blind comparison by rules, without ties.

The two runs are compared as A and B; which of them had recall is drawn by seed and task, and the
comparison is not told. In this order, the first difference decides:

1. the weight of the preference items that one passes and the other does not;
2. the Workspace Score;
3. fewer calls that explore;
4. a coin, drawn by seed and task.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, final

from pytest_comem.office.base import Grade

#: Differences of scores and weights below this are none.
_EQUAL: Final = 1e-9


@final
@dataclass(frozen=True, slots=True)
class Side:
    """One run of a task.

    :param explorations: calls of it that explore.
    :param weights: of the preference items by id; an item that is not there weighs one.
    """

    grade: Grade
    explorations: int
    weights: Mapping[str, float] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison came to.

    :param with_wins: whether the run with recall did better.
    :param with_side: which side it was.
    :param decided_by: ``preference``, ``workspace``, ``exploration`` or ``coin``.
    """

    with_wins: bool
    with_side: Literal["A", "B"]
    decided_by: str


def prefers(task_id: str, seed: int, with_: Side, without: Side) -> Comparison:
    """Compare the run with recall to the one without; the same for the same arguments.

    :param task_id: unique among all tasks that are compared, such as ``ada/t07``.
    """
    with_is_a = _drawn(seed, task_id, "side")
    a, b = (with_, without) if with_is_a else (without, with_)
    a_wins, decided_by = _better(a, b, _drawn(seed, task_id, "coin"))
    return Comparison(a_wins == with_is_a, "A" if with_is_a else "B", decided_by)


def _better(a: Side, b: Side, coin: bool) -> tuple[bool, str]:
    """Return whether A did better, and what decided it; blind to which had recall."""
    differences = {
        "preference": _won(a, b) - _won(b, a),
        "workspace": a.grade.workspace - b.grade.workspace,
        "exploration": float(b.explorations - a.explorations),
    }
    for name, difference in differences.items():
        if abs(difference) > _EQUAL:
            return difference > 0, name
    return coin, "coin"


def _won(one: Side, other: Side) -> float:
    """Return the weight of the items that one passes and the other does not."""
    items = {**one.weights, **other.weights}
    passed = (name for name, found in sorted(one.grade.items.items()) if found.passed)
    return sum(
        items.get(name, 1.0)
        for name in passed
        if name not in other.grade.items or other.grade.items[name].passed is False
    )


def _drawn(seed: int, task_id: str, what: str) -> bool:
    return bool(hashlib.sha256(f"{seed}\0{task_id}\0{what}".encode()).digest()[0] & 1)
