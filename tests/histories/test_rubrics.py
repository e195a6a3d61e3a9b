"""Drafted rubrics, and the habits in them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from pytest_comem.histories.drafting import Draft
from pytest_comem.histories.earlier import Earlier
from pytest_comem.histories.habits import Habits, form_of
from pytest_comem.histories.items import habits_in
from pytest_comem.histories.patterns import literal, pattern_of
from pytest_comem.histories.rubrics import mutated, rubric_of
from pytest_comem.histories.sessions import session_of
from pytest_comem.histories.work import Work
from pytest_comem.office.inside import office_tools
from pytest_comem.streams.hidden import Level, Rubric

DRAFT = Draft("Add a note about lighthouses", "Add a note about lighthouses.")
KEPT = {"docs/old.md": b"# Old\n\nNothing new here at all.\n", "docs/[x]*.md": b"odd name\n"}


def note(number: int, date: str = "", keeper: str = "Ada", heading: str = "Decisions") -> str:
    """Return a note as the participant always writes it, but for what is given."""
    shown = date or f"{number:02}.03.2024"
    return (
        f"# Note {number}\n\nDate: {shown}\n\nKept by: {keeper}\n\n"
        f"There are {number} lighthouses near the old harbour wall.\n\n"
        f"## {heading}\n\n- Paint lighthouse {number} before the autumn storms.\n"
    )


def task(number: int, text: str, path: str = "") -> Work:
    """Return the work of writing one note."""
    name = path or f"docs/2024-03-{number:02}-note.md"
    moment = datetime(2024, 3, number, tzinfo=UTC)
    return Work(number, moment, ("Add note",), KEPT, KEPT | {name: text.encode()}, {})


def learned(until: int = 5) -> Habits:
    """Return what notes 1 and on have shown."""
    habits = Habits()
    for number in range(1, until):
        habits.learn(task(number, note(number)))
    return habits


def items(rubric: Rubric | None) -> list[str]:
    """Return the ids of the items that need no judge."""
    assert rubric is not None
    return sorted(one.item_id for one in rubric.preferences if one.test is not None)


def test_habits_that_the_reference_follows_become_items() -> None:
    """Dates, a line, a heading and the name of the file, each with what shows a breach."""
    now = task(9, note(9))
    rubric = rubric_of(now, DRAFT, habits_in(now, learned()))
    assert items(rubric) == ["dates", "heading-docs-decisions", "line-kept-by", "names-docs"]
    assert rubric is not None
    assert {one.documents for one in rubric.preferences} == {("docs/2024-03-09-note.md",)}


def test_a_habit_that_the_reference_breaks_is_no_item() -> None:
    """One departure drops one item."""
    for text, gone in (
        (note(9, date="2024-03-09"), "dates"),
        (note(9, keeper="Ben"), "line-kept-by"),
        (note(9, heading="Results"), "heading-docs-decisions"),
    ):
        now = task(9, text)
        assert gone not in items(rubric_of(now, DRAFT, habits_in(now, learned())))
    now = task(9, note(9), "docs/Note of 2024-03-09.md")
    assert "names-docs" not in items(rubric_of(now, DRAFT, habits_in(now, learned())))


def test_a_habit_needs_showings_without_a_contradiction() -> None:
    """One task makes none, and one task that does otherwise ends it."""
    now = task(9, note(9))
    assert items(rubric_of(now, DRAFT, habits_in(now, learned(2)))) == []
    habits = learned()
    habits.learn(task(6, note(6, date="2024-03-06", keeper="Ben")))
    found = items(rubric_of(now, DRAFT, habits_in(now, habits)))
    assert found == ["heading-docs-decisions", "names-docs"]


def test_checks_are_of_both_levels_and_find_the_new_file_by_its_place() -> None:
    """The name of a dated file is a habit, so the checks do not ask for it."""
    now = task(9, note(9))
    rubric = rubric_of(now, DRAFT, ())
    assert rubric is not None
    levels = [one.level for one in rubric.checks]
    assert levels.count(Level.MINIMUM) == 1
    assert levels.count(Level.REFERENCE) >= 3
    minimum = rubric.checks[0]
    assert minimum.arguments == {"file": "docs/*.md", "all": ["lighthouses"]}
    assert any(one.kind == "unchanged" for one in rubric.checks)


def test_a_task_that_shows_nothing_has_no_rubric() -> None:
    """An edit of blanks alone cannot be told from none."""
    now = Work(1, datetime(2024, 3, 1, tzinfo=UTC), ("m",), {"a.md": b"x\n"}, {"a.md": b"x \n"}, {})
    assert rubric_of(now, DRAFT, ()) is None


def test_mutations_do_in_a_workspace_what_was_tried_out(tmp_path: Path) -> None:
    """The operations themselves leave the same files."""
    now = task(9, note(9))
    rubric = rubric_of(now, DRAFT, habits_in(now, learned()))
    assert rubric is not None
    tests = [*rubric.checks, *(one.test for one in rubric.preferences if one.test)]
    for number, test in enumerate(tests):
        place = tmp_path / str(number)
        for path, content in now.after.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(content)
        asked = [{"name": one.do, "arguments": one.arguments} for one in test.mutation]
        assert all(one["ok"] for one in office_tools.perform(place, asked))
        found = {
            str(path.relative_to(place)): path.read_bytes()
            for path in place.rglob("*")
            if path.is_file()
        }
        assert found == mutated(now.after, test.mutation)


def test_a_path_with_marks_of_patterns_means_itself() -> None:
    """A bracket or star in a name is no pattern."""
    assert literal("docs/[x]*.md") == "docs/[[]x][*].md"
    now = Work(1, datetime(2024, 3, 1, tzinfo=UTC), ("m",), KEPT, KEPT | {"docs/[x]*.md": b"y"}, {})
    assert pattern_of(now, "docs/[x]*.md") == "docs/[[]x][*].md"


@pytest.mark.parametrize(
    ("path", "form"),
    [
        ("a/2024-03-01-short-note.md", "period first, -, lower, .md"),
        ("a/Short_Note_2024-03.md", "period last, _, mixed, .md"),
        ("a/note.txt", "no period, one word, lower, .txt"),
    ],
)
def test_the_form_of_a_name(path: str, form: str) -> None:
    """Where the date stands, how words are joined, and their case."""
    assert form_of(path) == form


def test_relevant_are_tasks_that_touched_the_file_or_show_the_habit_nearest_first() -> None:
    """Each with words of its session; the nearest ten at most."""
    earlier, habits = Earlier(), Habits()
    for number in range(1, 14):
        one = task(number, note(number))
        earlier.learn(one, f"t{number}", session_of(f"t{number}", DRAFT, one))
        habits.learn(one)
    path = "docs/2024-03-02-note.md"
    before = KEPT | {path: note(2).encode()}
    after = KEPT | {path: note(2).replace("2 lighthouses", "3 lighthouses").encode()}
    now = Work(14, datetime(2024, 3, 14, tzinfo=UTC), ("Count again",), before, after, {})
    (found,) = earlier.relevance(now, ()).relevant
    assert found.task_id == "t2"
    assert found.dependency == "file"
    assert "There are 2 lighthouses near the old harbour wall." in found.snippets

    another = task(15, note(15))
    found_habits = list(habits_in(another, habits))
    named = [one.task_id for one in earlier.relevance(another, found_habits).relevant]
    assert named == ["t13", "t12"]
    assert "Date: 13.03.2024" in earlier.relevance(another, found_habits).relevant[0].snippets
