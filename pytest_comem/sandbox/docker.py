"""Sandboxes by a Docker engine on this machine: containers without network, rights or a way out."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.sandbox import cgroups, disk, watching
from pytest_comem.sandbox.base import (
    INSIDE,
    Ending,
    Finished,
    Limits,
    check_mounts,
    inside_of,
)
from pytest_comem.sandbox.docker_engine import Engine, speaking
from pytest_comem.sandbox.docker_exec import Execution
from pytest_comem.sandbox.docker_pool import Pool, own
from pytest_comem.sandbox.docker_shape import IMAGE, KEEPERS, Shape, user
from pytest_comem.sandbox.launching import Attended
from pytest_comem.sandbox.opened import Opened
from pytest_comem.sandbox.ticking import Slow

#: Looks for processes that a run left, and seconds between them: some just take their leave.
_LOOKS: Final = 3
_BETWEEN: Final = 0.03
_SIGKILLED: Final = 128 + signal.SIGKILL
_ALIVE: Final = "alive"
_EVENTS: Final = (
    "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null; "
    f"echo {_ALIVE}"
)


@final
class Docker:
    """The kind; it starts nothing before the first sandbox.

    :param image: with a shell in it.
    :param spares: containers held ready.
    """

    name = "docker"

    def __init__(self, image: str = IMAGE, spares: int = 1) -> None:
        self._image = image
        self._spares = spares
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._engine: Engine | None = None

    def preflight(self) -> None:
        """Ask the engine, and look for the image.

        :raises SettingsError: saying what is missing, and how to get it.
        """
        engine = Engine()
        try:
            engine.require(self._image)
        finally:
            engine.close()

    def open(
        self,
        workspace: Path,
        *,
        limits: Limits,
        read_only: Mapping[str, Path] = MappingProxyType({}),
        label: str,
    ) -> DockerSandbox:
        """Return a sandbox whose container runs."""
        check_mounts(read_only)
        engine, pool = self._opened()
        mounts = dict(read_only)

        def shape(wanted: Limits) -> Shape:
            return Shape.of(self._image, wanted, mounts)

        return DockerSandbox(workspace.resolve(), limits, label, engine, pool, shape)

    def warm(
        self, parent: Path, *, limits: Limits, read_only: Mapping[str, Path] | None = None
    ) -> None:
        """Have containers ready for workspaces in *parent*, and wait until they are."""
        self._opened()[1].warm(Shape.of(self._image, limits, read_only or {}), parent)

    def close(self) -> None:
        """Remove the containers that nobody uses; done at the process' end at the latest.

        Open sandboxes are closed before.
        """
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            if self._engine is not None:
                self._engine.close()
            self._pool = self._engine = None

    def _opened(self) -> tuple[Engine, Pool]:
        with self._lock:
            if self._engine is None:
                self._engine = Engine()
            if self._pool is None:
                self._pool = Pool(self._engine, self._spares)
            return self._engine, self._pool


@final
class DockerSandbox(Opened):
    """A container on a workspace; where a limit ended a run, the next one gets a new container."""

    kind = Docker.name
    inside = INSIDE

    def __init__(
        self,
        workspace: Path,
        limits: Limits,
        label: str,
        engine: Engine,
        pool: Pool,
        shape: Callable[[Limits], Shape],
    ) -> None:
        super().__init__(workspace, limits, label)
        self._engine = engine
        self._pool = pool
        self._shape = shape
        self._running = shape(limits)
        self._kills = 0
        # Of its first process, where it can be seen from here.
        self._pid: int | None = None
        self._container: str | None = pool.take(self._running, workspace, label)

    @property
    def container(self) -> str | None:
        """Id of its container; ``None`` where a limit ended the last one."""
        return self._container

    def is_alive(self) -> bool:
        """Return whether its container runs, if it has one just now."""
        if not super().is_alive():
            return False
        try:
            return self._container is None or bool(self._state()["Running"])
        except InfrastructureError:
            return False

    def close(self) -> None:
        """Remove the container, soon."""
        super().close()
        self._drop()

    def _play(
        self,
        argv: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        cwd: str,
        limits: Limits,
    ) -> Finished:
        execution = Execution(
            self._engine,
            self._prepared(limits),
            argv,
            stdin=stdin,
            environment=environment,
            cwd=inside_of(INSIDE, cwd),
            user=user(),
        )
        attended = execution.attend(limits, Slow(lambda: disk.over_limit(self.workspace, limits)))
        status: int | None = None
        ending = attended.ending
        if ending is not None:
            self._drop()
        else:
            status = execution.settled()
            ending = self._checked(status, attended, limits)
        ending = ending or disk.over_limit(self.workspace, limits)
        return Finished(
            status=status,
            stdout=attended.output.stdout,
            stderr=attended.output.stderr,
            seconds=attended.seconds,
            ended=ending.ended if ending else "exit",
            truncated=attended.output.truncated,
            why=ending.why if ending else "",
        )

    def _prepared(self, limits: Limits) -> str:
        """Return a running container with the limits of this run."""
        shape = self._shape(limits)
        if shape != self._running:
            self._drop()
        if self._container is None:
            self._container = self._pool.make(shape, self.workspace, self._label)
            self._running = shape
            self._kills = 0
        else:
            own(self.workspace)
        return self._container

    def _checked(self, status: int | None, attended: Attended, limits: Limits) -> Ending | None:
        """Return the limit that a run which ended by itself met, and leave none of its processes.

        :raises InfrastructureError: where the container is dead.
        """
        out_of_memory = Ending("memory", f"it used more than {limits.memory_mib} MiB of memory")
        try:
            kills, running = self._looked_at(status)
        except InfrastructureError:
            if self._state()["Running"]:
                raise
            running = False
        if not running:
            state = self._state()
            self._drop()
            if state.get("OOMKilled"):
                return out_of_memory
            words = attended.output.stderr.decode("utf-8", "replace")[-500:].strip()
            raise self.died(f"its container died{f'; last words: {words}' if words else ''}")
        more, self._kills = kills > self._kills, kills
        if self._left_something():
            self._drop()
        return out_of_memory if more else None

    def _looked_at(self, status: int | None) -> tuple[int, bool]:
        """Return how many processes were killed for memory, and whether the container runs."""
        state = self._state()
        if not state["Running"] or status is None:
            return 0, False
        pid = int(state["Pid"])
        # An engine in a virtual machine has process ids of its own.
        self._pid = pid if cgroups.is_in(pid, str(self._container)) else None
        kills = None if self._pid is None else cgroups.kills_for_memory(pid)
        # A container that is being killed still "runs"; whether it does, a program in it shows.
        if kills is None or status == _SIGKILLED:
            text = self._asked()
            return _sum_of_kills(text), _ALIVE in text.splitlines()
        return kills, True

    def _state(self) -> dict[str, Any]:
        from docker.errors import NotFound

        with speaking("its container cannot be asked for"):
            try:
                found = self._engine.client.api.inspect_container(self._container)
            except NotFound:
                return {"Running": False}
        return dict(found["State"])

    def _asked(self) -> str:
        """Return what the container itself sees of its memory."""
        with speaking("its memory cannot be asked for"):
            api = self._engine.client.api
            prepared = api.exec_create(self._container, ["/bin/sh", "-c", _EVENTS])
            return str(api.exec_start(prepared["Id"]).decode("ascii", "replace"))

    def _left_something(self) -> bool:
        """Return whether processes are there that are not ours."""
        for _ in range(_LOOKS):
            if self._pid is not None:
                count = len(list(watching.processes_of(self._pid)))
            else:
                with speaking("its processes cannot be listed"):
                    count = len(self._engine.client.api.top(self._container)["Processes"] or ())
            if count <= KEEPERS:
                return False
            time.sleep(_BETWEEN)
        return True

    def _drop(self) -> None:
        """Kill the container and everything in it; it is removed soon."""
        container, self._container = self._container, None
        if container is not None:
            with suppress(InfrastructureError), speaking("its container cannot be killed"):
                self._kill(container)
            self._pool.discard(container)

    def _kill(self, container: str) -> None:
        from docker.errors import APIError

        # Refused where it is dead already.
        with suppress(APIError):
            self._engine.client.api.kill(container, signal="SIGKILL")


def _sum_of_kills(text: str) -> int:
    pairs = (line.partition(" ") for line in text.splitlines())
    return sum(int(value) for name, _, value in pairs if name == "oom_kill" and value.isdigit())
