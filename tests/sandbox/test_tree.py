"""Reading a whole workspace, whatever lies in it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_comem.sandbox import tree
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.tree import Files, read_tree


def test_files_come_with_their_paths_and_caches_do_not(tmp_path: Path) -> None:
    """Also empty ones, and those whose names begin with a dot."""
    for path in ("a.md", "b/c/d.csv", ".env", "b/__pycache__/x.pyc", ".git/config", "b/e.pyc"):
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(path if path != "a.md" else "")
    found = read_tree(tmp_path)
    assert found.content == {"a.md": b"", "b/c/d.csv": b"b/c/d.csv", ".env": b".env"}
    assert found.odd == {}


def test_what_is_no_regular_file_is_named_and_not_read(tmp_path: Path) -> None:
    """Links to files and directories, pipes, names that are no text."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "file").symlink_to(outside / "secret")
    (workspace / "way").symlink_to(outside)
    (workspace / "broken").symlink_to("nowhere")
    os.mkfifo(workspace / "pipe")
    (workspace / os.fsdecode(b"\xff")).write_text("x")
    found = read_tree(workspace)
    assert found.content == {}
    assert set(found.odd) == {"file", "way", "broken", "pipe", "\ufffd"}
    assert "symbolic link" in found.odd["way"]


def test_too_much_is_named_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large file, and files beyond what is read in all; the same ones each time."""
    monkeypatch.setattr(tree, "LARGEST", 10)
    monkeypatch.setattr(tree, "MOST_BYTES", 15)
    for name, size in (("a", 8), ("b", 11), ("c", 7), ("d", 1)):
        (tmp_path / name).write_bytes(b"x" * size)
    found = read_tree(tmp_path)
    assert sorted(found.content) == ["a", "c"]
    assert sorted(found.odd) == ["b", "d"]


def test_a_directory_of_too_many_entries_is_odd_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of them come first must not decide anything."""
    monkeypatch.setattr(tree, "MOST_ENTRIES", 5)
    (tmp_path / "many").mkdir()
    (tmp_path / "a").write_text("a")
    for number in range(9):
        (tmp_path / "many" / str(number)).write_text("x")
    found = read_tree(tmp_path)
    assert list(found.content) == ["a"]
    assert list(found.odd) == ["many"]


def test_a_deep_tree_is_left_out_below(tmp_path: Path) -> None:
    """However deep a program nests."""
    place = tmp_path
    for _ in range(60):
        place = place / "d"
    place.mkdir(parents=True)
    (place / "a").write_text("a")
    found = read_tree(tmp_path)
    assert found.content == {}
    assert len(found.odd) == 1


def test_a_workspace_that_is_gone_is_an_error(tmp_path: Path) -> None:
    """And not an empty one."""
    with pytest.raises(UnreadableError):
        read_tree(tmp_path / "gone")


def test_changed_are_files_that_are_new_differ_or_cannot_be_read() -> None:
    """Sorted; what is gone is not among them."""
    before = Files({"a": b"1", "b": b"1", "c": b"1", "d": b"1"})
    after = Files({"a": b"1", "b": b"2", "e": b""}, {"d": "it is a symbolic link"})
    assert after.changed_since(before) == ["b", "d", "e"]
