"""One event loop on a thread of its own: MCP's client is asynchronous, and who calls it is not."""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, Final, TypeVar, final

T = TypeVar("T")
#: Seconds that the thread may take to end, at the end of the process.
_ENDING: Final = 2.0


@final
class Background:
    """A running event loop; any thread may submit to it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="comem-servers", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Start work; its future may be cancelled, which cancels the work."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def call_soon(self, event: asyncio.Event) -> None:
        """Set an event that work on the loop waits for."""
        self._loop.call_soon_threadsafe(event.set)

    def stop(self) -> None:
        """End the loop and its thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_ENDING)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()


@cache
def background() -> Background:
    """Return the process' loop, started with the first call."""
    made = Background()
    atexit.register(made.stop)
    return made
