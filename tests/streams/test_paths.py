"""Paths of workspaces: what would not be the same file everywhere, or lie outside, is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_comem.streams.paths import UnsafeError, clash, path_problem, read_below, size_of


@pytest.mark.parametrize(
    "path", ["a", "a/b.md", ".env", "..a/b", "a b/ü.md", "x" * 255, "reports/2025-01 (final).docx"]
)
def test_ordinary_paths_are_safe(path: str) -> None:
    """Blanks, dots in names and letters of any language are nothing unusual."""
    assert path_problem(path) is None


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("", "no relative path"),
        ("/etc/passwd", "no relative path"),
        ("a\\b", "no relative path"),
        ("..", "not normalised"),
        ("a/../../b", "not normalised"),
        ("./a", "not normalised"),
        ("a//b", "not normalised"),
        ("a/", "not normalised"),
        ("a\nb", "do not print"),
        ("a\x1b[2J", "do not print"),
        ("a\0b", "do not print"),
        ("a\u202eb", "do not print"),
        ("a\ud800", "do not print"),
        ("u\u0308", "normal form NFC"),
        ("x" * 256, "more than 255 bytes"),
        ("ü" * 128, "more than 255 bytes"),
    ],
)
def test_unsafe_paths_are_refused(path: str, problem: str) -> None:
    """With a clause that prints and says why."""
    said = path_problem(path)
    assert said is not None
    assert problem in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("paths", "problem"),
    [
        (["a.md", "A.md"], "'A.md' and 'a.md' differ only in case"),
        (["Notes/a", "notes/b"], "'notes' and 'Notes' differ only in case"),
        (["x/STRASSE", "x/straße"], "differ only in case"),
        (["a", "a/b"], "'a' is a file, and a directory of 'a/b'"),
        (["a/b/c", "a"], "'a' is a file, and a directory of 'a/b/c'"),
        (["a/b", "a/c", "b", "ab"], None),
        ([], None),
    ],
)
def test_files_that_cannot_lie_together(paths: list[str], problem: str | None) -> None:
    """Twins but for case, at any depth, and a file where a directory would be."""
    said = clash(paths)
    assert (said is None) if problem is None else (said is not None and problem in said)


def test_reading_below_a_directory(tmp_path: Path) -> None:
    """A regular file of the size allowed, and no larger one."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"12345")
    assert size_of(tmp_path, "a/b") == 5
    assert read_below(tmp_path, "a/b", 5) == b"12345"
    with pytest.raises(UnsafeError, match="more than 4 bytes"):
        read_below(tmp_path, "a/b", 4)
    for path, problem in (
        ("a", "not a regular file"),
        ("c", "No such file"),
        ("a/b/c", "Not a dir"),
    ):
        with pytest.raises(UnsafeError, match=problem):
            read_below(tmp_path, path, 5)


def test_no_link_below_the_directory_is_followed(tmp_path: Path) -> None:
    """Neither the file nor a directory on the way; the directory itself may be one."""
    root = tmp_path / "root"
    (root / "real").mkdir(parents=True)
    (root / "real/file").write_text("x", encoding="utf-8")
    (root / "linked").symlink_to(root / "real")
    (root / "real/link").symlink_to(root / "real/file")
    (tmp_path / "other").symlink_to(root)
    assert read_below(tmp_path / "other", "real/file", 9) == b"x"
    for path in ("linked/file", "real/link"):
        with pytest.raises(UnsafeError, match="symbolic link"):
            read_below(root, path, 9)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_does_not_block(tmp_path: Path) -> None:
    """It is refused before it is opened."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnsafeError, match="not a regular file"):
        read_below(tmp_path, "pipe", 9)
