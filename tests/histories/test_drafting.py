"""Drafts of requests by rule."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pytest_comem.histories.drafting import (
    activities_of,
    can_be_scored,
    content_words,
    draft_of,
    fates_of,
)
from pytest_comem.histories.work import Work
from pytest_comem.streams.schema import Activity


def work(before: dict[str, str], after: dict[str, str], message: str = "m", **renamed: str) -> Work:
    """Return work on texts."""
    raw = [{path: text.encode() for path, text in each.items()} for each in (before, after)]
    moment = datetime(2024, 1, 8, tzinfo=UTC)
    return Work(1, moment, (message,), raw[0], raw[1], renamed)


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("docs: added an index of ports", "Add an index of ports"),
        ("[doc] Fixes the harbour map (#123)", "Fix the harbour map"),
        ("feat(readme)!: describe install", "Describe install"),
        ("Updating the plan", "Update the plan"),
        ("Readme is shorter", "Readme is shorter"),
        ("Merge branch 'x'", "Update the documents"),
        ("", "Update the documents"),
    ],
)
def test_a_subject_becomes_a_request(message: str, title: str) -> None:
    """In the imperative, without what only version control wants."""
    assert draft_of([message], {}).title == title


def test_bodies_stay_and_trailers_and_diffs_go() -> None:
    """The goal is told, never the change itself."""
    message = (
        "Add ports\n\nPilots asked for it.\n\nSigned-off-by: A <a@x.org>\nCloses: #4\n"
        "diff --git a/x b/x\n+secret line\n"
    )
    found = draft_of([message, "add ports", "Sort them"], {"a.md": "changed", "b.md": "new"})
    assert found.instruction == (
        "Add ports. Pilots asked for it. Sort them. It is about a.md. New is b.md."
    )


def test_a_new_file_with_a_date_in_its_name_is_not_named() -> None:
    """How such files are called is a habit that nobody states."""
    one = work({}, {"notes/2024-01-08-x.md": "x\n", "b.md": "y\n"})
    assert fates_of(one) == {"a file in notes": "new", "b.md": "new"}


def test_what_says_too_little_or_changes_no_text_is_not_scored() -> None:
    """Three words with a meaning, of the messages alone, and a changed text."""
    said = draft_of(["Describe harbour pilots"], {"a.md": "changed"})
    short = draft_of(["Fix it"], {"a.md": "changed"})
    changed, same = work({"a.md": "x"}, {"a.md": "y"}), work({"a.md": "x"}, {})
    assert can_be_scored(said, changed)
    assert not can_be_scored(short, changed)
    assert not can_be_scored(said, same)
    assert content_words("add the file to it") == 1


def test_activities_follow_from_files_and_words() -> None:
    """Code, data, plans, corrections, and writing otherwise."""
    cases = {
        "a.py": ("Add a script", Activity.CODING),
        "b.py": ("Fix a crash", Activity.DEBUGGING),
        "c.csv": ("Add rows", Activity.DATA_PROCESS),
        "roadmap.md": ("Add June", Activity.PLANNING),
        "d.md": ("Typos", Activity.REVIEW),
        "e.md": ("Add a page", Activity.WRITING),
    }
    for path, (message, activity) in cases.items():
        assert activities_of(work({}, {path: "x"}, message)) == (activity,)


def test_a_renamed_file_is_new_under_no_name() -> None:
    """It changed from what it was under the old one."""
    one = work({"a.md": "x\ny\n"}, {"b.md": "x\nz\n"}, "m", **{"a.md": "b.md"})
    assert one.texts == {"b.md": ("x\ny\n", "x\nz\n")}
    assert one.new == ()
    assert fates_of(one) == {"b.md": "renamed"}
