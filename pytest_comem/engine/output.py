"""What an episode's thread prints and logs, kept with the step it belongs to.

pytest captures by test, and the test at hand is seldom the one whose episode prints. So the
streams pytest puts into ``sys`` are wrapped for the length of the run loop: what comes from an
episode's thread goes to that thread's own buffer, everything else passes through.
"""

from __future__ import annotations

import io
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, final

import pytest

_LOG_FORMAT: Final = "%(levelname)-8s %(name)s:%(filename)s:%(lineno)d %(message)s"


@final
@dataclass(frozen=True, slots=True)
class StepOutput:
    """Captured text of one step; empty where there was none."""

    stdout: str = ""
    stderr: str = ""
    log: str = ""

    def sections(self) -> list[tuple[str, str]]:
        """Return the non-empty parts by the keys pytest uses for report sections."""
        parts = (("stdout", self.stdout), ("stderr", self.stderr), ("log", self.log))
        return [(key, text) for key, text in parts if text]


@final
class _Buffers:
    """Buffers of one thread."""

    def __init__(self) -> None:
        self._empty()

    def _empty(self) -> None:
        self.stdout = io.StringIO()
        self.stderr = io.StringIO()
        self.log = io.StringIO()

    def take(self) -> StepOutput:
        """Return what came since the last call."""
        if not (self.stdout.tell() or self.stderr.tell() or self.log.tell()):
            return StepOutput()
        output = StepOutput(self.stdout.getvalue(), self.stderr.getvalue(), self.log.getvalue())
        self._empty()
        return output


@final
class _Router:
    """A text stream that sends an episode thread's writes to its own buffer."""

    def __init__(self, stream: Any, owner: ThreadOutput, name: str) -> None:
        self._stream = stream
        self._owner = owner
        self._name = name

    def write(self, text: str) -> int:
        return int(self._target().write(text))

    def writelines(self, lines: list[str]) -> None:
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        self._target().flush()

    def _target(self) -> Any:
        buffers = self._owner.buffers
        return self._stream if buffers is None else getattr(buffers, self._name)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@final
class _Handler(logging.Handler):
    """Writes an episode thread's records to its own buffer."""

    def __init__(self, owner: ThreadOutput) -> None:
        super().__init__()
        self._owner = owner
        self.setFormatter(logging.Formatter(_LOG_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        if self._owner.buffers is not None:
            self._owner.buffers.log.write(self.format(record) + "\n")


@final
class ThreadOutput:
    """Routes the output of episode threads; installed for the length of a run loop."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._lock = threading.Lock()
        self._threads = 0

    @property
    def buffers(self) -> _Buffers | None:
        """The current thread's buffers, or ``None`` in a thread that is not an episode's."""
        return getattr(self._local, "buffers", None)

    @contextmanager
    def of_this_thread(self) -> Iterator[_Buffers]:
        """Keep the output of the current thread apart from now on."""
        self._local.buffers = buffers = _Buffers()
        with self._lock:
            self._threads += 1
        try:
            yield buffers
        finally:
            self._local.buffers = None
            with self._lock:
                self._threads -= 1

    @contextmanager
    def installed(self, config: pytest.Config) -> Iterator[None]:
        """Route streams and logging while the block runs.

        Where a thread is still at work at its end, because it hangs, they stay routed: nobody
        wants to read what it says below the summary.
        """
        undo: list[tuple[Any, str, Any, _Router]] = []
        handler = _Handler(self)
        root = logging.getLogger()
        root.addHandler(handler)
        pytest_handlers = _pytest_log_handlers(config)
        for other in pytest_handlers:
            other.addFilter(self._is_not_ours)
        for capture, name in _captures(config):
            for attribute in ("_old", "tmpfile"):
                stream = getattr(capture, attribute)
                router = _Router(stream, self, name)
                undo.append((capture, attribute, stream, router))
                _exchange(capture, attribute, stream, router)
        try:
            yield
        finally:
            if not self._threads:
                for capture, attribute, stream, router in undo:
                    _exchange(capture, attribute, router, stream)
                root.removeHandler(handler)
                for other in pytest_handlers:
                    other.removeFilter(self._is_not_ours)

    def install_on_streams(self) -> None:
        """Route ``sys``'s streams and logging from now on, in a process without pytest."""
        logging.getLogger().addHandler(_Handler(self))
        sys.stdout = _Router(sys.stdout, self, "stdout")
        sys.stderr = _Router(sys.stderr, self, "stderr")

    def _is_not_ours(self, record: logging.LogRecord) -> bool:
        return self.buffers is None


def _pytest_log_handlers(config: pytest.Config) -> list[logging.Handler]:
    plugin = config.pluginmanager.getplugin("logging-plugin")
    found = (getattr(plugin, name, None) for name in ("caplog_handler", "report_handler"))
    return [handler for handler in found if isinstance(handler, logging.Handler)]


def _captures(config: pytest.Config) -> list[tuple[Any, str]]:
    """Return pytest's two ``sys`` captures; none with ``-s`` or a pytest built differently."""
    manager = config.pluginmanager.getplugin("capturemanager")
    capturing = getattr(manager, "_global_capturing", None)
    found: list[tuple[Any, str]] = []
    for stream, name in (("out", "stdout"), ("err", "stderr")):
        capture = getattr(capturing, stream, None)
        capture = getattr(capture, "syscapture", capture)
        if hasattr(capture, "_old") and hasattr(capture, "tmpfile"):
            found.append((capture, name))
    return found


def _exchange(capture: Any, attribute: str, old: Any, new: Any) -> None:
    """Replace a stream of a capture, and in ``sys`` where it is in force right now."""
    setattr(capture, attribute, new)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is old:
            setattr(sys, name, new)
