"""What takes too long is noticed by somebody else than the thread that hangs."""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable
from math import inf
from time import monotonic
from typing import final


@final
class Watch:
    """One thing that must not take too long."""

    def __init__(self, expired: Callable[[], None]) -> None:
        self._expired = expired
        self._lock = threading.Lock()
        self._over = False

    def end(self) -> None:
        """Note that it is done; afterwards it cannot expire."""
        with self._lock:
            self._over = True

    def expire(self) -> None:
        """Call back, unless it is done."""
        with self._lock:
            if self._over:
                return
            self._over = True
        self._expired()

    @property
    def is_over(self) -> bool:
        """Whether it is done or has expired."""
        return self._over


@final
class Watchdog:
    """Watches many things with one thread, which starts with the first of them."""

    def __init__(self) -> None:
        self._change = threading.Condition()
        self._watches: list[tuple[float, int, Watch]] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        #: When the thread looks next; it need not be told of what comes later.
        self._looks_at = 0.0
        self._stopped = False

    def watch(self, seconds: float, expired: Callable[[], None]) -> Watch:
        """Call *expired* in *seconds*, in a thread of its own, unless the watch is ended before."""
        watch = Watch(expired)
        with self._change:
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._run, name="comem-watchdog", daemon=True
                )
                self._thread.start()
            self._forget()
            ends = monotonic() + seconds
            heapq.heappush(self._watches, (ends, next(self._numbers), watch))
            if ends < self._looks_at:
                # Otherwise it wakes early enough; a step costs no switch of threads.
                self._change.notify()
        return watch

    def stop(self) -> None:
        """Watch nothing any more."""
        with self._change:
            self._stopped = True
            self._watches.clear()
            self._change.notify()

    def _run(self) -> None:
        while (watch := self._next()) is not None:
            watch.expire()

    def _next(self) -> Watch | None:
        """Return the next watch whose time has come, waiting for it; ``None`` at the end."""
        with self._change:
            while not self._stopped:
                self._forget()
                if not self._watches:
                    self._looks_at = inf
                    self._change.wait()
                    continue
                self._looks_at = self._watches[0][0]
                left = self._looks_at - monotonic()
                if left <= 0:
                    return heapq.heappop(self._watches)[2]
                self._change.wait(left)
            return None

    def _forget(self) -> None:
        """Drop what is done, as far as it would come next."""
        while self._watches and self._watches[0][2].is_over:
            heapq.heappop(self._watches)
