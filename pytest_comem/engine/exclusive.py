"""A directory that one process at a time writes: two that go on with one run would mix its lines.

The lock is the kernel's, on the directory itself: it leaves no file behind, and ends with the
process, however that ends.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final, final

try:
    import fcntl
except ImportError:  # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

_held: Final[set[int]] = set()


@final
class Exclusive:
    """Holds *directory* until it is let go of, or this process ends.

    Nothing is held where the system or the file system has no such locks.

    :raises BlockingIOError: where another process holds it.
    """

    def __init__(self, directory: Path) -> None:
        # Runs once, so that a number in use again is not closed.
        self._release = weakref.finalize(self, _close, _lock(directory))

    def let_go(self) -> None:
        """Let others have it; more than once does nothing more."""
        self._release()


def _lock(directory: Path) -> int | None:
    """Return a descriptor that holds *directory*, if that can be had."""
    if fcntl is None:
        return None
    descriptor = None
    try:
        descriptor = os.open(directory, os.O_RDONLY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if descriptor is not None:
            os.close(descriptor)
        if isinstance(error, BlockingIOError):
            raise
        return None
    _held.add(descriptor)
    return descriptor


def _close(descriptor: int | None) -> None:
    if descriptor in _held:
        _held.remove(descriptor)
        os.close(descriptor)


def _forked() -> None:
    """A child of this process would hold on after this process has died."""
    for descriptor in _held:
        with suppress(OSError):
            os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
