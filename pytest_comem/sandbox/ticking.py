"""A look that takes a while, taken rarely enough not to matter."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, final

from pytest_comem.sandbox.base import Ending

#: Seconds between two looks at least, and how many times longer than a look takes.
_LEAST: Final = 0.1
_RATIO: Final = 10


@final
class Slow:
    """Looks when called, but only now and then.

    :param look: the look.
    """

    def __init__(self, look: Callable[[], Ending | None]) -> None:
        self._look = look
        self._next = time.monotonic() + _LEAST

    def __call__(self) -> Ending | None:
        """Return what it finds; ``None`` where it is not time yet."""
        started = time.monotonic()
        if started < self._next:
            return None
        found = self._look()
        ended = time.monotonic()
        self._next = ended + max(_LEAST, _RATIO * (ended - started))
        return found
