"""What a process contacts and writes, as Python's audit events tell it.

Calls that native code makes past the interpreter, and child processes, are not seen.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.core.addresses import is_loopback

_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NOT_FILES: Final = ("/dev/", "/proc/")


@final
class Watch:
    """Collects, from now until the process ends, what leaves the machine and what is written.

    An audit hook cannot be taken back, so this is for commands, not for test runs.

    :param inside: directory in which writing is expected.
    """

    def __init__(self, inside: Path) -> None:
        self._inside = str(inside.resolve())
        self.contacted: dict[str, None] = {}
        self.written: dict[str, None] = {}
        sys.addaudithook(self._see)

    def forget(self) -> None:
        """Start anew."""
        self.contacted.clear()
        self.written.clear()

    def _see(self, event: str, arguments: tuple[Any, ...]) -> None:
        # An error raised here would be the watched library's.
        with suppress(Exception):
            if event == "socket.connect":
                self._contact(arguments[1])
            elif event == "socket.getaddrinfo":
                self._contact((arguments[0],))
            elif event == "open":
                self._open(*arguments)

    def _contact(self, address: Any) -> None:
        if isinstance(address, tuple) and address and address[0] is not None:
            host = address[0].decode() if isinstance(address[0], bytes) else str(address[0])
            if not is_loopback(host):
                self.contacted[":".join(map(str, (host, *address[1:2])))] = None

    def _open(self, path: Any, mode: str | None, flags: int) -> None:
        if isinstance(path, int) or not flags & _WRITING:
            return
        place = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - resolving would open again
        expected = place.startswith((self._inside, *_NOT_FILES)) or "__pycache__" in place
        if not expected:
            self.written[place] = None
