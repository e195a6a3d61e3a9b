"""Diagnostics that need no model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest

from pytest_comem.office.base import Call, Followed, Found, Grade
from pytest_comem.office.diagnostics import (
    THRESHOLD,
    Problem,
    Similarity,
    continuity,
    memory_induced,
    open_problems,
    similarity,
)
from pytest_comem.office.operations import CallClass
from pytest_comem.streams.hidden import Check, Level, PreferenceItem, Rubric
from pytest_comem.streams.hidden import Test as HiddenTest

#: Vectors by text; nothing is said of their length.
VECTORS: Mapping[str, Sequence[float]] = {
    "east": (2, 0),
    "near": (0.7, math.sqrt(1 - 0.49)),
    "half": (0.6, 0.8),
    "north": (0, 3),
    "nothing": (0, 0),
}


def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """Return vectors of texts, each asked for once."""
    assert len(set(texts)) == len(texts)
    return [VECTORS[text] for text in texts]


def test_relevance_is_of_cosines_to_snippets() -> None:
    """Precision counts passages, recall snippets, from the paper's threshold; best cosines mean."""
    found = similarity(["near", "north", "nothing"], ["east", "half"], embed)
    near_half = 0.7 * 0.6 + math.sqrt(1 - 0.49) * 0.8
    assert found.mean == pytest.approx((0.7 + near_half) / 2)
    assert found.precision == pytest.approx(2 / 3)
    assert found.recall == 1.0
    assert THRESHOLD == 0.65
    far = similarity(["half"], ["east"], embed)
    assert (far.precision, far.recall) == (0.0, 0.0)


def test_without_snippets_or_passages_there_is_no_relevance() -> None:
    """What cannot be said is said of nothing; nothing recalled covers nothing."""
    assert similarity(["east"], [], embed) == Similarity(None, None, None)
    assert similarity([], ["east"], embed) == Similarity(None, None, 0.0)
    assert similarity(["east", "east"], ["east"], embed).precision == 1.0


def test_calls_are_counted_by_class() -> None:
    """Every class has a count, also where there was none."""
    calls = [
        Call("read", CallClass.EXPLORATION, "", True),
        Call("read", CallClass.EXPLORATION, "", False),
        Call("write", CallClass.EXECUTION, "", True),
    ]
    assert continuity(calls) == {"exploration": 2, "execution": 1, "other": 0}


def check(name: str, level: Level, *slots: str) -> Check:
    """Return a check that depends on slots."""
    return Check(check_id=name, level=level, text="t", kind="exists", arguments={}, slots=slots)


def item(name: str, *slots: str, judged: bool = False) -> PreferenceItem:
    """Return an item; one that only a judge decides has no test."""
    test = None if judged else HiddenTest(kind="exists", arguments={}, slots=slots)
    return PreferenceItem(item_id=name, root="r", text="t", test=test)


RUBRIC = Rubric(
    checks=(
        check("made", Level.MINIMUM),
        check("counts", Level.MINIMUM, "accounts"),
        check("both", Level.REFERENCE, "accounts", "path"),
        check("more", Level.BETTER, "accounts"),
    ),
    preferences=(item("dates", "style"), item("tone", judged=True)),
    choices={"accounts": "internal", "path": "a.md", "style": "iso"},
)
ALL = ("made", "counts", "both", "more", "dates", "tone")


def grade(*failed: str, workspace: float = 90.0) -> Grade:
    """Return a grade with some checks and items failed and all others passed."""
    found = {name: Found(name not in failed, "r") for name in ALL}
    return Grade(
        workspace,
        50.0,
        {name: found[name] for name in ALL[:4]},
        {name: found[name] for name in ALL[4:]},
    )


def test_problems_are_what_falls_short_of_the_reference() -> None:
    """Failed checks up to the reference, and failed items; improvements that lack are none."""
    found = [one.name for one in open_problems(grade(*ALL), RUBRIC)]
    assert found == ["made", "counts", "both", "dates", "tone"]
    assert open_problems(grade("more"), RUBRIC) == []
    undecided = Grade(0.0, None, {"made": Found(None, "r")}, {})
    assert open_problems(undecided, RUBRIC) == []


def test_a_problem_is_solvable_where_all_its_right_values_were_recalled() -> None:
    """Among others or alone; one value of two is not enough, and no slot is none of memory's."""
    both = Problem("both", ("accounts", "path"))
    known = {"accounts": ("none", "internal"), "path": ("a.md",)}
    assert both.is_solvable(RUBRIC, known)
    assert not both.is_solvable(RUBRIC, {"accounts": ("internal",)})
    assert not both.is_solvable(RUBRIC, {**known, "path": ("b.md",)})
    assert not Problem("made", ()).is_solvable(RUBRIC, known)
    assert not Problem("odd", ("unknown",)).is_solvable(RUBRIC, {"unknown": ("x",)})


def test_a_wrong_value_that_breaks_what_worked_is_induced() -> None:
    """The check passes without recall, fails with it, and its slot was followed astray."""
    astray = [Followed("accounts", "none", 0)]
    assert memory_induced(grade("counts"), grade(), astray, RUBRIC)
    assert memory_induced(grade("dates"), grade(), [Followed("style", "us", 0)], RUBRIC)


@pytest.mark.parametrize(
    ("with_recall", "without", "followed"),
    [
        (grade("counts"), grade("counts"), [Followed("accounts", "none", 0)]),
        (grade("counts"), grade(), [Followed("accounts", "internal", 0)]),
        (grade("counts"), grade(), []),
        (grade("counts", workspace=40), grade(), [Followed("path", "b.md", 0)]),
        (grade("counts"), grade(), [Followed("unknown", "x", 0)]),
        (grade("made", workspace=90), grade(), [Followed("path", "b.md", 0)]),
    ],
)
def test_other_failures_are_not_induced(
    with_recall: Grade, without: Grade, followed: list[Followed]
) -> None:
    """What failed anyway, or depends on other slots, or was followed rightly is not memory's."""
    assert not memory_induced(with_recall, without, followed, RUBRIC)


def test_a_lower_score_without_a_slot_is_induced_by_what_was_followed_astray() -> None:
    """Where nothing names a slot, the Workspace Score decides."""
    astray = [Followed("path", "b.md", 0)]
    assert memory_induced(grade("made", workspace=30), grade(), astray, RUBRIC)
    assert memory_induced(grade(workspace=80), grade(), astray, RUBRIC)
