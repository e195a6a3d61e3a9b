"""Outcomes as they are made, whoever makes them: a file a process, one write a line.

A step that has been played is on disk before anybody waits for it, so a run that is killed loses
nothing it has paid for. Processes of a run write files of their own, because only a system's own
promise would keep lines of several writers apart.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.engine.records import OUTCOMES, to_line
from pytest_comem.errors import DataError

_STEM: Final = OUTCOMES.removesuffix(".jsonl")


@final
class Journal:
    """The file of one process; from any thread.

    :param run: the run's directory, which is there.
    :param worker: name of the process among those of the run; empty where it is the only one.
    """

    def __init__(self, run: Path, worker: str = "") -> None:
        self.path: Final = run / f"{_STEM}-{worker or 'main'}.jsonl"
        self._lock = threading.Lock()
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        self._file = os.open(self.path, flags, 0o644)

    def append(self, record: dict[str, Any]) -> None:
        """Write one outcome.

        :raises OSError: where it cannot be written.
        """
        line = memoryview(to_line(record).encode("utf-8"))
        with self._lock:
            # One write is the rule; a full disk or a signal may make it several.
            while line:
                line = line[os.write(self._file, line) :]

    def close(self) -> None:
        """Close the file; nothing is appended afterwards."""
        with self._lock:
            os.close(self._file)


def journals(run: Path) -> list[Path]:
    """Return the files of a run's processes, by name."""
    return sorted(run.glob(f"{_STEM}-*.jsonl"))


def read_journal(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the outcomes of a journal; a last line that was cut off is none.

    :raises DataError: where any other line is not a JSON object.
    """
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                # Its process was killed while it wrote; the step has to be played again.
                return
            try:
                record = json.loads(raw)
            except ValueError as error:
                raise DataError(f"not JSON: {error}", file=str(path), line=number) from None
            if not isinstance(record, dict):
                raise DataError("not a JSON object", file=str(path), line=number)
            yield record
