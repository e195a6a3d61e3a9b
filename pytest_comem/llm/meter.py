"""Who a call is made for: one memory instance, its step and phase, and what it has cost so far."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, final

from pytest_comem.core.outcomes import Usage, sum_of_costs

if TYPE_CHECKING:
    from pytest_comem.llm.cassette import Part
    from pytest_comem.llm.faults import ModelCallError

#: Phase of calls that are made outside any.
OTHER: Final = "other"


@final
class Meter:
    """Counts the calls made for one memory instance; from any thread.

    The engine says which step and phase is at hand; calls of a library's own threads arrive through
    an address of the instance's own, so that they are counted here as well.

    :param part: name of the instance's part of the run, the same in every run of it.
    :param recording: the part's cassette, or ``None``.
    :param repeat: number of the repeat, 0-based.
    """

    def __init__(self, part: str, recording: Part | None = None, repeat: int = 0) -> None:
        self.part: Final = part
        self.recording: Final = recording
        self.repeat: Final = repeat
        #: What agents have learned about their models, which a replay must learn again.
        self.learned: Final[dict[str, str]] = {}
        self.step = ""
        self.phase = OTHER
        self._lock = threading.Lock()
        self._usage: dict[str, Usage] = {}
        self._asked: Counter[str] = Counter()
        self._failure: ModelCallError | None = None

    @contextmanager
    def during(self, phase: str) -> Iterator[None]:
        """Count calls under *phase*."""
        before, self.phase = self.phase, phase
        try:
            yield
        finally:
            self.phase = before

    def occurrence(self, key: str) -> int:
        """Return how many times the call *key* has been made before, and count this one."""
        with self._lock:
            self._asked[key] += 1
            return self._asked[key] - 1

    def add(self, *, tokens: int, cost: float | None, retries: int = 0) -> None:
        """Count one finished call under the phase at hand."""
        with self._lock:
            before = self._usage.get(self.phase, Usage())
            self._usage[self.phase] = Usage(
                tokens=before.tokens + tokens,
                cost=sum_of_costs(before.cost, cost),
                calls=before.calls + 1,
                retries=before.retries + retries,
            )

    def take(self) -> Mapping[str, Usage]:
        """Return what was used by phase since the last time, and begin anew; no seconds."""
        with self._lock:
            taken, self._usage = self._usage, {}
            return taken

    def fail(self, error: ModelCallError) -> None:
        """Note that a call failed for good, whatever a library makes of it."""
        with self._lock:
            self._failure = self._failure or error

    def take_failure(self) -> ModelCallError | None:
        """Return the first failure noted since the last time, and forget it."""
        with self._lock:
            taken, self._failure = self._failure, None
            return taken

    def close(self) -> None:
        """Finish the part's cassette."""
        if self.recording is not None:
            self.recording.close()
