"""One process of bubblewrap: held back until it has its limits, watched from outside, ended."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from typing import Any, Final, final

from pytest_comem.sandbox.base import failure

#: Exit status of the shell where SIGKILL ended the program: 137 is left to mean that something
#: killed the shell itself, which cannot be done from inside.
KILLED: Final = 250
SIGKILLED: Final = 128 + signal.SIGKILL
_SHELL: Final = (
    f'( exec "$@" ); status=$?; [ "$status" -eq {SIGKILLED} ] && status={KILLED}; exit "$status"'
)
#: Seconds that bubblewrap may take to build the namespaces.
_STARTING: Final = 30.0


@final
class Run:
    """One process of bubblewrap, held back until it is released."""

    def __init__(self, command: Sequence[str], argv: Sequence[str]) -> None:
        self._stack = ExitStack()
        try:
            self._start(command, argv)
        except BaseException:
            self._stack.close()
            raise

    def _start(self, command: Sequence[str], argv: Sequence[str]) -> None:
        blocked, self._block = self._pipe()
        self._status, status = self._pipe()
        self._said = b""
        private = ["--block-fd", str(blocked), "--json-status-fd", str(status)]
        try:
            self.process = subprocess.Popen(
                [*command, *private, "--", "/bin/sh", "-c", _SHELL, "sh", *argv],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=(blocked, status),
                # Bubblewrap's own would be seen inside.
                env={},
                executable=shutil.which("bwrap"),
                start_new_session=True,
            )
        except OSError as error:
            raise failure(f"sandbox bubblewrap: does not start: {error}") from error
        except ValueError as error:
            raise ValueError(f"the program cannot be called so: {error}") from error
        self._stack.callback(self._end)
        for descriptor in (blocked, status):
            self._close(descriptor)
        self.first = self._first()
        try:
            self.watched = os.pidfd_open(self.first)
        except OSError as error:
            raise failure(f"sandbox bubblewrap: ended before it began: {error}") from error
        self._stack.callback(os.close, self.watched)
        self._stack.callback(self._end_inside)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def release(self) -> None:
        """Let the program begin."""
        self._close(self._block)

    def is_over(self) -> bool:
        """Return whether the namespaces' first process is gone, and with it every other one."""
        ready, _, _ = select.select([self.watched], [], [], 0)
        return bool(ready)

    def kill(self) -> None:
        """End every process in the namespaces."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.watched, signal.SIGKILL)

    def reported(self) -> int | None:
        """Return the exit status as bubblewrap says it; ``None`` where it came to none."""
        try:
            self.process.wait(_STARTING)
        except subprocess.TimeoutExpired:
            return None
        while chunk := os.read(self._status, 4096):
            self._said += chunk
        found = self._facts().get("exit-code")
        return found if isinstance(found, int) else None

    def _first(self) -> int:
        """Wait until bubblewrap says which process is the first."""
        while b"\n" not in self._said:
            ready, _, _ = select.select([self._status], [], [], _STARTING)
            chunk = os.read(self._status, 4096) if ready else b""
            self._said += chunk
            if not chunk:
                self.process.kill()
                _, words = self.process.communicate(timeout=_STARTING)
                shown = words.decode("utf-8", "replace")[-500:].strip()
                raise failure(f"sandbox bubblewrap: does not start: {shown or 'it says nothing'}")
        return int(self._facts()["child-pid"])

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        for line in self._said.splitlines():
            facts.update(json.loads(line))
        return facts

    def _pipe(self) -> tuple[int, int]:
        pair = os.pipe()
        self._open = {*getattr(self, "_open", ()), *pair}
        for descriptor in pair:
            self._stack.callback(self._close, descriptor)
        return pair

    def _close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)

    def _end_inside(self) -> None:
        """Where something was raised: leave no process."""
        self.kill()
        select.select([self.watched], [], [], _STARTING)

    def _end(self) -> None:
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
