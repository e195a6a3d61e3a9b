from __future__ import annotations

import os
from pathlib import Path

import pytest

from pytest_comem.sandbox.disk import is_fuller
from pytest_comem.sandbox.reading import UnreadableError, read_file


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    """One byte more is too much."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(b"12345")
    assert read_file(tmp_path, "a/file", 5) == b"12345"
    assert read_file(tmp_path, "./a//file", 5) == b"12345"
    with pytest.raises(UnreadableError, match="more than 4 bytes"):
        read_file(tmp_path, "a/file", 4)


def test_the_workspace_itself_may_be_named_through_a_link(tmp_path: Path) -> None:
    """It is the caller's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "file").write_bytes(b"x")
    (tmp_path / "link").symlink_to("real")
    assert read_file(tmp_path / "link", "file", 5) == b"x"


@pytest.mark.parametrize(
    "name", ["", ".", "..", "/etc/passwd", "a/../../file", "missing", "dir", "pipe", "a\0b"]
)
def test_what_is_no_file_of_the_workspace_is_refused(tmp_path: Path, name: str) -> None:
    """Without waiting for anything."""
    (tmp_path / "dir").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnreadableError):
        read_file(tmp_path, name, 100)


@pytest.mark.parametrize("name", ["to-file", "to-dir/file", "loop", "dangling", "dir/up/file"])
def test_no_link_is_followed(tmp_path: Path, name: str) -> None:
    """Not even one that stays in the workspace."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "dir").mkdir()
    (tmp_path / "dir" / "file").write_text("x")
    (tmp_path / "dir" / "up").symlink_to("..")
    (tmp_path / "to-file").symlink_to("file")
    (tmp_path / "to-dir").symlink_to("dir")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("missing")
    with pytest.raises(UnreadableError):
        read_file(tmp_path, name, 100)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Whether it was read or refused."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    before = len(list(Path("/dev/fd").iterdir()))
    for name in ("a/b/file", "a/b/missing", "a/b", "a/missing/file", "a/b/file/x"):
        for limit in (0, 5):
            try:
                read_file(tmp_path, name, limit)
            except UnreadableError:
                continue
    is_fuller(tmp_path, 1 << 30)
    is_fuller(tmp_path, 1)
    assert len(list(Path("/dev/fd").iterdir())) == before


def test_a_workspace_is_measured_without_leaving_it(tmp_path: Path) -> None:
    """Links are not followed, and a file with many names is counted once."""
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (tmp_path / "big").write_bytes(b"x" * 2_000_000)
    (workspace / "link").symlink_to(tmp_path / "big")
    (workspace / "up").symlink_to(tmp_path)
    assert not is_fuller(workspace, 100_000)
    (workspace / "one").write_bytes(b"x" * 600_000)
    for number in range(9):
        (workspace / f"name-{number}").hardlink_to(workspace / "one")
    assert not is_fuller(workspace, 700_000)
    assert is_fuller(workspace, 500_000)


def test_a_file_with_holes_counts_what_it_takes(tmp_path: Path) -> None:
    """Not what it seems to have."""
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(1 << 30)
    assert not is_fuller(tmp_path, 1 << 20)
