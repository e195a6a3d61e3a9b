"""Recordings of model calls: a run that was recorded can be run again without any model.

A call is found by everything that determines its answer, so that a replayed run goes on only as
long as it asks what was asked before. One file a part of the run, which is one memory instance.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import ComemError, SettingsError
from pytest_comem.llm.cassette_entry import Recorded
from pytest_comem.llm.cassette_mode import CassetteMode, Counts
from pytest_comem.llm.cassette_part import Part
from pytest_comem.llm.cassette_vectors import VectorFiles

__all__ = ["Cassette", "CassetteMode", "Part", "Recorded"]


@final
class Cassette:
    """The recordings of a run, in one directory.

    :param directory: where they are; made where something is to be recorded.
    :param worker: name of the xdist worker, empty outside of one.
    :raises SettingsError: where the directory is missing or cannot be made.
    """

    def __init__(self, mode: CassetteMode, directory: Path, *, worker: str = "") -> None:
        self.mode: Final = mode
        self.directory: Final = directory
        self._lock = threading.Lock()
        self._parts: dict[str, Part] = {}
        self._counts = Counts()
        self._is_closed = False
        self._vectors = VectorFiles(mode, directory, worker or "main", self._counts)
        _check_directory(mode, directory)

    @property
    def hits(self) -> int:
        """Calls and texts answered by the recordings."""
        return self._counts.hits

    @property
    def misses(self) -> int:
        """Calls and texts looked for and not there; 0 in mode ``record``, which looks nowhere."""
        return self._counts.misses

    @property
    def recorded(self) -> int:
        """Calls and texts that were recorded."""
        return self._counts.recorded

    def part(self, name: str) -> Part:
        """Return the part *name*, read in; to be closed once for every time it is asked for.

        A part belongs to one process at a time; any of its threads may use it.

        :raises DataError: where its file is damaged or of another version.
        """
        with self._lock:
            if name not in self._parts:
                self._parts[name] = Part(self.mode, self.directory, name, self._counts)
            part, is_closed = self._parts[name], self._is_closed
        # What still goes on after the end of a run finds and leaves nothing.
        if not is_closed:
            part.open()
        return part

    def find_vector(self, model_name: str, text: str) -> list[float] | None:
        """Return the vector recorded for *text*, or ``None``.

        :raises ModelCallError: in mode ``replay``, where there is none.
        :raises DataError: where a file is damaged or of another version.
        """
        return self._vectors.find(model_name, text)

    def record_vectors(
        self, model_name: str, texts: Sequence[str], vectors: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Record one vector a text, and return them as a replay will give them.

        :raises ModelCallError: where they cannot be written.
        """
        return self._vectors.record(model_name, texts, vectors)

    def close(self) -> None:
        """Finish all files, also of parts in use; the first problem is raised after the last file.

        :raises ModelCallError: where a file cannot be written.
        :raises DataError: where a file to be completed is damaged.
        """
        with self._lock:
            self._is_closed = True
            parts = list(self._parts.values())
        problems: list[ComemError] = []
        for finish in (*(part.end for part in parts), self._vectors.close):
            try:
                finish()
            except ComemError as problem:
                problems.append(problem)
        if problems:
            raise problems[0]


def _check_directory(mode: CassetteMode, directory: Path) -> None:
    if mode is CassetteMode.REPLAY and not directory.is_dir():
        raise SettingsError(
            f"--comem-cassette: there is no directory {directory} to replay; record one first with "
            f"--comem-cassette record, or name the directory of a recording"
        )
    if mode.writes:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise SettingsError(
                f"--comem-cassette: the directory {directory} cannot be made: {error.strerror}; "
                "name one that can be written"
            ) from error
