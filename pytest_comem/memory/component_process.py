"""The program of a component: started, spoken to under limits, and ended with all it started.

Whatever it does wrong is an :class:`~pytest_comem.errors.InfrastructureError` of type ``adapter``
that names the program, says what came, and ends with the last of its standard error.
"""

from __future__ import annotations

import codecs
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from pytest_comem.core.printable import printable
from pytest_comem.errors import InfrastructureError
from pytest_comem.ownership import child_labels
from pytest_comem.secrets import environment_without_secrets

#: Bytes of one reply, at most.
LONGEST_REPLY: Final = 16 * 1024 * 1024
#: Seconds between two looks at whether a silent program lives, and at one that is just ending.
_WATCH: Final = 0.2
_ENDING: Final = 0.01
#: Bytes read at once.
_CHUNK: Final = 1 << 16
#: Bytes of standard error that are shown with one request, and that go into an error's message.
_SHOWN: Final = 1 << 16
_LAST_WORDS: Final = 2_000
#: Starts the program in the group of a keeper, which kills the group when the pipe it reads ends:
#: the kernel closes that when this process dies, however it dies. The keeper is no child of the
#: program's, and opens the pipe by its name, as shells know no descriptors above 9. Program and
#: arguments are the shell's arguments and never part of what it reads as commands.
_KEPT: Final = (
    'lifeline=$1; shift; ( { read -r _; kill -KILL 0; } <"/dev/fd/$lifeline" >/dev/null 2>&1 & ); '
    'unset lifeline; exec "$@"'
)


