"""Reading what a program left in its workspace, where every name may be a trap."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from errno import ELOOP, ENOTDIR
from pathlib import Path, PurePosixPath
from typing import Final

_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
#: Without waiting for a writer, should it be a pipe.
_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class UnreadableError(Exception):
    """A file of a workspace is not there, or is not what it should be; the message says which."""


def read_file(workspace: Path, relative: str, limit: int) -> bytes:
    """Return a regular file's content.

    No symbolic link is followed, neither as the file nor on the way to it, so that nothing outside
    the workspace is read, even while a program changes the workspace.

    :param relative: its path from the workspace.
    :param limit: bytes it may have.
    :raises UnreadableError: where there is no such file, a link or ``..`` is on the way, or it is
        longer.
    """
    parts = PurePosixPath(relative).parts
    if not parts or relative.startswith("/") or ".." in parts or "\0" in relative:
        raise UnreadableError(f"{relative!r} is not a path inside the workspace")
    try:
        descriptor = _open(workspace, parts)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        if error.errno in (ELOOP, ENOTDIR):
            reason = "a symbolic link, or no directory, is on the way"
        raise UnreadableError(f"{relative!r} cannot be read: {reason}") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UnreadableError(f"{relative!r} is not a regular file")
    with os.fdopen(descriptor, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise UnreadableError(f"{relative!r} has more than {limit} bytes")
    return content


def _open(workspace: Path, parts: tuple[str, ...]) -> int:
    """Open step by step, each from the directory before."""
    # The workspace itself is the caller's and may be named through links.
    here = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            inner = os.open(part, _DIRECTORY, dir_fd=here)
            os.close(here)
            here = inner
        return os.open(parts[-1], _FILE, dir_fd=here)
    finally:
        with suppress(OSError):
            os.close(here)
