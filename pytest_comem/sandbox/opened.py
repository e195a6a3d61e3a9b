"""What open sandboxes of every kind have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Self

from pytest_comem.errors import InfrastructureError
from pytest_comem.sandbox import disk
from pytest_comem.sandbox.base import Finished, Limits, failure


class Opened(ABC):
    """An open sandbox, until it is closed or dies; a dead one stays dead.

    :param workspace: on the host.
    :param limits: of a run that has none of its own.
    :param label: what it is for.
    :raises InfrastructureError: where the workspace is no directory, or its disk has no room.
    """

    kind: str
    inside: str

    def __init__(self, workspace: Path, limits: Limits, label: str) -> None:
        disk.require_room(workspace, limits)
        self.workspace = workspace
        self._limits = limits
        self._label = label
        self._death = ""

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        environment: Mapping[str, str] = MappingProxyType({}),
        cwd: str = ".",
        limits: Limits | None = None,
    ) -> Finished:
        """Run a program; see :class:`pytest_comem.sandbox.base.Sandbox`."""
        if not argv:
            raise ValueError("no program was given")
        if not self.is_alive():
            raise failure(self._death or f"sandbox {self._label}: its workspace is gone")
        return self._play(argv, stdin, environment, cwd, limits or self._limits)

    def is_alive(self) -> bool:
        """Return whether it can run programs."""
        return not self._death and self.workspace.is_dir()

    def close(self) -> None:
        """Close it."""
        self._death = self._death or f"sandbox {self._label}: is closed"

    def died(self, how: str) -> InfrastructureError:
        """Note that it died, and return the error that says so."""
        self._death = f"sandbox {self._label} ({self.kind}): {how}"
        return failure(self._death)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @abstractmethod
    def _play(
        self,
        argv: Sequence[str],
        stdin: bytes,
        environment: Mapping[str, str],
        cwd: str,
        limits: Limits,
    ) -> Finished: ...
