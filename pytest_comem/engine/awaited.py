"""One value that a thread makes and another one waits for; small, because a run has one a step."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError
from typing import Generic, TypeVar, final

T = TypeVar("T")


@final
class Awaited(Generic[T]):
    """A value to come. It is set or given up once; who does that sees to it that nobody else does.

    ``concurrent.futures.Future`` has a condition with a queue of waiters each, some 2 KB.
    """

    __slots__ = ("_done", "_given_up", "_lock", "_value")

    def __init__(self) -> None:
        self._value: T | None = None
        self._done = False
        self._given_up = False
        #: Held until there is a value or will be none.
        self._lock = threading.Lock()
        self._lock.acquire()

    def done(self) -> bool:
        """Whether nobody has to wait for it any more."""
        return self._done

    def set_result(self, value: T) -> None:
        """Let everybody have *value* who waits for it or will ask.

        :raises RuntimeError: where it is done.
        """
        if self._done:
            raise RuntimeError("a value is set or given up once")
        self._value = value
        self._done = True
        self._lock.release()

    def cancel(self) -> None:
        """Let nobody wait for it; nothing where there is a value."""
        if not self._done:
            self._done = self._given_up = True
            self._lock.release()

    def result(self, timeout: float | None = None) -> T:
        """Return the value, waiting for it.

        :param timeout: seconds to wait; without end when not given.
        :raises TimeoutError: where it has not come in time.
        :raises CancelledError: where it was given up.
        """
        if not self._done:
            if not self._lock.acquire(timeout=-1 if timeout is None else max(timeout, 0.0)):
                raise TimeoutError
            self._lock.release()
        if self._given_up:
            raise CancelledError
        return self._value  # type: ignore[return-value]
