"""What the attempts of a workflow take, counted by the meter of the instance's memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import final

from pytest_comem.core.outcomes import Usage
from pytest_comem.llm.meter import Meter


@final
class NodeAccounts:
    """Seconds and calls of models by phase; see :class:`pytest_comem.executors.base.Accounts`."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._seconds: dict[str, float] = {}

    def begin(self, name: str) -> None:
        """Say that calls of models belong to *name* from now on."""
        self._meter.step = name

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count seconds and calls under a phase, also of one that breaks off."""
        started = perf_counter()
        try:
            with self._meter.during(name):
                yield
        finally:
            taken = perf_counter() - started
            self._seconds[name] = self._seconds.get(name, 0.0) + taken

    def take(self) -> Mapping[str, Usage]:
        """Return what was used by phase since the last time; recorded seconds where replayed."""
        calls = self._meter.take()
        seconds = dict(self._seconds)
        self._seconds.clear()
        if self._meter.recording is not None:
            seconds = dict(self._meter.recording.settle(self._meter.step, seconds))
        return {
            phase: replace(calls.get(phase, Usage()), seconds=seconds.get(phase, 0.0))
            for phase in dict.fromkeys([*seconds, *calls])
        }