@final
class Program:
    """One run of a program, in a session of its own; used by one thread at a time.

    It gets none of the user's keys.

    :param argv: program and arguments.
    :param name: what error messages call it.
    :param directory: its working directory.
    :param variables: what its environment has beside ours.
    :raises InfrastructureError: where it cannot be started.
    """

    def __init__(
        self, argv: Sequence[str], name: str, directory: Path, variables: Mapping[str, str]
    ) -> None:
        self._name = name
        self._unsent = b""
        self._received = bytearray()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._last_words = ""
        self._shown = 0
        self._fault: str | None = None
        self._ended = False
        reading, self._lifeline = os.pipe()
        try:
            self._process = subprocess.Popen(
                ["/bin/sh", "-c", _KEPT, "sh", str(reading), *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd=directory,
                env=_environment(variables),
                pass_fds=(reading,),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            os.close(self._lifeline)
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise InfrastructureError(
                f"{name} cannot be started: {reason}", type="adapter"
            ) from None
        finally:
            os.close(reading)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._requests = self._process.stdin
        self._replies = self._process.stdout
        self._errors = self._process.stderr
        for stream in (self._requests, self._replies, self._errors):
            os.set_blocking(stream.fileno(), False)

    @property
    def pid(self) -> int:
        """Id of the process, which is also that of its group."""
        return self._process.pid

    def ask(self, request: bytes, what: str, seconds: float) -> bytes:
        """Write a line and return the line that answers it, without its end.

        :param what: the request in words, for messages.
        :raises InfrastructureError: where none comes in time, or too much, or it ends.
        """
        if self._fault is not None:
            raise InfrastructureError(self._fault, type="adapter")
        self._receive()
        if self._received:
            raise self.fault(f"wrote before it was asked ({what}): {shown(bytes(self._received))}")
        self._unsent = request
        self._interruptible(what, seconds, to_the_end=False)
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received[:] = rest
        return line

    def output(self, what: str, seconds: float) -> bytes:
        """Return all it writes until it ends by itself with exit status 0; its input is empty.

        :raises InfrastructureError: where it does not end so, or in time, or writes too much.
        """
        self._requests.close()
        self._interruptible(what, seconds, to_the_end=True)
        status = self._process.poll()
        if status:
            raise self.fault(f"ended with {_status(status)} in {what}")
        self.end()
        return bytes(self._received)

    def fault(self, problem: str) -> InfrastructureError:
        """End it and return the error that says why; it also answers whatever is asked later."""
        with suppress(OSError, ValueError):
            self._hear()
        words = printable(self._last_words, keep="\n").strip()
        self._fault = f"{self._name} {problem}" + (f"; it last wrote:\n{words}" if words else "")
        self.end()
        return InfrastructureError(self._fault, type="adapter")

    def end(self, grace: float = 0.0) -> None:
        """Close its input, wait *grace* seconds for its end, and kill it and what it started."""
        if self._ended:
            return
        self._ended = True
        with suppress(OSError):
            self._requests.close()
        with suppress(subprocess.TimeoutExpired):
            if grace:
                self._process.wait(grace)
        # The keeper is in the group until now: its number is nobody else's yet.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._lifeline)
        with suppress(OSError):
            self._hear()
        self._fault = self._fault or f"{self._name} is used after it was ended"
        self._replies.close()
        self._errors.close()

    def _interruptible(self, what: str, seconds: float, *, to_the_end: bool) -> None:
        try:
            self._exchange(what, seconds, to_the_end=to_the_end)
        except BaseException:
            # Also after an interrupt: a reply that comes later would be taken for another's.
            self.end()
            raise

    def _exchange(self, what: str, seconds: float, *, to_the_end: bool) -> None:
        """Write the request and read both outputs meanwhile, until the reply is there."""
        deadline = time.monotonic() + seconds
        self._shown = 0
        with selectors.DefaultSelector() as selector:
            for stream in (self._replies, self._errors):
                selector.register(stream, selectors.EVENT_READ)
            if self._unsent:
                selector.register(self._requests, selectors.EVENT_WRITE)
            wait = _WATCH
            while True:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise self.fault(f"took more than {seconds:g} s for {what} (setting timeout)")
                ready = {key.fileobj for key, _ in selector.select(min(left, wait))}
                if self._errors in ready and not self._hear():
                    selector.unregister(self._errors)
                if self._requests in ready and self._write():
                    selector.unregister(self._requests)
                # Asked before the last look at the pipe, which what it started may keep open.
                is_dead = self._process.poll() is not None
                can_be_more = self._receive()
                if len(self._received) > LONGEST_REPLY:
                    raise self.fault(f"wrote more than {LONGEST_REPLY >> 20} MiB for {what}")
                if is_dead if to_the_end else b"\n" in self._received:
                    self._hear()
                    return
                if not to_the_end and (is_dead or not can_be_more):
                    raise self._died(what)
                if not can_be_more and self._replies in selector.get_map():
                    selector.unregister(self._replies)
                    wait = _ENDING

    def _write(self) -> bool:
        """Write what can be written of the request; whether that was all."""
        try:
            self._unsent = self._unsent[self._requests.write(self._unsent[:_CHUNK]) or 0 :]
        except BrokenPipeError:
            # The end of its output says the same, and comes after its last reply.
            self._unsent = b""
        return not self._unsent

    def _receive(self) -> bool:
        """Take what there is of the reply; whether there can be more."""
        chunk: bytes | None = None
        while len(self._received) <= LONGEST_REPLY and (chunk := self._replies.read(_CHUNK)):
            self._received += chunk
        return chunk is None

    def _hear(self) -> bool:
        """Show some of its standard error and keep the end of it; whether there can be more."""
        chunk: bytes | None = None
        for _ in range(32):
            chunk = self._errors.read(_CHUNK)
            if not chunk:
                break
            text = self._decoder.decode(chunk)
            sys.stderr.write(text[: max(0, _SHOWN - self._shown)])
            self._shown += len(text)
            self._last_words = (self._last_words + text)[-_LAST_WORDS:]
        return chunk != b""

    def _died(self, what: str) -> InfrastructureError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        status = self._process.poll()
        how = "closed its output" if status is None else f"ended with {_status(status)}"
        rest = f" after {shown(bytes(self._received))}" if self._received else ""
        return self.fault(f"{how} in {what}{rest}")


def shown(raw: bytes) -> str:
    """Return the beginning of what a program wrote, as a message may have it."""
    text = printable(raw[:200].decode("utf-8", "replace"))
    return f"{text}..." if len(raw) > 200 else text


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """Return what the program gets of ours: no key, and not which test is looked at just now."""
    found = {**environment_without_secrets(), **child_labels(), **variables}
    found.pop("PYTEST_CURRENT_TEST", None)
    return found


def _status(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    with suppress(ValueError):
        return f"signal {signal.Signals(-status).name}"
    return f"signal {-status}"
