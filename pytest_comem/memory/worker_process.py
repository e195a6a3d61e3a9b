"""A program that serves the worker protocol: started, asked, and ended whatever it does."""

from __future__ import annotations

import codecs
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.worker_protocol import to_error, to_line
from pytest_comem.ownership import child_labels
from pytest_comem.secrets import environment_without_secrets

#: Seconds between two looks at whether a silent process lives.
_WATCH: Final = 0.2
#: Seconds a process whose output ended gets to end itself.
_ENDING: Final = 2.0
#: Bytes of standard error read at once, and how often in a row: more than a pipe holds.
_CHUNK: Final = 1 << 16
_CHUNKS: Final = 32
#: Characters of its last words that go into an error message.
_SHOWN: Final = 2_000


class TimedOutError(Exception):
    """There was no reply in time."""


@final
class WorkerProcess:
    """One program in a session of its own; asked by one thread at a time.

    Its standard error is written to ours by the thread that asks, so that it stays with the step.
    The user's key of a model stays with the door, where the program's calls are made for it.

    :param command: program and arguments.
    :param name: what error messages call it.
    """

    def __init__(self, command: Sequence[str], name: str) -> None:
        self._name = name
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=_environment(),
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._requests = self._process.stdin
        self._replies = self._process.stdout
        self._errors = self._process.stderr
        for stream in (self._requests, self._replies, self._errors):
            os.set_blocking(stream.fileno(), False)
        self._received = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._last_words: deque[str] = deque(maxlen=16)
        self._death: str | None = None
        self._ended = False

    @property
    def pid(self) -> int:
        """Id of the process, which is also that of its group."""
        return self._process.pid

    @property
    def is_dead(self) -> bool:
        """Whether it was found dead, or ended here."""
        return self._death is not None

    def ask(self, operation: str, timeout: float | None = None, /, **more: Any) -> Any:
        """Return the reply to one request.

        :param timeout: seconds, or ``None`` to wait as long as the process lives.
        :raises InfrastructureError: of type ``adapter``, where the process is dead or dies.
        :raises TimedOutError: where there is no reply in time; the process is ended then.
        :raises Exception: whatever the program replies with.
        """
        if self._death is not None:
            raise InfrastructureError(self._death, type="adapter")
        request = to_line({"op": operation, **more})
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            reply = self._exchange(request, operation, deadline)
        except BaseException:
            # Also after an interrupt: a reply that comes later would be taken for another's.
            self.end()
            raise
        if "error" in reply:
            raise to_error(reply["error"], f"{self._name} in its worker process: {operation}()")
        return reply.get("ok")

    def end(self, grace: float = 0.0) -> None:
        """Wait for its end for *grace* seconds, then kill it and everything it started."""
        if self._ended:
            return
        self._ended = True
        with suppress(OSError):
            self._requests.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(grace)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        if self._death is None:
            self._forward_errors()
            self._death = f"{self._name} is used after its worker process was ended"
        self._replies.close()
        self._errors.close()

    def _exchange(
        self, request: bytes, operation: str, deadline: float | None
    ) -> Mapping[str, Any]:
        """Write the request and read its reply and standard error meanwhile, whatever comes first.

        Doing all at once is what keeps two full pipes from waiting for each other.
        """
        unsent = memoryview(request)
        with selectors.DefaultSelector() as selector:
            selector.register(self._replies, selectors.EVENT_READ)
            selector.register(self._errors, selectors.EVENT_READ)
            selector.register(self._requests, selectors.EVENT_WRITE)
            while True:
                if deadline is not None and time.monotonic() > deadline:
                    raise TimedOutError
                ready = {key.fileobj for key, _ in selector.select(_WATCH)}
                if self._errors in ready and not self._forward_errors():
                    selector.unregister(self._errors)
                if self._requests in ready:
                    unsent = unsent[self._write(unsent) :]
                    if not unsent:
                        selector.unregister(self._requests)
                # Asked before the last look at the pipe, which what it started may keep open.
                is_dead = self._process.poll() is not None
                ended = not self._receive()
                if b"\n" in self._received:
                    # What the program wrote before its reply is in the pipe by now.
                    self._forward_errors()
                    return self._reply(operation)
                if ended or is_dead:
                    raise self._died(operation)

    def _write(self, unsent: memoryview) -> int:
        try:
            return self._requests.write(unsent) or 0
        except BrokenPipeError:
            # The end of its output says the same, and comes after its last reply.
            return len(unsent)

    def _receive(self) -> bool:
        """Take what there is of replies; whether there can be more."""
        while chunk := self._replies.read(1 << 20):
            self._received += chunk
        return chunk is None

    def _reply(self, operation: str) -> Mapping[str, Any]:
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received[:] = rest
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if isinstance(reply, dict) and ("ok" in reply or isinstance(reply.get("error"), dict)):
            return reply
        shown = line[:200].decode("utf-8", "replace")
        raise InfrastructureError(
            f"{self._name}: its worker process answered {operation}() with what is no reply: "
            f"{shown}",
            type="adapter",
        )

    def _forward_errors(self) -> bool:
        """Write what there is of its standard error to ours; whether there can be more."""
        for _ in range(_CHUNKS):
            chunk = self._errors.read(_CHUNK)
            if not chunk:
                return chunk is None
            text = self._decoder.decode(chunk)
            sys.stderr.write(text)
            self._last_words.append(text)
        return True

    def _died(self, operation: str) -> InfrastructureError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ENDING)
        status = self._process.poll()
        self._forward_errors()
        how = (
            "closed its output and stayed"
            if status is None
            else f"died with exit status {status}{_signal_name(status)}"
        )
        words = "".join(self._last_words)[-_SHOWN:].strip()
        self._death = f"{self._name}: its worker process {how} in {operation}()" + (
            f"; it last wrote:\n{words}" if words else ""
        )
        self.end()
        return InfrastructureError(self._death, type="adapter")


def _environment() -> dict[str, str]:
    """Return what the program gets of ours: no key, and not which test is looked at just now."""
    found = {**environment_without_secrets(), **child_labels()}
    found.pop("PYTEST_CURRENT_TEST", None)
    return found


def _signal_name(status: int) -> str:
    try:
        return f" ({signal.Signals(-status).name})" if status < 0 else ""
    except ValueError:
        return ""
