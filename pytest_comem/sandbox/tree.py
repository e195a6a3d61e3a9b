"""All files that a program left in its workspace, read with bounds and without following a link."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from pytest_comem.sandbox.reading import UnreadableError, read_file

#: Bytes that one file, and all files together, may have to be read.
LARGEST: Final = 16 << 20
MOST_BYTES: Final = 128 << 20
#: Entries of a workspace, and directories within directories, that are looked at.
MOST_ENTRIES: Final = 10_000
_DEEPEST: Final = 40
#: What programs leave beside their work: their caches, and a repository's own files.
IGNORED: Final = frozenset(
    {"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache", ".git"}
)
_DIRECTORY: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


@final
@dataclass(frozen=True, slots=True)
class Files:
    """The files of a workspace at one moment.

    :param content: by path, of those that could be read.
    :param odd: why something is no file that can be read, by path: links, pipes, what is too
        large. Whole directories where they could not be listed.
    """

    content: Mapping[str, bytes]
    odd: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    def paths(self) -> list[str]:
        """Return all paths, of what could not be read too, sorted."""
        return sorted({*self.content, *self.odd})

    def changed_since(self, before: Files) -> list[str]:
        """Return the paths of what is new or changed, sorted."""
        return [
            path
            for path in self.paths()
            if path in self.odd or self.content[path] != before.content.get(path)
        ]


def read_tree(workspace: Path) -> Files:
    """Return what lies in a workspace; the same for the same tree, whatever is in it.

    :raises UnreadableError: where the workspace itself is no directory.
    """
    content: dict[str, bytes] = {}
    odd: dict[str, str] = {}
    room = MOST_BYTES
    for path, why in _walk(workspace):
        if why:
            odd[path] = why
            continue
        try:
            raw = read_file(workspace, path, min(LARGEST, room))
        except UnreadableError as error:
            odd[path] = str(error)
            continue
        content[path] = raw
        room -= len(raw)
    return Files(content, odd)


def _walk(workspace: Path) -> Iterator[tuple[str, str]]:
    """Yield paths, and why each is no regular file; what is empty is one.

    Directories are opened by their path from the workspace, each from the one before.
    """
    waiting, seen = [""], 0
    while waiting:
        here = waiting.pop()
        try:
            names = _listed(workspace, here)
        except OSError as error:
            if not here:
                raise UnreadableError(f"the workspace cannot be listed: {error.strerror}") from None
            yield here, f"a directory that cannot be listed: {error.strerror}"
            continue
        seen += len(names)
        if seen > MOST_ENTRIES or here.count("/") >= _DEEPEST:
            yield here or ".", f"more than {MOST_ENTRIES:,} entries, or too deep to be looked at"
            continue
        inner = []
        for name, kind in sorted(names.items()):
            path = f"{here}/{name}" if here else name
            if kind == "directory":
                inner.append(path)
            elif not name.endswith(".pyc"):
                yield path, kind
        waiting.extend(reversed(inner))


def _listed(workspace: Path, here: str) -> dict[str, str]:
    """Return what each name of a directory is: ``directory``, nothing for a file, or why neither.

    No more names than may be looked at are read.
    """
    descriptor = _opened(workspace, here)
    try:
        found: dict[str, str] = {}
        with os.scandir(descriptor) as entries:
            for entry in entries:
                if entry.name in IGNORED:
                    continue
                name, kind = _kind(entry)
                found[name] = kind
                if len(found) > MOST_ENTRIES:
                    break
        return found
    finally:
        os.close(descriptor)


def _opened(workspace: Path, here: str) -> int:
    # The workspace itself is the caller's and may be named through links.
    descriptor = os.open(workspace, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for part in here.split("/") if here else ():
        try:
            inner = os.open(part, _DIRECTORY, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _kind(entry: os.DirEntry[str]) -> tuple[str, str]:
    try:
        entry.name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(entry.name).decode("utf-8", "replace"), "its name is not UTF-8"
    try:
        mode = entry.stat(follow_symlinks=False).st_mode
    except OSError as error:
        return entry.name, f"cannot be looked at: {error.strerror}"
    if stat.S_ISDIR(mode):
        return entry.name, "directory"
    if stat.S_ISLNK(mode):
        return entry.name, "it is a symbolic link"
    return entry.name, "" if stat.S_ISREG(mode) else "it is not a regular file"
