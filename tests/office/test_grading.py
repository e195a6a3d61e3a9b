"""Scores of a final workspace by rules alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from made_office_files import no_command, raw

from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Grade, Hidden
from pytest_comem.office.grading import RuleGrader, applicable, grade_files
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import Check, Level, PreferenceItem, Relevance, Rubric
from pytest_comem.streams.hidden import Test as OneTest
from pytest_comem.streams.schema import Activity, Task

BEFORE = {"old.md": b"# Old\n", "kept.csv": b"a\n"}
REFERENCE = {**BEFORE, "report.md": b"# Report\n\nm1 m2 r1 r2 b1 b2\n2025-03-31\n"}


def saying(word: str) -> dict[str, Any]:
    """Return a test that the report has a word."""
    return {"kind": "contains", "arguments": {"file": "report.md", "all": [word]}}


def check(name: str, level: Level) -> Check:
    """Return a check that the report has its name."""
    return Check(check_id=name, level=level, text=name, **saying(name))


def item(name: str, weight: float, *documents: str, word: str | None = None) -> PreferenceItem:
    """Return an item that the report has a word, or one that only a judge can decide."""
    test = OneTest(**saying(word)) if word else None
    return PreferenceItem(
        item_id=name, root="r", text=name, weight=weight, documents=documents, test=test
    )


CHECKS = (
    *(check(name, Level.MINIMUM) for name in ("m1", "m2")),
    *(check(name, Level.REFERENCE) for name in ("r1", "r2")),
    *(check(name, Level.BETTER) for name in ("b1", "b2")),
)


def graded(words: str, *items: PreferenceItem, checks: tuple[Check, ...] = CHECKS) -> Grade:
    """Return the grade of a report of these words."""
    rubric = Rubric(checks=checks, preferences=items)
    hidden = Hidden(rubric, Relevance(), BEFORE, REFERENCE)
    return grade_files(hidden, Files({**BEFORE, "report.md": words.encode()}), no_command)


@pytest.mark.parametrize(
    ("words", "score"),
    [
        ("", 0),
        ("m1 r1 r2 b1 b2", 30),
        ("m1 m2", 60),
        ("m1 m2 b1 b2", 60),
        ("m1 m2 r1", 70),
        ("m1 m2 r1 b1 b2", 70),
        ("m1 m2 r1 r2", 80),
        ("m1 m2 r1 r2 b1", 90),
        ("m1 m2 r1 r2 b1 b2", 100),
    ],
)
def test_a_level_counts_once_the_one_below_is_reached(words: str, score: float) -> None:
    """60 for the minimum, 80 for the reference's quality, above it for more."""
    assert graded(words).workspace == score


@pytest.mark.parametrize(
    ("level", "without", "with_"),
    [(Level.MINIMUM, 0, 80), (Level.REFERENCE, 60, 80), (Level.BETTER, 80, 100)],
)
def test_a_level_without_checks_is_reached(level: Level, without: float, with_: float) -> None:
    """So that a task may have checks of one level alone."""
    one = (check("x", level),)
    assert graded("", checks=one).workspace == without
    assert graded("x", checks=one).workspace == with_


def test_preference_is_the_weight_that_passes_of_what_applies_and_is_decided() -> None:
    """Items about untouched files, and those for a judge, count neither way."""
    items = (
        item("a", 3, "*.md", word="good"),
        item("b", 1, word="fine"),
        item("c", 50, "*.csv", word="good"),
        item("d", 50, "report.*"),
    )
    grade = graded("good", *items)
    assert grade.preference == 75
    assert {name: one.passed for name, one in grade.items.items()} == {
        "a": True,
        "b": False,
        "d": None,
    }


@pytest.mark.parametrize("items", [(), (item("d", 1),), (item("c", 1, "*.csv", word="x"),)])
def test_without_a_decided_item_there_is_no_preference(items: tuple[PreferenceItem, ...]) -> None:
    """None is not zero."""
    assert graded("x", *items).preference is None


@pytest.mark.parametrize(
    ("reference", "pattern", "applies"),
    [
        (REFERENCE, "report.md", True),
        (REFERENCE, "old.md", False),
        ({"kept.csv": b"a\n"}, "old.md", True),
        ({**BEFORE, "kept.csv": b"b\n"}, "*.csv", True),
        (BEFORE, "*", False),
    ],
)
def test_an_item_applies_where_the_reference_touches_its_documents(
    reference: Mapping[str, bytes], pattern: str, applies: bool
) -> None:
    """Adds, changes or removes; not where it leaves them as they were."""
    assert applicable(item("a", 1, pattern), BEFORE, reference) is applies


def task() -> Task:
    """Return any task."""
    return Task(
        task_id="t1",
        started="2025-03-31T09:00",
        title="t",
        instruction="i",
        activities=(Activity.WRITING,),
    )


def hidden(*tests: dict[str, Any]) -> Hidden:
    """Return a hidden side with these minimum checks."""
    checks = tuple(
        Check(check_id=f"c{n}", level=Level.MINIMUM, text="t", **each)
        for n, each in enumerate(tests)
    )
    return Hidden(Rubric(checks=checks), Relevance(), BEFORE, REFERENCE)


def test_whatever_an_agent_leaves_leads_to_a_grade_and_stays_as_it_is(tmp_path: Path) -> None:
    """Links, directories in the place of files, pipes, names that are no text."""
    import os

    (tmp_path / "report.md").mkdir()
    (tmp_path / "link.md").symlink_to("/etc/passwd")
    (tmp_path / "round").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / os.fsdecode(b"\xff.md")).write_bytes(b"x")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    rules = RuleGrader()
    given = hidden(saying("m1"), {"kind": "exists", "arguments": {"file": "*.csv"}})
    grade = rules.grade(task(), given, tmp_path, Meter("test"))
    assert grade.workspace == 0
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_a_workspace_that_is_gone_is_the_graders_trouble(tmp_path: Path) -> None:
    """Never a low score."""
    with pytest.raises(InfrastructureError, match="task t1") as caught:
        RuleGrader().grade(task(), hidden(saying("m1")), tmp_path / "gone", Meter("test"))
    assert caught.value.type == "grader"


def test_a_rubric_that_cannot_be_evaluated_is_a_defect(tmp_path: Path) -> None:
    """An unknown kind says which there might be."""
    given = hidden({"kind": "contain", "arguments": {"file": "a"}})
    with pytest.raises(BenchmarkDefect, match="did you mean contains"):
        RuleGrader().grade(task(), given, tmp_path, Meter("test"))


def test_files_as_bytes_and_as_texts_agree() -> None:
    """The helper that makes files does not change them."""
    assert raw({"a": "ä", "b": b"\xff"}) == {"a": "ä".encode(), "b": b"\xff"}
