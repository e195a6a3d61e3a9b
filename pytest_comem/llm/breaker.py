"""Whether a provider is still there: a run must not go through thousands of hopeless calls."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic
from typing import Final, final

#: Seconds of nothing but failing connections after which a provider counts as not there.
PATIENCE: Final = 2.0
#: Connections that have to fail for that.
_CONNECTIONS: Final = 3
#: Calls in a row that may fail for good.
_CALLS: Final = 5


@final
class Breaker:
    """Watches one provider.

    :param clock: seconds that only go forward.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._answered = False
        self._first_failure: float | None = None
        self._connections = 0
        self._calls = 0

    def answered(self) -> None:
        """Note that the provider answered, with whatever."""
        with self._lock:
            self._answered = True

    def succeeded(self) -> None:
        """Note that a call succeeded."""
        with self._lock:
            self._answered = True
            self._calls = 0

    def unreachable(self) -> bool:
        """Note a failed connection; true where the provider has never answered for too long."""
        with self._lock:
            now = self._clock()
            if self._first_failure is None:
                self._first_failure = now
            self._connections += 1
            waited = now - self._first_failure
            return not self._answered and self._connections >= _CONNECTIONS and waited >= PATIENCE

    def exhausted(self) -> bool:
        """Note a call that failed for good; true where too many did in a row."""
        with self._lock:
            self._calls += 1
            return self._calls >= _CALLS
