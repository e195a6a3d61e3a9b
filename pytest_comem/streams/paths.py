"""Paths of workspaces, and reading what lies at them: safe on every machine, without links."""

from __future__ import annotations

import os
import stat
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Final

from pytest_comem.records.strict_json import clipped

#: Longest name of a file or directory in bytes, as file systems have it.
_MAX_NAME: Final = 255
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class UnsafeError(Exception):
    """A file is not there, or is not what it should be; the message is a clause that says why."""


def path_problem(path: str) -> str | None:
    """Return why a relative path is not used, as a clause; ``None`` where it is safe."""
    shown = clipped(path)
    if not path or path.startswith("/") or "\\" in path:
        return f"'{shown}' is no relative path with forward slashes"
    if not path.isprintable():
        return f"'{shown}' holds characters that do not print"
    if path != unicodedata.normalize("NFC", path):
        return f"'{shown}' is not in the Unicode normal form NFC"
    parts = path.split("/")
    if any(part in ("", ".", "..") for part in parts):
        return f"'{shown}' is not normalised: it has an empty part, . or .."
    if any(len(part.encode("utf-8")) > _MAX_NAME for part in parts):
        return f"'{shown}' has a name of more than {_MAX_NAME} bytes"
    return None


def clash(paths: Iterable[str]) -> str | None:
    """Return why files cannot lie beside each other on every machine; ``None`` where they can.

    Two paths that differ only in case are one file on some, and no file is also a directory.
    """
    seen: dict[str, str] = {}
    files = tuple(paths)
    for path in files:
        for above in (path, *map(str, PurePosixPath(path).parents)):
            other = seen.setdefault(above.casefold(), above)
            if other != above:
                return f"'{clipped(above)}' and '{clipped(other)}' differ only in case"
    held = set(files)
    for path in files:
        for above in map(str, PurePosixPath(path).parents):
            if above in held:
                return f"'{clipped(above)}' is a file, and a directory of '{clipped(path)}'"
    return None


def size_of(root: Path, path: str) -> int:
    """Return the size in bytes of a regular file that lies below *root*.

    :raises UnsafeError: where it is not there, is no regular file, or a link is on the way.
    """
    here = root
    for part in (None, *PurePosixPath(path).parts):
        here = here if part is None else here / part
        try:
            # The root itself is the user's, and may be named through links.
            found = here.stat() if part is None else here.lstat()
        except (OSError, ValueError) as error:
            raise UnsafeError(f"cannot be read: {_reason(error)}") from None
        if stat.S_ISLNK(found.st_mode):
            raise UnsafeError("is or passes a symbolic link; put the file itself there")
    if not stat.S_ISREG(found.st_mode):
        raise UnsafeError("is not a regular file")
    return found.st_size


def read_below(root: Path, path: str, limit: int) -> bytes:
    """Return the content of a regular file that lies below *root*.

    :param limit: bytes it may have.
    :raises UnsafeError: as :func:`size_of`, or where it is longer.
    """
    size_of(root, path)
    try:
        descriptor = os.open(root / path, _FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            content = file.read(limit + 1)
    except OSError as error:
        raise UnsafeError(f"cannot be read: {_reason(error)}") from None
    if len(content) > limit:
        raise UnsafeError(f"has more than {limit:,} bytes")
    return content


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or type(error).__name__
