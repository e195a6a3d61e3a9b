"""Files appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.writing import write_files


def test_files_and_folders_are_made(tmp_path: Path) -> None:
    """Every file is there with its text, and nothing else."""
    write_files({tmp_path / "new" / "a": ["x", "é\n"], tmp_path / "new" / "b": []})
    assert (tmp_path / "new" / "a").read_bytes() == "xé\n".encode()
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["a", "b"]


def test_an_error_half_way_leaves_what_was_there(tmp_path: Path) -> None:
    """Where the text of the second file cannot be made, the first one keeps its old text."""

    def broken() -> Iterator[str]:
        yield "half"
        raise ValueError("no more")

    (tmp_path / "a").write_text("old")
    with pytest.raises(ValueError, match="no more"):
        write_files({tmp_path / "a": ["new"], tmp_path / "b": broken()})
    assert (tmp_path / "a").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_target_that_is_a_directory_touches_nothing(tmp_path: Path) -> None:
    """A target that cannot be a file is found out before any other is replaced."""
    (tmp_path / "b").mkdir()
    with pytest.raises(SettingsError, match="b cannot be written"):
        write_files({tmp_path / "a": ["new"], tmp_path / "b": ["new"]})
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_lone_surrogate_is_written_as_a_question_mark(tmp_path: Path) -> None:
    """Text that has no UTF-8 form does not stop the file from being written."""
    write_files({tmp_path / "a": ["x\ud800y"]})
    assert (tmp_path / "a").read_text() == "x?y"


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """A pipe stays a pipe: ``-o /dev/stdout`` and ``-o /dev/null`` must not become files."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_files({pipe: ["x", "y"]})
        assert os.read(reader, 10) == b"xy"
    finally:
        os.close(reader)
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_a_dash_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``-o -`` leaves no file of that name, which is hard to remove."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="name one"):
        write_files({Path("-"): ["x"]})
    assert not list(tmp_path.iterdir())
