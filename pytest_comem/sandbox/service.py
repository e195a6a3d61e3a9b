"""Programs that go on running in a sandbox while they are talked to: servers.

A sandbox of :mod:`pytest_comem.sandbox.base` runs a program to its end. A service is started, has
pipes for its three streams, and is ended by us. Bubblewrap ends it too when this process is killed;
the kernel does that when the *thread* that started it ends, so threads of ours that never end start
it.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import IO, Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.ownership import child_labels
from pytest_comem.sandbox import cgroups, disk, watching
from pytest_comem.sandbox.base import (
    ENVIRONMENT,
    INSIDE,
    Ending,
    Limits,
    check_mounts,
    failure,
    inside_of,
)
from pytest_comem.sandbox.bubblewrap_limits import join, limit
from pytest_comem.sandbox.bubblewrap_run import KILLED, SIGKILLED, Run
from pytest_comem.sandbox.bubblewrap_view import variables, view
from pytest_comem.sandbox.plain import kill_group, start_process
from pytest_comem.sandbox.ticking import Slow

#: Kinds of sandboxes that can hold a service.
HOLDING: Final = ("bubblewrap", "none")
#: How many are started at once; each waits for the kernel to make its namespaces.
_AT_ONCE: Final = 4
#: Seconds that a killed service may take to be gone.
_DYING: Final = 10.0


@final
@dataclass(frozen=True, slots=True)
class Launch:
    """What is to run, and in what.

    :param argv: program and arguments; a name without a slash is looked for in ``PATH``.
    :param workspace: on the host; all that it can change.
    :param limits: of all its processes together; its seconds and bytes of output are not looked at.
    :param label: what it is, for messages.
    :param environment: beside :data:`pytest_comem.sandbox.base.ENVIRONMENT`.
    :param read_only: more of the host to be seen: path on the host by absolute path inside.
    :param cwd: relative to the workspace.
    """

    argv: Sequence[str]
    workspace: Path
    limits: Limits
    label: str
    environment: Mapping[str, str] = field(default_factory=dict)
    read_only: Mapping[str, Path] = field(default_factory=dict)
    cwd: str = "."


@final
class Service:
    """A program that runs until it ends or is ended; :meth:`close` from one thread.

    :ivar stdin: a pipe, as the other two; whoever reads and writes them may close them.
    """

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        watched: int,
        kill: Callable[[int], None],
        status: Callable[[], int | None],
        look: Callable[[], Ending | None],
        stack: ExitStack,
    ) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self.stdin: IO[bytes] = process.stdin
        self.stdout: IO[bytes] = process.stdout
        self.stderr: IO[bytes] = process.stderr
        self._watched = watched
        self._kill = kill
        self._status = status
        self._look = look
        self._stack = stack
        self._closed = False
        self._ending: Ending | None = None

    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self._closed or bool(select.select([self._watched], [], [], 0)[0])

    def look(self) -> Ending | None:
        """Return which limit it broke, and end it then; called now and then while it runs."""
        if self._ending is None and not self.is_over():
            self._ending = self._look()
            if self._ending is not None:
                self.kill()
        return self._ending

    def kill(self, number: int = signal.SIGKILL, grace: float = 0.0) -> None:
        """End it; with another signal than SIGKILL it has *grace* seconds to end itself."""
        if self.is_over():
            return
        if number != signal.SIGKILL:
            self._kill(number)
            if select.select([self._watched], [], [], grace)[0]:
                return
        self._kill(signal.SIGKILL)

    def how(self) -> str:
        """Return how it ended, in words; empty while it runs."""
        if not self.is_over():
            return ""
        if self._ending is not None:
            return f"was ended: {self._ending.why}"
        status = None if self._closed else self._status()
        if status is None or status in (SIGKILLED, KILLED):
            return "was killed"
        return f"ended with exit status {status}"

    def close(self) -> None:
        """End it and everything it started, and close the pipes; may be called again."""
        if not self._closed:
            self.kill()
            self._closed = True
            self._stack.close()


def start(kind: str, launch: Launch) -> Service:
    """Return a started service; whether it works is for the caller to find out.

    :param kind: of the sandbox, one of :data:`HOLDING`.
    :raises SettingsError: where that kind holds no service.
    :raises InfrastructureError: of type ``sandbox``, where it does not start.
    """
    if kind not in HOLDING:
        raise SettingsError(
            f"sandbox {kind}: cannot hold {launch.label}; choose {' or '.join(HOLDING)}"
        )
    disk.require_room(launch.workspace, launch.limits)
    check_mounts(launch.read_only)
    begun = _starters().submit(_in_bubblewrap if kind == "bubblewrap" else _plainly, launch)
    try:
        return begun.result()
    except KeyboardInterrupt:
        begun.add_done_callback(_abandon)
        raise


@cache
def _starters() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="comem-service")


def _abandon(begun: Future[Service]) -> None:
    if begun.exception() is None:
        begun.result().close()


def _in_bubblewrap(launch: Launch) -> Service:
    workspace, limits = launch.workspace.resolve(), launch.limits
    command = [
        *("bwrap", *view(workspace, limits, launch.read_only), *variables(launch.environment)),
        *("--chdir", inside_of(INSIDE, launch.cwd)),
    ]
    with ExitStack() as stack:
        group = None
        if groups := cgroups.available():
            try:
                group = groups.open(limits)
            except OSError as error:
                raise failure(f"sandbox bubblewrap: no control group: {error}") from error
            # Removed when the service is gone.
            stack.callback(group.close)
        run = stack.enter_context(Run(command, launch.argv))
        if group is not None:
            join(group, run.first)
        limit(run.first, limits)
        full = Slow(lambda: disk.over_limit(workspace, limits))

        def look() -> Ending | None:
            if group is None:
                return watching.over_limit(run.first, limits) or full()
            if group.was_out_of_memory():
                return Ending("memory", f"it used more than {limits.memory_mib} MiB of memory")
            return full()

        def kill(number: int) -> None:
            if number == signal.SIGKILL:
                run.kill()
                return
            # The first process is a shell that waits for the program, its only child.
            for pid in list(watching.processes_of(run.first))[1:2]:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, number)

        run.release()
        return Service(run.process, run.watched, kill, run.reported, look, stack.pop_all())


def _plainly(launch: Launch) -> Service:
    workspace, limits = launch.workspace.resolve(), launch.limits
    every = {**ENVIRONMENT, **launch.environment, **child_labels()}
    with ExitStack() as stack:
        cwd = inside_of(str(workspace), launch.cwd)
        process = start_process(launch.argv, cwd, every, limits)
        stack.callback(_end_plainly, process)
        watched = os.pidfd_open(process.pid) if hasattr(os, "pidfd_open") else -1
        if watched < 0:
            raise failure("sandbox none: services need Linux")
        stack.callback(os.close, watched)
        full = Slow(lambda: disk.over_limit(workspace, limits))

        def look() -> Ending | None:
            return watching.over_limit(process.pid, limits) or full()

        def kill(number: int) -> None:
            if number == signal.SIGKILL:
                kill_group(process)
            else:
                process.send_signal(number)

        def status() -> int | None:
            found = process.wait(_DYING)
            return 128 - found if found < 0 else found

        return Service(process, watched, kill, status, look, stack.pop_all())


def _end_plainly(process: subprocess.Popen[bytes]) -> None:
    """End the program and what it has left in its group, and wait for that."""
    until = time.monotonic() + _DYING
    kill_group(process)
    process.wait()
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < until:
            os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.002)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
