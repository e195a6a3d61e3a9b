"""Traces: everything that happened in one instance, in a file that shows any change to it.

A trace is JSON Lines in canonical form. Every event carries the hash of the one before, and the
last one seals their number and the last hash with the run's key: dropping, reordering, editing and
cutting off all show.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Literal, Self, final

from pydantic import BaseModel, ValidationError

from pytest_comem.errors import DataError, InfrastructureError
from pytest_comem.records.canonical import canonical, digest
from pytest_comem.records.strict_json import clipped
from pytest_comem.workflows.events import End, Event
from pytest_comem.workflows.signing import Signer

#: What stands for the hash before the first event.
START: Final = "0" * 64
#: Longest accepted line and trace in bytes.
MAX_LINE: Final = 64 * 1024 * 1024
MAX_TRACE: Final = 256 * 1024 * 1024
Status = Literal["completed", "infrastructure_failure", "benchmark_defect"]


def event_hash(seq: int, previous: str, payload: Any) -> str:
    """Return the hash of an event whose payload is a plain JSON value."""
    return digest([seq, previous, payload])


def seal_of(signer: Signer, count: int, status: str, last: str) -> str:
    """Return the seal over a trace of *count* events that ends in the hash *last*."""
    return signer.sign("seal", [count, status, last])


@final
class TraceWriter:
    """Appends events to a new file, a whole line at a time; any thread may.

    Left by an exception or without :meth:`end`, the trace stays without a seal, and says so.

    :param path: must not exist.
    :raises InfrastructureError: where the file is there already or cannot be written.
    """

    def __init__(self, path: Path, signer: Signer) -> None:
        self._path = path
        self._signer = signer
        self._lock = threading.Lock()
        self._count = 0
        self._last = START
        self._ended = False
        try:
            self._file = path.open("xb")
        except OSError as error:
            raise self._broken(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def append(self, payload: BaseModel) -> None:
        """Write one event of :mod:`pytest_comem.workflows.events`.

        :raises ValueError: after the end.
        :raises InfrastructureError: where the disk does not take it.
        """
        if isinstance(payload, End):
            raise ValueError("end() writes the last event, and seals the trace")
        with self._lock:
            self._write(payload.model_dump(mode="json"))

    def end(self, status: Status) -> None:
        """Seal the trace; nothing can follow."""
        with self._lock:
            seal = seal_of(self._signer, self._count, status, self._last)
            self._write(End(count=self._count, status=status, seal=seal).model_dump(mode="json"))
            self._ended = True
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, payload: Any) -> None:
        if self._ended:
            raise ValueError("the trace has ended")
        own = event_hash(self._count, self._last, payload)
        event = {"hash": own, "payload": payload, "previous": self._last, "seq": self._count}
        try:
            self._file.write(canonical(event) + b"\n")
            self._file.flush()
        except OSError as error:
            raise self._broken(error) from None
        self._count += 1
        self._last = own

    def _broken(self, error: OSError) -> InfrastructureError:
        reason = error.strerror or type(error).__name__
        return InfrastructureError(f"{self._path} cannot be written: {reason}", type="harness")


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One line of a trace as it was read.

    :param number: from 1.
    :param event: ``None`` where it is no event.
    :param sound: whether the event's hash is that of what it says.
    :param problem: what is wrong with the line itself, or nothing.
    """

    number: int
    event: Event | None
    sound: bool
    problem: str = ""


def read_trace(path: Path) -> Iterator[Line]:
    """Yield the lines of a trace, whatever is wrong with them.

    :raises DataError: where the file cannot be read, is empty or larger than any trace.
    """
    try:
        with path.open("rb") as file:
            size = number = 0
            while raw := file.readline(MAX_LINE + 1):
                number += 1
                size += len(raw)
                if len(raw) > MAX_LINE or size > MAX_TRACE:
                    problem = f"more than {MAX_LINE:,} bytes a line or {MAX_TRACE:,} in all"
                    raise DataError(problem, file=str(path), line=number)
                yield _line(number, raw)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=str(path)) from None
    if not number:
        raise DataError("the file is empty", file=str(path))


def _line(number: int, raw: bytes) -> Line:
    try:
        document = json.loads(raw)
        written = canonical(document) + b"\n"
    except (ValueError, RecursionError):
        return Line(number, None, False, "not JSON, or cut off")
    if written != raw:
        return Line(number, None, False, "not as it was written (blanks, escapes, line end)")
    try:
        event = Event.model_validate_json(raw)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return Line(number, None, False, clipped(f"no event: {field}: {first['msg']}"))
    sound = event_hash(event.seq, event.previous, document["payload"]) == event.hash
    return Line(number, event, sound)
