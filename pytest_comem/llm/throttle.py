"""How many calls are in flight to one provider: moderate at first, as many as it takes later."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Final, final

#: Calls in flight at the start.
START: Final = 16
#: Seconds a waiting call looks at whether the run goes on.
_GLANCE: Final = 1.0


@final
class Throttle:
    """A bound on calls in flight that adapts, as TCP does to a network.

    It grows by one with every success, which doubles it in a round trip, until the provider first
    says that it is too much; that halves it, and from then on it grows by one in a round trip.

    :param most: calls in flight, at most.
    :param clock: seconds that only go forward.
    """

    def __init__(
        self, most: int, *, start: int = START, clock: Callable[[], float] = monotonic
    ) -> None:
        self._most = most
        self._clock = clock
        self._limit = float(min(start, most))
        self._cautious = False
        self._paused_until = 0.0
        self._halved_at = -1.0
        self._change = threading.Condition()
        self.in_flight = 0
        self.peak = 0

    @property
    def limit(self) -> int:
        """Calls that may be in flight now."""
        return int(self._limit)

    @contextmanager
    def slot(self, goes_on: Callable[[], bool]) -> Iterator[bool]:
        """Wait for room and hold it; yields false where *goes_on* became false meanwhile."""
        entered = self._enter(goes_on)
        try:
            yield entered
        finally:
            if entered:
                with self._change:
                    self.in_flight -= 1
                    self._change.notify()

    def succeeded(self) -> None:
        """Allow more, a little."""
        with self._change:
            before = self.limit
            more = 1 / self._limit if self._cautious else 1.0
            self._limit = min(float(self._most), self._limit + more)
            if self.limit > before:
                self._change.notify(self.limit - before)

    def refused(self, started: float, retry_after: float | None) -> None:
        """Allow half as many, once for all calls that were in flight together.

        :param started: when the refused call was sent, on this throttle's clock.
        :param retry_after: seconds during which nothing is sent to this provider.
        """
        with self._change:
            now = self._clock()
            self._cautious = True
            if started > self._halved_at:
                self._limit = max(1.0, self._limit / 2)
                self._halved_at = now
            if retry_after:
                self._paused_until = max(self._paused_until, now + retry_after)

    def now(self) -> float:
        """Return the time on this throttle's clock."""
        return self._clock()

    def wake(self) -> None:
        """Let everyone who waits look again whether the run goes on."""
        with self._change:
            self._change.notify_all()

    def _enter(self, goes_on: Callable[[], bool]) -> bool:
        with self._change:
            while goes_on():
                pause = self._paused_until - self._clock()
                if pause <= 0 and self.in_flight < self.limit:
                    self.in_flight += 1
                    self.peak = max(self.peak, self.in_flight)
                    return True
                self._change.wait(min(pause, _GLANCE) if pause > 0 else _GLANCE)
            return False
