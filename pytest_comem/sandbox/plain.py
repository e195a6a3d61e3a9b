"""``none``: a program among ours, for where nothing better runs. It isolates nothing.

It has an environment of its own, limits, a session, and an end; it reads and writes what we may.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from pytest_comem.sandbox import disk, watching
from pytest_comem.sandbox.base import (
    ENVIRONMENT,
    MIB,
    Ending,
    Finished,
    Limits,
    failure,
    inside_of,
)
from pytest_comem.sandbox.launching import Handle, attend
from pytest_comem.sandbox.opened import Opened
from pytest_comem.sandbox.ticking import Slow

WARNING: Final = (
    "sandbox none: programs run without any isolation: they can read and change whatever you can, "
    "and use the network; install bubblewrap or a Docker engine"
)
#: Seconds in which killed processes are gone, unless nobody collects orphans here.
_DYING: Final = 2.0


class NoIsolationWarning(UserWarning):
    """Programs run among ours."""


@final
class Plain:
    """The kind."""

    name = "none"

    def preflight(self) -> None:
        """Warn; nothing is needed."""
        warnings.warn(WARNING, NoIsolationWarning, stacklevel=2)

    def open(
        self,
        workspace: Path,
        *,
        limits: Limits,
        read_only: Mapping[str, Path] = MappingProxyType({}),
        label: str,
    ) -> PlainSandbox:
        """Return a sandbox; what was to be seen read-only is where it is on the host."""
        return PlainSandbox(workspace.resolve(), limits, label)


@final
class PlainSandbox(Opened):
    """A directory to run programs in."""

    kind = Plain.name

    def __init__(self, workspace: Path, limits: Limits, label: str) -> None:
        super().__init__(workspace, limits, label)
        self.inside = str(workspace)

    def _play(
        self,
        argv: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        cwd: str,
        limits: Limits,
    ) -> Finished:
        every = {**ENVIRONMENT, **environment}
        with ExitStack() as stack:
            process = start_process(argv, inside_of(self.inside, cwd), every, limits)
            stack.callback(_end, process)
            measured = Slow(lambda: disk.over_limit(self.workspace, limits))

            def look() -> Ending | None:
                watched = sys.platform == "linux"
                return (watching.over_limit(process.pid, limits) if watched else None) or measured()

            handle = Handle(
                process,
                is_over=lambda: process.poll() is not None,
                kill=lambda: kill_group(process),
                look=look,
                wake=_wake(stack, process),
            )
            attended = attend(handle, stdin, limits)
            _end_group(process)
            ending = attended.ending or disk.over_limit(self.workspace, limits)
            status = process.returncode
            return Finished(
                # A signal's number is negative here.
                status=None if attended.ending else 128 - status if status < 0 else status,
                stdout=attended.output.stdout,
                stderr=attended.output.stderr,
                seconds=attended.seconds,
                ended=ending.ended if ending else "exit",
                truncated=attended.output.truncated,
                why=ending.why if ending else "",
            )


def start_process(
    argv: Sequence[str], cwd: str, environment: Mapping[str, str], limits: Limits
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own, with pipes for all three streams.

    :raises InfrastructureError: of type ``sandbox``, where there is no starting it.
    """
    # Not of processes: that limit counts all processes of the user.
    script = (
        f"ulimit -c 0; ulimit -n 1024; ulimit -f {limits.disk_mib * MIB // 512}; "
        f'ulimit -v {4 * limits.memory_mib * 1024} 2>/dev/null; exec "$@"'
    )
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", script, "sh", *argv],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env=dict(environment),
            start_new_session=True,
        )
    except OSError as error:
        raise failure(f"sandbox none: does not start: {error}") from error


def _wake(stack: ExitStack, process: subprocess.Popen[bytes]) -> int | None:
    if not hasattr(os, "pidfd_open"):
        return None
    descriptor = os.pidfd_open(process.pid)
    stack.callback(os.close, descriptor)
    return descriptor


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """End the program and its process group; what left the group stays."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End what the ended program has left in its group, and wait for that."""
    until = time.monotonic() + _DYING
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < until:
            os.killpg(process.pid, signal.SIGKILL)
            time.sleep(0.002)


def _end(process: subprocess.Popen[bytes]) -> None:
    kill_group(process)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
