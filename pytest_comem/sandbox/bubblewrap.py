"""Sandboxes by bubblewrap: private namespaces of the kernel, as root or as an ordinary user.

Each run has namespaces of its own, and ends with the last process in them. The first process in
there is a shell, which the program cannot kill; while bubblewrap holds it back, it gets its limits.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.sandbox import cgroups, disk, watching
from pytest_comem.sandbox.base import (
    INSIDE,
    Ending,
    Finished,
    Limits,
    check_mounts,
    failure,
    inside_of,
)
from pytest_comem.sandbox.bubblewrap_limits import join, limit
from pytest_comem.sandbox.bubblewrap_run import KILLED, SIGKILLED, Run
from pytest_comem.sandbox.bubblewrap_view import variables, view
from pytest_comem.sandbox.cgroups import Group, Groups
from pytest_comem.sandbox.launching import Attended, Handle, attend
from pytest_comem.sandbox.opened import Opened
from pytest_comem.sandbox.ticking import Slow

_HOW: Final = (
    "install bubblewrap 0.8 or later (Debian, Ubuntu: apt-get install bubblewrap) and let "
    "user namespaces be made, or choose another sandbox"
)


@final
class Bubblewrap:
    """The kind.

    :param groups: where control groups can be made; ``None`` to do without, so that memory and
        processes are watched instead.
    """

    name = "bubblewrap"

    def __init__(self, groups: Callable[[], Groups | None] = cgroups.available) -> None:
        self._groups = groups

    def preflight(self) -> None:
        """Run a program.

        :raises SettingsError: with what bubblewrap says, and how to get it.
        """
        if not hasattr(os, "pidfd_open"):
            raise SettingsError("sandbox bubblewrap: needs Linux; choose another sandbox")
        if shutil.which("bwrap") is None:
            raise SettingsError(f"sandbox bubblewrap: there is no command 'bwrap'; {_HOW}")
        with tempfile.TemporaryDirectory(prefix="comem-") as place:
            try:
                with self.open(Path(place), limits=Limits(), label="trial") as sandbox:
                    finished = sandbox.run(["true"])
            except InfrastructureError as error:
                raise SettingsError(f"{error}; {_HOW}") from error
        if finished.status != 0:
            raise SettingsError(f"sandbox bubblewrap: a trial failed ({finished}); {_HOW}")

    def open(
        self,
        workspace: Path,
        *,
        limits: Limits,
        read_only: Mapping[str, Path] = MappingProxyType({}),
        label: str,
    ) -> BubblewrapSandbox:
        """Return a sandbox; nothing is started before its first run."""
        check_mounts(read_only)
        return BubblewrapSandbox(workspace, limits, read_only, label, self._groups())


@final
class BubblewrapSandbox(Opened):
    """A workspace for runs of bubblewrap."""

    kind = Bubblewrap.name
    inside = INSIDE

    def __init__(
        self,
        workspace: Path,
        limits: Limits,
        read_only: Mapping[str, Path],
        label: str,
        groups: Groups | None,
    ) -> None:
        super().__init__(workspace.resolve(), limits, label)
        self._read_only = dict(read_only)
        self._groups = groups

    def _play(
        self,
        argv: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        cwd: str,
        limits: Limits,
    ) -> Finished:
        command = [
            *("bwrap", *view(self.workspace, limits, self._read_only), *variables(environment)),
            *("--chdir", inside_of(INSIDE, cwd)),
        ]
        with ExitStack() as stack:
            # Removed when the run is gone.
            group = self._group(stack, limits)
            run = stack.enter_context(Run(command, argv))
            if group is not None:
                join(group, run.first)
            limit(run.first, limits)
            look = self._look(run.first, limits, group)
            handle = Handle(run.process, run.is_over, run.kill, look, run.watched)
            run.release()
            attended = attend(handle, stdin, limits)
            return self._finished(run, attended, limits, group)

    def _group(self, stack: ExitStack, limits: Limits) -> Group | None:
        if self._groups is None:
            return None
        try:
            group = self._groups.open(limits)
        except OSError as error:
            raise failure(f"sandbox bubblewrap: no control group: {error}") from error
        stack.callback(group.close)
        return group

    def _look(self, first: int, limits: Limits, group: Group | None) -> Callable[[], Ending | None]:
        measured = Slow(lambda: disk.over_limit(self.workspace, limits))

        def look() -> Ending | None:
            if group is None:
                return watching.over_limit(first, limits) or measured()
            return (_memory(limits) if group.was_out_of_memory() else None) or measured()

        return look

    def _finished(
        self, run: Run, attended: Attended, limits: Limits, group: Group | None
    ) -> Finished:
        reported = run.reported()
        ending = attended.ending
        if ending is None and group is not None and group.was_out_of_memory():
            ending = _memory(limits)
        if ending is None and reported is None:
            words = attended.output.stderr.decode("utf-8", "replace")[-500:].strip()
            raise self.died(f"it was killed, or does not start: {words or 'it says nothing'}")
        if ending is None and reported == SIGKILLED:
            raise self.died("its first process was killed from outside")
        ending = ending or disk.over_limit(self.workspace, limits)
        status = SIGKILLED if reported == KILLED else reported
        by_itself = ending is None or attended.ending is None
        return Finished(
            status=status if by_itself and reported != SIGKILLED else None,
            stdout=attended.output.stdout,
            stderr=attended.output.stderr,
            seconds=attended.seconds,
            ended=ending.ended if ending else "exit",
            truncated=attended.output.truncated,
            why=ending.why if ending else "",
        )


def _memory(limits: Limits) -> Ending:
    return Ending("memory", f"it used more than {limits.memory_mib} MiB of memory")
