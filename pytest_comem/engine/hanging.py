"""A thread that hangs cannot be ended: it is left alone, and what it still says is dropped."""

from __future__ import annotations

import io
import sys
import threading
from pathlib import Path
from typing import Any, Final, final

#: Where a thread waits there, whoever called is of more interest.
_LIBRARY: Final = Path(threading.__file__).parent


@final
class _Nowhere(io.StringIO):
    """Keeps nothing of what is written."""

    def write(self, text: str, /) -> int:
        """Take *text* and forget it."""
        return len(text)


def silence(buffers: Any) -> None:
    """Keep nothing more of what a thread prints and logs."""
    buffers.stdout = buffers.stderr = buffers.log = _Nowhere()


def place_of_thread(thread: threading.Thread | None) -> str:
    """Return where *thread* is right now, for whoever wants to know what hangs."""
    frame = sys._current_frames().get(thread.ident or 0) if thread is not None else None
    while frame is not None and Path(frame.f_code.co_filename).parent == _LIBRARY:
        frame = frame.f_back
    if frame is None:
        return ""
    code = frame.f_code
    return f" in {code.co_name}() ({Path(code.co_filename).name}:{frame.f_lineno})"
