"""From commits to tasks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.histories.commits import Change, Commit
from pytest_comem.histories.grouping import author_of, groups_of

START = datetime(2024, 1, 8, 9, 0, tzinfo=UTC)
GAP = timedelta(minutes=120)


def chain(*each: tuple[str, int, str]) -> list[Commit]:
    """Return commits one after the other, from author, minute and path."""
    return [
        Commit(
            f"c{place}",
            f"c{place - 1}" if place else "",
            name.title(),
            f"{name}@x.org",
            START + timedelta(minutes=minute),
            f"message {place}",
            (Change(path, path),),
        )
        for place, (name, minute, path) in enumerate(each)
    ]


def grouped(commits: list[Commit], wanted: str = "ada") -> list[list[str]]:
    """Return the ids of the commits of each task."""
    groups = groups_of(commits, author_of(commits, wanted), GAP)
    return [[one.id for one in group.commits] for group in groups]


def test_commits_close_in_time_on_the_same_file_are_one_task() -> None:
    """The pause, and the files, part tasks."""
    commits = chain(("ada", 0, "a"), ("ada", 119, "a"), ("ada", 239, "a"), ("ada", 240, "b"))
    assert grouped(commits) == [["c0", "c1"], ["c2"], ["c3"]]


def test_work_of_others_parts_tasks_and_is_none() -> None:
    """What they did in between would otherwise count as the participant's."""
    commits = chain(("ada", 0, "a"), ("ben", 1, "a"), ("ada", 2, "a"), ("ada", 3, "a"))
    groups = list(groups_of(commits, author_of(commits), GAP))
    assert [group.before for group in groups] == ["", "c1"]
    assert [group.after for group in groups] == ["c0", "c3"]


def test_the_participant_has_most_commits_or_is_named() -> None:
    """By name or address; the first of those with as many."""
    commits = chain(("ben", 0, "a"), ("ada", 1, "a"), ("ada", 2, "a"), ("ben", 3, "a"))
    assert author_of(commits).email == "ben@x.org"
    assert author_of(commits, "ADA").email == "ada@x.org"
    assert author_of(commits, "ada@x.org").name == "Ada"
    with pytest.raises(SettingsError, match=r"--author Eve: .*Ada, Ben"):
        author_of(commits, "Eve")
    with pytest.raises(SettingsError, match="--paths"):
        author_of([])


def test_days_bound_the_tasks() -> None:
    """Since is the first moment that counts, until the first that does not."""
    commits = chain(("ada", 0, "a"), ("ada", 1440, "a"), ("ada", 2880, "a"))
    day = timedelta(days=1)
    found = groups_of(commits, author_of(commits), GAP, START + day, START + 2 * day)
    assert [group.after for group in found] == ["c1"]


def test_a_file_renamed_twice_has_its_first_and_last_name() -> None:
    """Names in between are no file of either workspace."""
    commits = [
        Commit(f"c{n}", f"c{n - 1}", "Ada", "a@x.org", START, "m", (Change(new, old),))
        for n, (old, new) in enumerate((("a", "b"), ("b", "c")))
    ]
    commits[0] = Commit("c0", "", "Ada", "a@x.org", START, "m", (Change("b", "a"),))
    (group,) = groups_of(commits, author_of(commits), GAP)
    assert group.renamed == {"a": "c"}
