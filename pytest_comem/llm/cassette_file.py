"""Files of a cassette: JSON lines, put in order when closed, and nothing lost when cut off.

While a run goes on, whole lines are appended to ``NAME.jsonl.new``. At the end they are sorted and
take the place of ``NAME.jsonl`` in one move, or of ``NAME.jsonl.gz`` where they are large.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import Any, BinaryIO, Final, cast, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.errors import DataError

#: Version of the files' form.
FORMAT: Final = 1
#: Bytes above which a finished file is compressed.
LARGE: Final = 256 * 1024
#: Longest accepted line in bytes; also what one line of a compressed file may unpack to.
LONGEST_LINE: Final = 64 * 1024 * 1024
#: What the file names of vectors begin with, and those of parts never.
EMBEDDINGS: Final = "embeddings-"

_HEADER: Final = "comem-cassette"
_LONGEST_NAME: Final = 100
_AGAIN: Final = "record it again"


class FileInUseError(OSError):
    """Another process writes the same file."""


def safe_name(name: str) -> str:
    """Return *name* as the stem of a file; different names never share one.

    Letters, digits, dashes and underscores stay. Whatever else is in it, an upper-case letter
    (some file systems do not tell it from its lower case), or its length, adds a hash of *name*.
    """
    safe = re.sub(r"[^A-Za-z0-9_-]+", "-", name)[:_LONGEST_NAME]
    if safe.lower().startswith(EMBEDDINGS):
        safe = f"part-{safe}"
    # A name that ends like a hash has one added, so that it cannot be another name's safe form.
    if safe == name.lower() and safe and not re.search(r"-[0-9a-f]{16}$", safe):
        return safe
    return f"{safe}-{stable_hash(name)}"


def to_line(record: Mapping[str, Any]) -> bytes:
    """Return one line of JSON with its newline; a lone surrogate stands in it as an escape."""
    text = json.dumps(record, ensure_ascii=False, separators=(", ", ": "))
    return text.encode("utf-8", "backslashreplace") + b"\n"


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file, parsed."""

    path: Path
    number: int
    raw: bytes
    record: dict[str, Any]

    def error(self, problem: str, field: str | None = None) -> DataError:
        """Return the error to raise for something in this line."""
        return DataError(problem, file=str(self.path), line=self.number, field=field)


