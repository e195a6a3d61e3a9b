"""Workspaces: refused where they could not be laid out, and laid out the same every time."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stream_edits import edit, refused

from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.streams import workspaces
from pytest_comem.streams.loading import load_stream
from pytest_comem.streams.schema import Workspace
from pytest_comem.streams.workspaces import LAID_OUT_AT, contents, digest, hashes, lay_out

FILE = "tasks/t0004/workspace.json"
SHOWN = f"ada/{FILE}: field files"
WHO = "participant ada, task t0004:"


def put(**files: str) -> Callable[[Any], object]:
    """Return a change that adds files, ``path=stored``."""
    return lambda it: it["files"].update(files)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put(**{"../x": "notes/0004.md"}), f"{SHOWN}.../x: {WHO} '../x' is not normalised"),
        (put(**{"a/../../x": "notes/0004.md"}), f"{WHO} 'a/../../x' is not normalised"),
        (put(**{"/etc/x": "notes/0004.md"}), f"{WHO} string should match pattern"),
        (put(x="../participant.json"), f"{SHOWN}.x: {WHO} '../participant.json' is not normalised"),
        (put(x="/etc/passwd"), f"{SHOWN}.x: {WHO} string should match pattern"),
        (put(x="notes/absent.md"), f"{WHO} files/notes/absent.md cannot be read: No such file"),
        (put(x="notes"), f"{WHO} files/notes is not a regular file"),
        (put(x="link.md"), f"{WHO} files/link.md is or passes a symbolic link"),
        (put(x="linked/0004.md"), f"{WHO} files/linked/0004.md is or passes a symbolic link"),
        (put(x="large"), f"{WHO} files/large has 8,388,609 bytes; at most 8,388,608 are allowed"),
        (
            put(**{"Notes/0004.md": "notes/0004.md"}),
            f"{SHOWN}: {WHO} 'Notes/0004.md' and 'notes/0004.md' differ only in case",
        ),
        (put(notes="notes/0004.md"), f"{SHOWN}: {WHO} 'notes' is a file, and a directory of"),
        (put(x="\x1b[2J"), f"{SHOWN}.x: {WHO} '\\x1b[2J' holds characters that do not print"),
        (lambda it: it.update(files=[]), f"{SHOWN}: {WHO} input should be an object"),
        (put(x=3), f"{SHOWN}.x: {WHO} input should be a valid string"),  # type: ignore[arg-type]
    ],
    ids=range(15),
)
def test_unsafe_workspaces_are_refused(
    made: Path, change: Callable[[Any], object], message: str
) -> None:
    """Paths that lead out, links, twins, what is missing or too large, with file and task."""
    store = made / "files"
    (store / "link.md").symlink_to(store / "notes/0004.md")
    (store / "linked").symlink_to(store / "notes")
    with (store / "large").open("wb") as file:
        file.truncate(workspaces.MAX_FILE_BYTES + 1)
    edit(made / FILE, change)
    assert message in refused(lambda: load_stream(made))


def test_stored_twins_are_refused(made: Path) -> None:
    """Two stored files whose names differ only in case would be one on some machines."""
    (made / "files/notes/One.md").write_text("1", encoding="utf-8")
    (made / "files/notes/one.md").write_text("2", encoding="utf-8")
    edit(made / FILE, put(x="notes/One.md", y="notes/one.md"))
    said = refused(lambda: load_stream(made))
    assert said.startswith(f"{SHOWN}: {WHO} 'notes/one.md' and 'notes/One.md' differ only in case")


def test_a_workspace_of_too_many_bytes_is_refused(made: Path) -> None:
    """Each file is small enough, all of them are not; one stored file counts as often as laid."""
    with (made / "files/large").open("wb") as file:
        file.truncate(workspaces.MAX_FILE_BYTES)
    edit(made / FILE, put(**{f"x{number}": "large" for number in range(8)}))
    said = refused(lambda: load_stream(made))
    assert f"{WHO} its files have 67,108," in said
    assert "at most 67,108,864 are allowed" in said


def test_a_workspace_is_laid_out(made: Path, tmp_path: Path) -> None:
    """Plain copies at their paths, of one mode and time, that are not the stored files."""
    (made / "files/notes/0004.md").chmod(0o400)
    edit(made / FILE, put(**{"deep/er/copy.md": "notes/0004.md"}))
    stream = load_stream(made)
    workspace = stream.task("t0004").workspace
    assert workspace is not None
    place = tmp_path / "run/workspace"
    lay_out(stream, workspace, place)
    laid = {str(path.relative_to(place)): path for path in place.rglob("*") if path.is_file()}
    assert set(laid) == {"notes/0004.md", "deep/er/copy.md"}
    for name, path in laid.items():
        assert path.read_bytes() == (made / "files/notes/0004.md").read_bytes()
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        assert path.stat().st_mtime == LAID_OUT_AT
        assert not path.is_symlink(), name
        assert path.stat().st_nlink == 1
    assert {path.stat().st_mtime for path in place.rglob("*")} == {LAID_OUT_AT}
    (place / "notes/0004.md").write_text("changed", encoding="utf-8")
    assert contents(stream, workspace)["notes/0004.md"] != b"changed"


def test_an_empty_workspace_is_an_empty_directory(made: Path, tmp_path: Path) -> None:
    """Work can begin with nothing."""
    lay_out(load_stream(made), Workspace(files={}), tmp_path / "w")
    assert list((tmp_path / "w").iterdir()) == []


def test_contents_are_ordered_and_hashed(made: Path) -> None:
    """By path, not by the file's order; the digest is of paths and bytes, not of stored names."""
    store = made / "files"
    for name, text in (("one", "1"), ("two", "2"), ("uno", "1")):
        (store / name).write_text(text, encoding="utf-8")
    stream = load_stream(made)
    first, second = (
        Workspace(files={"b": "two", "a": "one"}),
        Workspace(files={"a": "uno", "b": "two"}),
    )
    assert list(contents(stream, first).items()) == [("a", b"1"), ("b", b"2")]
    assert digest(stream, first) == digest(stream, second)
    assert list(hashes(stream, first)) == ["a", "b"]
    assert digest(stream, first) != digest(stream, Workspace(files={"a": "two", "b": "one"}))
    assert digest(stream, first) != digest(stream, Workspace(files={"a": "one"}))


