"""Containers that run before anybody wants them.

A container's workspace is fixed when it is made. Those of the pool have directories beside the
workspaces that are to come; handing one out gives its directory the workspace's place and content,
which the container does not notice.
"""

from __future__ import annotations

import atexit
import os
import tempfile
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import InfrastructureError
from pytest_comem.removal import remove_tree
from pytest_comem.sandbox.base import failure
from pytest_comem.sandbox.docker_engine import Engine, speaking
from pytest_comem.sandbox.docker_shape import Shape, user

_PREFIX: Final = ".comem-pool-"
_WARM: Final = "warm"


@final
class Pool:
    """Spare containers by shape and the directory their workspaces will be in.

    :param engine: that runs them.
    :param spares: how many are held ready of each.
    """

    def __init__(self, engine: Engine, spares: int = 1) -> None:
        self._engine = engine
        self._spares = spares
        self._lock = threading.Lock()
        self._ready: dict[tuple[Shape, Path], list[tuple[str, Path]]] = {}
        self._coming: dict[tuple[Shape, Path], list[Future[None]]] = {}
        self._workers = ThreadPoolExecutor(2, "comem-docker")
        self._closed = False
        atexit.register(self.close)

    def take(self, shape: Shape, workspace: Path, label: str) -> str:
        """Return the id of a running container on *workspace*, and have another one made ready.

        The workspace becomes another directory with the same name, mode and content.

        :raises InfrastructureError: where none can be made.
        """
        key = (shape, workspace.parent)
        with self._lock:
            ready = self._ready.get(key, [])
            found = ready.pop() if ready else None
        self._refill(key)
        if found is None:
            return self.make(shape, workspace, label)
        container, directory = found
        try:
            _hand_over(directory, workspace)
        except OSError as error:
            self.discard(container)
            raise failure(
                f"sandbox docker: {workspace} cannot become a container's: {error.strerror}"
            ) from error
        return container

    def warm(self, shape: Shape, parent: Path) -> None:
        """Make containers ready for workspaces in *parent*, and wait for them."""
        for future in self._refill((shape, parent.resolve())):
            future.result()

    def make(self, shape: Shape, workspace: Path, label: str) -> str:
        """Return the id of a new container on a directory."""
        own(workspace)
        with speaking("a container does not start"):
            container = self._engine.client.containers.create(**shape.options(workspace, label))
            try:
                container.start()
            except BaseException:
                self.discard(container.id)
                raise
        return str(container.id)

    def discard(self, container: str) -> None:
        """Kill and remove a container, soon."""
        self._later(lambda: _remove(self._engine, container))

    def close(self) -> None:
        """Remove all that is spare, and wait for what is being removed."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        atexit.unregister(self.close)
        self._workers.shutdown(wait=True)
        for spares in self._ready.values():
            for container, directory in spares:
                _remove(self._engine, container)
                with suppress(OSError):
                    remove_tree(directory)
        self._ready.clear()

    def _refill(self, key: tuple[Shape, Path]) -> list[Future[None]]:
        """Have what is missing made, and return all that is being made."""
        with self._lock:
            if self._closed:
                return []
            coming = [future for future in self._coming.get(key, ()) if not future.done()]
            missing = self._spares - len(self._ready.get(key, ())) - len(coming)
            coming += [self._workers.submit(self._prepare, key) for _ in range(missing)]
            self._coming[key] = coming
            return coming

    def _prepare(self, key: tuple[Shape, Path]) -> None:
        shape, parent = key
        # Whoever wants one where none can be made tries it again, and is told.
        with suppress(InfrastructureError, OSError):
            directory = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            made = (self.make(shape, directory, _WARM), directory)
            with self._lock:
                self._ready.setdefault(key, []).append(made)

    def _later(self, work: Callable[[], None]) -> None:
        with self._lock:
            if not self._closed:
                self._workers.submit(work)
                return
        work()


def own(directory: Path) -> None:
    """Give a workspace to the user that programs run as; does nothing where we are that user.

    No program runs in it meanwhile. A file with a second name elsewhere changes its owner too.
    """
    target = user()
    if os.geteuid() == target:
        return
    os.chown(directory, target, target)
    for place, names, files in os.walk(directory):
        for name in (*names, *files):
            path = os.path.join(place, name)  # noqa: PTH118 - a great many
            found = os.lstat(path)
            if (found.st_uid, found.st_gid) != (target, target):
                os.chown(path, target, target, follow_symlinks=False)


def _hand_over(directory: Path, workspace: Path) -> None:
    """Put *directory* into the workspace's place, with its content."""
    mode = workspace.stat().st_mode & 0o7777
    for entry in list(os.scandir(workspace)):
        Path(entry.path).rename(directory / entry.name)
    own(directory)
    directory.chmod(mode)
    # A directory takes the place of an empty one.
    directory.rename(workspace)


def _remove(engine: Engine, container: str) -> None:
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    # Killed at once: its first process heeds no signal that could be ignored. What the engine does
    # not remove now has our labels, and is found by them.
    with suppress(DockerException, RequestException, OSError):
        engine.client.api.remove_container(container, force=True, v=True)
