"""Commits and trees of a history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pytest_comem.histories.commits import Change, commits_of, tree_of
from pytest_comem.histories.git import open_history


def test_renames_are_followed_and_deletions_noted(history: Any) -> None:
    """A change says under which name a file was before."""
    text = "".join(f"line {number}\n" for number in range(20))
    history.commit("Start", {"docs/a b.md": text, "docs/c.md": "c\n", "src/x.py": "x\n"}, 0)
    history.commit("Rename", {"docs/a b.md": None, "docs/é.md": text}, 5)
    history.commit("Delete", {"docs/c.md": None}, 10)
    history.commit("Elsewhere", {"src/x.py": "y\n"}, 15)
    with open_history(history.made()) as reader:
        start, rename, delete = commits_of(reader, ["docs"])
    assert start.changes == (Change("docs/a b.md", None), Change("docs/c.md", None))
    assert rename.changes == (Change("docs/é.md", "docs/a b.md"),)
    assert delete.changes == (Change("docs/c.md", "docs/c.md", gone=True),)
    assert (start.parent, rename.parent) == ("", start.id)


def test_author_moment_and_message_are_those_of_the_commit(history: Any) -> None:
    """Names lose runs of blanks, addresses their case; time is UTC."""
    history.commit("Über\n\nBody.\n", {"a.md": "1\n"}, 30, "Ada   M. Stone <Ada@Corp.Example.COM>")
    with open_history(history.made()) as reader:
        (one,) = commits_of(reader, ["a.md"])
    assert (one.name, one.email) == ("Ada M. Stone", "ada@corp.example.com")
    assert one.moment == datetime(2024, 1, 8, 9, 30, tzinfo=UTC)
    assert one.message.startswith("Über\n\nBody.")


def test_merges_links_and_submodules_are_left_out(history: Any) -> None:
    """What is merged is there in its own commits; what is no regular file is nowhere."""
    first = history.commit("Start", {"a.md": "1\n", "link": "link:/etc/passwd"}, 0)
    history.commit("Module", {"module": "module:", "link": "link:/etc/hosts"}, 1)
    history.commit("Side", {"b.md": "2\n"}, 2)
    history.commit("Merge", {"a.md": "3\n"}, 3, more=f"merge :{first}")
    with open_history(history.made()) as reader:
        commits = commits_of(reader, ["."])
        tree = tree_of(reader, reader.head, ["."])
    assert [one.message for one in commits] == ["Start", "Side"]
    assert sorted(tree) == ["a.md", "b.md"]


def test_a_path_is_no_pattern(history: Any) -> None:
    """A star, a bracket or a colon in --paths means itself."""
    history.commit("Start", {"a.md": "1\n", ":(top)b.md": "2\n"}, 0)
    with open_history(history.made()) as reader:
        assert commits_of(reader, ["*.md"]) == []
        assert len(commits_of(reader, [":(top)b.md"])) == 1
