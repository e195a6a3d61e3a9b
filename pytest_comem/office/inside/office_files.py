"""A workspace's files: which paths are taken, reading with bounds, writing all or nothing."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import final

#: Bytes of a file that is read at all, and characters of a text that is written.
LARGEST = 20_000_000
LONGEST = 2_000_000
#: Characters of an answer, and files that a listing names.
ANSWER = 20_000
LISTED = 500
#: Characters of a path.
_PATH = 300
_PART = ".office-tools.part"


class RefusedError(Exception):
    """An operation cannot be done; the message says why, and what can."""


def clipped(text: str) -> str:
    """Return a text as an answer may have it."""
    if len(text) <= ANSWER:
        return text
    return f"{text[:ANSWER]}\n[cut: {len(text):,} characters in all]"


@final
class Files:
    """The files of one workspace; no link is followed.

    :param root: the workspace.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def place(self, path: str) -> Path:
        """Return where a path of the workspace lies, whether or not something is there.

        :raises RefusedError: where it leads out of the workspace, or over a link.
        """
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path.startswith("/") or ".." in parts or "\0" in path or len(path) > _PATH:
            raise RefusedError(
                f"{path[:_PATH]!r} is not a path inside the workspace; give one relative to it, "
                "such as reports/may.md"
            )
        here = self._root
        for part in parts:
            here = here / part
            try:
                mode = os.lstat(here).st_mode
            except FileNotFoundError:
                continue
            except OSError as error:
                raise RefusedError(f"{path}: {error.strerror or 'cannot be looked at'}") from None
            if stat.S_ISLNK(mode):
                raise RefusedError(f"{path}: a symbolic link is on the way, and none is followed")
        return here

    def existing(self, path: str) -> Path:
        """Return where a regular file lies.

        :raises RefusedError: where there is none, naming files that are there.
        """
        place = self.place(path)
        try:
            mode = os.lstat(place).st_mode
        except OSError:
            raise RefusedError(f"there is no file {path!r}; {self._nearby(place)}") from None
        if stat.S_ISDIR(mode):
            raise RefusedError(f"{path!r} is a directory; list shows what is in it")
        if not stat.S_ISREG(mode):
            raise RefusedError(f"{path!r} is not a regular file")
        return place

    def read(self, path: str) -> bytes:
        """Return a file's content."""
        with self.existing(path).open("rb") as file:
            content = file.read(LARGEST + 1)
        if len(content) > LARGEST:
            raise RefusedError(f"{path!r} has more than {LARGEST:,} bytes")
        return content

    def read_text(self, path: str) -> str:
        """Return a text file's content, line ends as they are.

        :raises RefusedError: where it is not UTF-8.
        """
        try:
            return self.read(path).decode("utf-8")
        except UnicodeDecodeError:
            raise RefusedError(
                f"{path!r} is not text in UTF-8; documents, spreadsheets and databases have "
                "operations of their own"
            ) from None

    def target(self, path: str) -> Path:
        """Return where a file can be written, its directory made.

        :raises RefusedError: where something that is no file is there.
        """
        place = self.place(path)
        if place == self._root or path.endswith("/"):
            raise RefusedError(f"{path!r} names a directory, not a file")
        if place.exists() and not place.is_file():
            raise RefusedError(f"{path!r} is there already, and is not a file")
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise RefusedError(
                f"{path!r}: its directory cannot be made: {error.strerror}"
            ) from None
        return place

    def part(self, path: str) -> Path:
        """Return a place beside a file, with nothing there, to write its next content to."""
        part = self.target(path).parent / _PART
        with suppress(FileNotFoundError):
            part.unlink()
        return part

    def finish(self, part: Path, path: str) -> None:
        """Put what was written to a part in its file's place, with the file's permissions."""
        place = self.target(path)
        with suppress(FileNotFoundError):
            part.chmod(stat.S_IMODE(os.lstat(place).st_mode))
        part.replace(place)

    def write(self, path: str, content: bytes) -> None:
        """Write a file, whole or not at all."""
        part = self.part(path)
        try:
            part.write_bytes(content)
            self.finish(part, path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise RefusedError(f"{path!r} cannot be written: {error.strerror}") from None

    def write_text(self, path: str, text: str) -> None:
        """Write a text file in UTF-8, whole or not at all."""
        if len(text) > LONGEST:
            raise RefusedError(f"{path!r}: the text has more than {LONGEST:,} characters")
        try:
            content = text.encode("utf-8")
        except UnicodeEncodeError:
            raise RefusedError(f"{path!r}: the text holds half characters") from None
        self.write(path, content)

    def listed(self, path: str) -> list[str]:
        """Return the files below a directory, sorted, as paths of the workspace.

        Version control's own files are left out.
        """
        start = self.place(path)
        if not start.is_dir():
            hint = "it is a file" if start.exists() else self._nearby(start)
            raise RefusedError(f"there is no directory {path!r}; {hint}")
        found = []
        for directory, inner, names in os.walk(start):
            inner[:] = sorted(name for name in inner if name not in (".git", "__pycache__"))
            here = Path(directory).relative_to(self._root)
            found += [(here / name).as_posix() for name in names if name != _PART]
        return sorted(found)

    def _nearby(self, place: Path) -> str:
        """Return in words what is in the nearest directory that is there."""
        here = place.parent
        while not here.is_dir() and here != self._root:
            here = here.parent
        names = sorted(each.name for each in here.iterdir())[:20] if here.is_dir() else []
        named = here.relative_to(self._root).as_posix()
        called = "the workspace" if named == "." else named
        return f"in {called} there are: {', '.join(names)}" if names else f"{called} is empty"
