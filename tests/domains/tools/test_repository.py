"""Repositories: what git writes is read, and what was tampered with is refused."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from pathlib import Path

import pytest

from pytest_comem.domains.tools.repository import (
    commit_files,
    committed_paths,
    make_repository,
    read_committed,
)
from pytest_comem.domains.tools.tables import NoTableError

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(workspace: Path, *arguments: str) -> str:
    """Run git in a workspace."""
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    done = subprocess.run(
        ["git", *arguments],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


@needs_git
def test_git_takes_a_new_repository_for_one(tmp_path: Path) -> None:
    """With one commit and nothing in it; what git commits then is read without git."""
    make_repository(tmp_path)
    assert git(tmp_path, "fsck", "--strict") == ""
    assert git(tmp_path, "log", "--format=%s") == "An empty repository\n"
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.csv").write_text("a\n1\n")
    (tmp_path / "docs.md").write_text("one\n")
    git(tmp_path, "add", "docs/a.csv", "docs.md")
    git(tmp_path, "commit", "-m", "first")
    (tmp_path / "docs" / "a.csv").write_text("not committed")
    assert committed_paths(tmp_path) == ["docs.md", "docs/a.csv"]
    assert read_committed(tmp_path, "docs/a.csv") == b"a\n1\n"


@needs_git
def test_git_reads_what_a_ground_truth_commits(tmp_path: Path) -> None:
    """Files of earlier commits stay; names are in the order that git wants."""
    make_repository(tmp_path)
    commit_files(tmp_path, {"docs/a.md": b"a\n", "docs-old.md": b"b\n"}, "one")
    commit_files(tmp_path, {"docs/b/c.md": b"c\n", "docs/a.md": b"new\n"}, "two")
    assert git(tmp_path, "fsck", "--strict") == ""
    assert git(tmp_path, "show", "HEAD:docs/a.md") == "new\n"
    assert git(tmp_path, "log", "--format=%s").split() == [
        "two",
        "one",
        *["An", "empty", "repository"],
    ]
    assert committed_paths(tmp_path) == ["docs-old.md", "docs/a.md", "docs/b/c.md"]


def repository(tmp_path: Path) -> Path:
    """Return a repository with one file."""
    make_repository(tmp_path)
    commit_files(tmp_path, {"docs/a.md": b"a\n"}, "one")
    return tmp_path


@pytest.mark.parametrize("path", ["docs/b.md", "a.md", "docs", "docs/a.md/x"])
def test_files_that_are_not_committed_are_not_there(tmp_path: Path, path: str) -> None:
    """Nor is a directory a file."""
    with pytest.raises(NoTableError):
        read_committed(repository(tmp_path), path)


@pytest.mark.parametrize(
    "head", ["", "ref: refs/heads/../../../etc/passwd", "ref: refs/heads/x", "zz"]
)
def test_a_head_that_leads_nowhere_is_refused(tmp_path: Path, head: str) -> None:
    """No way out of the repository by a reference."""
    place = repository(tmp_path)
    (place / ".git" / "HEAD").write_text(head)
    with pytest.raises(NoTableError):
        read_committed(place, "docs/a.md")


@pytest.mark.parametrize(
    "raw",
    [
        b"no zlib",
        zlib.compress(b"blob 3\0abc"),
        zlib.compress(b"blob 99\0abc"),
        zlib.compress(b"\0" * 50_000_000),
    ],
)
def test_exchanged_objects_are_refused(tmp_path: Path, raw: bytes) -> None:
    """An object is what its name is the hash of, of its length, and not without bound."""
    place = repository(tmp_path)
    for path in (place / ".git" / "objects").glob("??/*"):
        path.write_bytes(raw)
    with pytest.raises(NoTableError):
        read_committed(place, "docs/a.md")


def test_an_object_is_what_its_name_says(tmp_path: Path) -> None:
    """Another content of the same form and length under the same name is refused."""
    place = repository(tmp_path)
    assert read_committed(place, "docs/a.md") == b"a\n"
    (blob,) = (
        path
        for path in (place / ".git" / "objects").glob("??/*")
        if zlib.decompress(path.read_bytes()).startswith(b"blob")
    )
    blob.write_bytes(zlib.compress(b"blob 2\0b\n"))
    with pytest.raises(NoTableError):
        read_committed(place, "docs/a.md")


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A repository that points elsewhere is none."""
    (tmp_path / "real").mkdir()
    real = repository(tmp_path / "real")
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").symlink_to(real / ".git")
    with pytest.raises(NoTableError):
        read_committed(other, "docs/a.md")
