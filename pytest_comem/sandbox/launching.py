"""A process on this machine, fed, listened to within bounds, watched, and ended."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Final, final

from pytest_comem.sandbox.base import Ending, Limits, failure

#: Seconds between two looks at a run, at first and later on.
_FIRST: Final = 0.005
_LOOK: Final = 0.03
#: Seconds that a killed run may take to be gone.
_DYING: Final = 10.0
_CHUNK: Final = 1 << 16


@final
class Output:
    """What a run writes, kept up to a limit.

    :param limit: bytes of both streams together.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit
        self._streams: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
        self.truncated = False

    def take(self, stream: str, chunk: bytes) -> None:
        """Keep what there is room for."""
        kept = chunk[: self._left]
        self._left -= len(kept)
        self._streams[stream] += kept
        self.truncated = self.truncated or len(kept) < len(chunk)

    @property
    def ending(self) -> Ending | None:
        """Why the run has to end, where there was too much."""
        return Ending("output", "it wrote more than it may") if self.truncated else None

    @property
    def stdout(self) -> bytes:
        """Standard output, or its beginning."""
        return bytes(self._streams["stdout"])

    @property
    def stderr(self) -> bytes:
        """Standard error, or its beginning."""
        return bytes(self._streams["stderr"])


@final
@dataclass(frozen=True, slots=True)
class Handle:
    """What has to be known about a started process.

    :param process: with pipes for all three streams.
    :param is_over: whether the last process of the run is gone.
    :param kill: ends all of them at once.
    :param look: returns why the run has to end, if it has to; called many times a second.
    :param wake: a descriptor that can be read once the run is over, where there is one.
    """

    process: subprocess.Popen[bytes]
    is_over: Callable[[], bool]
    kill: Callable[[], None]
    look: Callable[[], Ending | None]
    wake: int | None = None


@final
@dataclass(frozen=True, slots=True)
class Attended:
    """What came of it.

    :param ending: why we ended it; ``None`` where it ended by itself.
    """

    output: Output
    ending: Ending | None
    seconds: float


def attend(handle: Handle, stdin: bytes, limits: Limits) -> Attended:
    """Stay with a run until it is over.

    :raises InfrastructureError: where it cannot be ended.
    """
    pump = _Pump(handle, stdin, limits.output_bytes)
    started = time.monotonic()
    pause = _FIRST
    ending: Ending | None = None
    killed = 0.0
    try:
        while not handle.is_over():
            pump.turn(pause)
            pause = min(_LOOK, pause * 1.5)
            now = time.monotonic()
            if ending is not None:
                if now - killed > _DYING:
                    raise failure(f"a sandbox: a run that was killed ({ending.why}) does not end")
                continue
            ending = pump.output.ending or handle.look()
            if ending is None and now - started > limits.seconds:
                ending = Ending("timeout", f"it took longer than {limits.seconds:g} s")
            if ending is not None:
                killed = now
                handle.kill()
        seconds = time.monotonic() - started
        pump.drain()
    finally:
        pump.close()
    return Attended(pump.output, ending or pump.output.ending, seconds)


@final
class _Pump:
    """Moves bytes between us and a process, and never waits for either."""

    def __init__(self, handle: Handle, stdin: bytes, limit: int) -> None:
        process = handle.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._left = memoryview(stdin)
        self._stdin = process.stdin
        self._named: dict[IO[bytes], str] = {process.stdout: "stdout", process.stderr: "stderr"}
        self._selector = selectors.DefaultSelector()
        self.output = Output(limit)
        for stream, name in self._named.items():
            os.set_blocking(stream.fileno(), False)
            self._selector.register(stream, selectors.EVENT_READ, name)
        if handle.wake is not None:
            self._selector.register(handle.wake, selectors.EVENT_READ, "over")
        os.set_blocking(self._stdin.fileno(), False)
        if stdin:
            self._selector.register(self._stdin, selectors.EVENT_WRITE, "stdin")
        else:
            self._stdin.close()

    def turn(self, pause: float) -> None:
        """Move what can be moved within so many seconds."""
        if not self._selector.get_map():
            time.sleep(pause)
            return
        for key, _ in self._selector.select(pause):
            if key.data == "stdin":
                self._write()
            elif key.data != "over":
                self._read(key.fileobj, key.data)  # type: ignore[arg-type]

    def drain(self) -> None:
        """Take what the ended run has left in the pipes."""
        for stream, name in self._named.items():
            while not stream.closed and not self.output.truncated and self._read(stream, name):
                pass

    def close(self) -> None:
        """Close our ends."""
        self._selector.close()
        for stream in (*self._named, self._stdin):
            with suppress(OSError):
                stream.close()

    def _read(self, stream: IO[bytes], name: str) -> bool:
        try:
            chunk = os.read(stream.fileno(), _CHUNK)
        except BlockingIOError:
            return False
        if chunk:
            self.output.take(name, chunk)
        else:
            self._end(stream)
        return bool(chunk)

    def _write(self) -> None:
        try:
            self._left = self._left[os.write(self._stdin.fileno(), self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            # It reads no more.
            self._left = self._left[:0]
        if not self._left:
            self._end(self._stdin)

    def _end(self, stream: IO[bytes]) -> None:
        self._selector.unregister(stream)
        with suppress(OSError):
            stream.close()
