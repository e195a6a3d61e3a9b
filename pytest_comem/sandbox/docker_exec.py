"""One program in a running container: fed, listened to within bounds, watched."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, final

from pytest_comem.sandbox.base import Ending, Limits, failure
from pytest_comem.sandbox.docker_engine import Engine, speaking
from pytest_comem.sandbox.launching import Attended, Output

#: Says what cannot be run as other kinds do.
_SHELL: Final = ("/bin/sh", "-c", 'exec "$@"', "sh")
_LOOK: Final = 0.03
#: Seconds without output after which the engine is asked whether the program has ended: one that
#: it left behind may hold the stream open.
_ASK: Final = 0.25
#: Seconds that the engine may take to note a program's end.
_NOTING: Final = 10.0
_CHUNK: Final = 1 << 16
_HEADER: Final = 8
_NAMES: Final = {1: "stdout", 2: "stderr"}


@final
class Execution:
    """A program that is prepared in a container.

    :param argv: program and arguments.
    :param user: id of the user and group it runs as.
    """

    def __init__(
        self,
        engine: Engine,
        container: str,
        argv: Sequence[str],
        *,
        stdin: bytes,
        environment: Mapping[str, str],
        cwd: str,
        user: int,
    ) -> None:
        self._engine = engine
        self._stdin = stdin
        with speaking("a program cannot be prepared"):
            prepared = engine.client.api.exec_create(
                container,
                [*_SHELL, *argv],
                stdin=bool(stdin),
                environment=dict(environment),
                workdir=cwd,
                user=f"{user}:{user}",
            )
        self._id: str = prepared["Id"]

    def attend(self, limits: Limits, look: Callable[[], Ending | None]) -> Attended:
        """Start it and stay with it until it ends or has to; it is not ended here."""
        try:
            stream, received = self._engine.attach(self._id)
        except OSError as error:
            raise failure(f"sandbox docker: a program does not start: {error}") from error
        with stream:
            started = time.monotonic()
            pump = _Pump(stream, received, self._stdin, limits.output_bytes)
            asked = started
            while True:
                moved = pump.turn(_LOOK)
                now = time.monotonic()
                ending = pump.output.ending or look()
                if ending is None and now - started > limits.seconds:
                    ending = Ending("timeout", f"it took longer than {limits.seconds:g} s")
                if ending is not None or pump.ended:
                    break
                asked = now if moved else asked
                if now - asked > _ASK:
                    asked = now
                    if self.status() is not None:
                        pump.turn(_LOOK)
                        break
        return Attended(pump.output, ending or pump.output.ending, time.monotonic() - started)

    def status(self) -> int | None:
        """Return its exit status; ``None`` while it runs."""
        with speaking("a program cannot be asked for"):
            found: dict[str, Any] = self._engine.client.api.exec_inspect(self._id)
        return None if found.get("Running") else found.get("ExitCode")

    def settled(self) -> int | None:
        """Return its exit status once the engine knows it."""
        until = time.monotonic() + _NOTING
        while (status := self.status()) is None and time.monotonic() < until:
            time.sleep(0.005)
        return status


@final
class _Pump:
    """Takes the engine's frames apart, and hands on standard input."""

    def __init__(self, stream: socket.socket, received: bytes, stdin: bytes, limit: int) -> None:
        self._stream = stream
        self._left = memoryview(stdin)
        self._received = bytearray(received)
        # Stream and missing bytes of the frame that is being read.
        self._frame = ("stdout", 0)
        self.output = Output(limit)
        self.ended = False
        self._sort()

    def turn(self, pause: float) -> bool:
        """Move what can be moved within so many seconds; whether anything came."""
        wanting = [self._stream] if self._left else []
        readable, writable, _ = select.select([self._stream], wanting, [], pause)
        if writable:
            self._write()
        if not readable:
            return False
        try:
            chunk = self._stream.recv(_CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            chunk = b""
        self.ended = not chunk
        self._received += chunk
        self._sort()
        return True

    def _write(self) -> None:
        try:
            self._left = self._left[self._stream.send(self._left[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            # It reads no more.
            self._left = self._left[:0]
        if not self._left:
            with suppress(OSError):
                self._stream.shutdown(socket.SHUT_WR)

    def _sort(self) -> None:
        while self._received:
            name, missing = self._frame
            if missing:
                part = bytes(self._received[:missing])
                del self._received[: len(part)]
                self.output.take(name, part)
                self._frame = (name, missing - len(part))
            elif len(self._received) < _HEADER:
                return
            else:
                name = _NAMES.get(self._received[0], "stdout")
                self._frame = (name, int.from_bytes(self._received[4:_HEADER], "big"))
                del self._received[:_HEADER]