def test_a_stored_file_that_is_lost_in_play_is_a_defect(made: Path, tmp_path: Path) -> None:
    """Neither the agent's fault nor the sandbox's; a link in its place is not followed."""
    stream = load_stream(made)
    workspace = stream.task("t0004").workspace
    assert workspace is not None
    (made / "files/notes/0004.md").unlink()
    with pytest.raises(BenchmarkDefect, match=r"ada/files/notes/0004\.md cannot be read"):
        lay_out(stream, workspace, tmp_path / "w")
    (made / "files/notes/0004.md").symlink_to(made / "participant.json")
    with pytest.raises(BenchmarkDefect, match="symbolic link"):
        contents(stream, workspace)


def test_a_place_that_cannot_be_written_is_the_sandboxs(made: Path, tmp_path: Path) -> None:
    """A file lies where the directory should be, or a file of the workspace is there already."""
    stream = load_stream(made)
    workspace = stream.task("t0004").workspace
    assert workspace is not None
    (tmp_path / "taken").write_text("x", encoding="utf-8")
    with pytest.raises(InfrastructureError, match="cannot be laid out") as caught:
        lay_out(stream, workspace, tmp_path / "taken")
    assert caught.value.type == "sandbox"
    lay_out(stream, workspace, tmp_path / "w")
    with pytest.raises(InfrastructureError, match="File exists"):
        lay_out(stream, workspace, tmp_path / "w")


@pytest.mark.skipif(not hasattr(os, "umask"), reason="there is no umask here")
def test_modes_do_not_depend_on_the_umask(made: Path, tmp_path: Path) -> None:
    """Directories 0755 and files 0644, whatever the user's is."""
    stream = load_stream(made)
    workspace = stream.task("t0004").workspace
    assert workspace is not None
    before = os.umask(0o077)
    try:
        lay_out(stream, workspace, tmp_path / "w")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "w/notes").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "w/notes/0004.md").stat().st_mode) == 0o644