@final
class CassetteFile:
    """One file of a cassette, in whichever of its forms it is there.

    Its owner lets one thread in at a time.

    :param directory: the cassette's directory.
    :param stem: name without ending, from :func:`safe_name`.
    :param subject: what the file is about; it stands in the first line and is held against it.
    """

    def __init__(self, directory: Path, stem: str, subject: str) -> None:
        self.path: Final = directory / f"{stem}.jsonl"
        self.packed: Final = directory / f"{stem}.jsonl.gz"
        self.unfinished: Final = directory / f"{stem}.jsonl.new"
        self._subject = subject
        self._writer: BinaryIO | None = None

    @property
    def is_writing(self) -> bool:
        """Whether a line has been appended since the file was last finished."""
        return self._writer is not None

    @property
    def shown(self) -> Path:
        """The form to name in a message."""
        return self.packed if self.packed.exists() and not self.path.exists() else self.path

    def read(self, *, finished: bool = True, unfinished: bool = False) -> Iterator[Line]:
        """Yield the lines after the first, later ones overruling earlier ones.

        :param finished: those of the finished file.
        :param unfinished: those that are still to be put in order, except one cut off at the end.
        :raises DataError: where a file is damaged or of another version.
        """
        if finished:
            # Both are there only after a crash between the two moves of a change of form.
            forms = [path for path in (self.path, self.packed) if path.exists()]
            for path in sorted(forms, key=lambda path: path.stat().st_mtime_ns):
                yield from self._lines(path)
        if unfinished and self.unfinished.exists():
            yield from self._lines(self.unfinished)

    def append(self, line: bytes, *, keep: bool) -> None:
        """Write one line to the unfinished file, which is safe when this returns.

        :param keep: go on after what an earlier run left there, rather than begin afresh.
        :raises OSError: where it cannot be written.
        :raises FileInUseError: where another process writes it.
        """
        if self._writer is None:
            self._writer = self._begin(keep)
        self._writer.write(line)
        self._writer.flush()

    def finish(self, order: Callable[[Line], tuple[Any, ...]], *, keep: bool) -> None:
        """Put the unfinished lines in order and move them to the finished file.

        :param order: a line's place, the same for two lines of which the later one counts.
        :param keep: keep what the finished file holds, as far as it is not overruled.
        :raises OSError: where it cannot be written; nothing is lost then.
        :raises DataError: where a file is damaged.
        """
        if self._writer is None:
            if not self.unfinished.exists():
                return
            try:
                self._writer = self._begin(keep=True)
            except FileInUseError:
                # Whoever writes it will finish it.
                return
        lines = {order(line): line.raw for line in self.read(finished=keep, unfinished=True)}
        self._replace(b"".join([self._first_line(), *(lines[place] for place in sorted(lines))]))
        self.unfinished.unlink(missing_ok=True)
        self.abandon()

    def abandon(self) -> None:
        """Let go of the unfinished file, as it is."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()

    def _first_line(self) -> bytes:
        return to_line({_HEADER: FORMAT, "of": self._subject})

    def _begin(self, keep: bool) -> BinaryIO:
        while True:
            # Closed by who finishes or abandons it.
            file = open(self.unfinished, "a+b", opener=_open_no_link)  # noqa: SIM115
            try:
                _lock(file)
                if os.fstat(file.fileno()).st_nlink == 0:
                    # Its owner finished it between our opening and our locking it.
                    file.close()
                    continue
                file.seek(0)
                end = _end_of_lines(file) if keep else 0
                file.truncate(end)
                if end == 0:
                    file.write(self._first_line())
                return file
            except BaseException:
                file.close()
                raise

    def _replace(self, content: bytes) -> None:
        packed = len(content) > LARGE
        target, other = (self.packed, self.path) if packed else (self.path, self.packed)
        temporary = target.with_name(f".{target.name}.{os.getpid()}.writing")
        try:
            temporary.unlink(missing_ok=True)
            with temporary.open("xb") as file:
                if packed:
                    with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as stream:
                        stream.write(content)
                else:
                    file.write(content)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
        other.unlink(missing_ok=True)

    def _lines(self, path: Path) -> Iterator[Line]:
        may_be_cut_off = path == self.unfinished
        number = 0
        opened = _opened(path)
        if opened is None:
            return
        with opened as file:
            while raw := _read_line(file, path, number + 1):
                number += 1
                if may_be_cut_off and not raw.endswith(b"\n"):
                    return
                line = _parse(path, number, raw)
                if number == 1:
                    self._check_first(line)
                else:
                    yield line
        if number == 0 and not may_be_cut_off:
            raise DataError(f"is empty; {_AGAIN}", file=str(path))

    def _check_first(self, line: Line) -> None:
        version = line.record.get(_HEADER)
        if version is None:
            raise line.error("is not the first line of a cassette; is this another file?")
        if version != FORMAT:
            raise line.error(
                f"has form {json.dumps(version)[:20]}, and this version of pytest-comem reads form "
                f"{FORMAT}; {_AGAIN}"
            )
        if line.record.get("of") != self._subject:
            raise line.error(f"does not belong to {self._subject!r}; was the file renamed?")


def _open_no_link(path: str, flags: int) -> int:
    """Open a file that is written; a link that came with a recording may lead anywhere."""
    return os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)


def _opened(path: Path) -> BinaryIO | None:
    """Return the file to read, or ``None`` where another process has just finished it."""
    try:
        return cast(BinaryIO, gzip.open(path) if path.suffix == ".gz" else path.open("rb"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(path)) from None


def _read_line(file: BinaryIO, path: Path, number: int) -> bytes:
    try:
        raw = file.readline(LONGEST_LINE + 1)
    except (EOFError, zlib.error, OSError) as error:
        problem = f"cannot be read: {error}; {_AGAIN}"
        raise DataError(problem, file=str(path), line=number) from None
    if len(raw) > LONGEST_LINE:
        problem = f"the line is longer than {LONGEST_LINE:,} bytes"
        raise DataError(problem, file=str(path), line=number)
    return raw


def _parse(path: Path, number: int, raw: bytes) -> Line:
    try:
        record = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {error}; {_AGAIN}"
        raise DataError(problem, file=str(path), line=number) from None
    if not isinstance(record, dict):
        raise DataError("not a JSON object", file=str(path), line=number)
    return Line(path, number, raw if raw.endswith(b"\n") else raw + b"\n", record)


def _end_of_lines(file: BinaryIO) -> int:
    """Return the length of a file without a line that is cut off at its end."""
    end = position = 0
    for raw in cast(BufferedReader, file):
        position += len(raw)
        if raw.endswith(b"\n"):
            end = position
    return end


def _lock(file: BinaryIO) -> None:
    """Keep other processes off the file until it is closed, where the system can do that."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise FileInUseError(error.errno, "another process is writing it", file.name) from None
    except OSError:
        # Some network file systems have no locks; a part belongs to one process anyway.
        return
