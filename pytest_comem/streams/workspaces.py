"""Workspaces: checked when a stream is loaded, laid out for every run from the store of files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from pytest_comem.errors import BenchmarkDefect, DataError, InfrastructureError
from pytest_comem.records.canonical import digest as digest_of
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.paths import UnsafeError, clash, path_problem, read_below, size_of
from pytest_comem.streams.schema import Workspace

#: Directory of a stream that holds every file of every workspace.
STORE: Final = "files"
#: Most bytes of a stored file, and of all files of a workspace.
MAX_FILE_BYTES: Final = 8 * 1024 * 1024
MAX_WORKSPACE_BYTES: Final = 64 * 1024 * 1024
#: Modification time of every file that is laid out: 2025-01-01 UTC, in seconds.
LAID_OUT_AT: Final = 1_735_689_600


class Stored(Protocol):
    """What has a store of files: a stream.

    :ivar directory: of the stream.
    """

    @property
    def directory(self) -> Path:
        """Return the directory that has ``files`` in it."""


def check_workspace(directory: Path, workspace: Workspace, place: str, shown: str) -> None:
    """Refuse a workspace that could not be laid out the same everywhere.

    :param directory: of the stream.
    :param place: participant and task, in words, such as ``participant ada, task t1: ``.
    :param shown: the workspace's file in messages.
    :raises DataError: where a path is unsafe, or a stored file is missing, a link or too large.
    """
    total = 0
    for path, stored in workspace.files.items():
        field = f"files.{clipped(path)}"
        problem = path_problem(path) or path_problem(stored)
        if problem is None:
            size, problem = _size(directory, stored)
            total += size
        if problem:
            raise DataError(f"{place}{problem}", file=shown, field=field)
    problem = clash(workspace.files) or clash(dict.fromkeys(workspace.files.values()))
    if total > MAX_WORKSPACE_BYTES:
        problem = f"its files have {total:,} bytes; at most {MAX_WORKSPACE_BYTES:,} are allowed"
    if problem:
        raise DataError(f"{place}{problem}", file=shown, field="files")


def _size(directory: Path, stored: str) -> tuple[int, str | None]:
    """Return a stored file's size, and what is wrong with it."""
    try:
        size = size_of(directory, f"{STORE}/{stored}")
    except UnsafeError as error:
        return 0, f"{STORE}/{clipped(stored)} {error}"
    if size > MAX_FILE_BYTES:
        too_large = f"has {size:,} bytes; at most {MAX_FILE_BYTES:,} are allowed"
        return size, f"{STORE}/{clipped(stored)} {too_large}"
    return size, None


def contents(stream: Stored, workspace: Workspace) -> dict[str, bytes]:
    """Return every file's content by its path in the workspace, ordered by path.

    :raises BenchmarkDefect: where a stored file is no longer what it was when it was loaded.
    """
    return {
        path: _content(stream.directory, stored) for path, stored in sorted(workspace.files.items())
    }


def digest(stream: Stored, workspace: Workspace) -> str:
    """Return the SHA-256 of the paths and contents of a workspace, 64 hexadecimal digits.

    :raises BenchmarkDefect: as :func:`contents`.
    """
    return digest_of(hashes(stream, workspace))


def hashes(stream: Stored, workspace: Workspace) -> dict[str, str]:
    """Return every file's SHA-256 by its path in the workspace.

    :raises BenchmarkDefect: as :func:`contents`.
    """
    return {
        path: hashlib.sha256(_content(stream.directory, stored)).hexdigest()
        for path, stored in sorted(workspace.files.items())
    }


def lay_out(stream: Stored, workspace: Workspace, destination: Path) -> None:
    """Copy a workspace's files into a directory, which is made where it is not there.

    Files are copies of mode 0644, directories of 0755, and all have the same modification time.

    :param destination: has none of the files yet.
    :raises BenchmarkDefect: as :func:`contents`.
    :raises InfrastructureError: of type ``sandbox``, where a copy cannot be written.
    """
    files = contents(stream, workspace)
    try:
        destination.mkdir(parents=True, exist_ok=True)
        for path, content in files.items():
            _write(destination / path, content)
        _even_out(destination, files)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        problem = f"the workspace cannot be laid out in {destination}: {reason}"
        raise InfrastructureError(problem, type="sandbox") from error


def _write(target: Path, content: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        file.write(content)
    target.chmod(0o644)


def _even_out(destination: Path, files: Mapping[str, bytes]) -> None:
    """Set all times, of directories last: writing into them changes theirs; and their mode."""
    above = {parent for path in files for parent in (destination / path).parents}
    inner = [each for each in above if destination in each.parents]
    for each in inner:
        each.chmod(0o755)
    for target in (*(destination / path for path in files), *inner):
        os.utime(target, (LAID_OUT_AT, LAID_OUT_AT))


def _content(directory: Path, stored: str) -> bytes:
    try:
        return read_below(directory, f"{STORE}/{stored}", MAX_FILE_BYTES)
    except UnsafeError as error:
        problem = f"{directory.absolute().name}/{STORE}/{clipped(stored)} {error}"
        raise BenchmarkDefect(problem) from None
