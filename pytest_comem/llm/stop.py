"""The end of a run before its end: one reason, known to every thread at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import final

from pytest_comem.llm.faults import Fault, RunStopped


@final
class Stop:
    """Whether calls may still be made, and why not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._reason: tuple[str, Fault] | None = None
        self._listeners: list[Callable[[], None]] = []

    @property
    def error(self) -> RunStopped | None:
        """A fresh error that says why no call is made, or ``None``."""
        return None if self._reason is None else RunStopped(*self._reason)

    def now(self, message: str, kind: Fault) -> RunStopped:
        """End the run and return the error to raise; the first reason stands."""
        with self._lock:
            if self._reason is None:
                self._reason = (message, kind)
            reason = self._reason
        self._event.set()
        self._tell()
        return RunStopped(*reason)

    def over(self) -> None:
        """Let nothing more be called, because the run has come to its regular end."""
        self._event.set()
        self._tell()

    def check(self) -> None:
        """Raise where the run is over.

        :raises RunStopped: with the reason.
        """
        if self._event.is_set():
            raise self.error or RunStopped("the run is over", Fault.CONNECTION)

    def goes_on(self) -> bool:
        """Whether calls may still be made."""
        return not self._event.is_set()

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the run."""
        self._event.wait(seconds)

    def tell(self, listener: Callable[[], None]) -> None:
        """Call *listener* when the run is ended."""
        with self._lock:
            self._listeners.append(listener)

    def _tell(self) -> None:
        with self._lock:
            listeners = list(self._listeners)
        for listener in listeners:
            listener()
