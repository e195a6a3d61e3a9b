"""What a sandbox promises, whichever kind it is.

A program in a sandbox has no network, sees nothing of the host but a read-only system, changes
nothing but its workspace, inherits no environment, and leaves no process behind. ``none`` keeps
none of the first three promises and says so.

What a program leaves in ``/tmp`` may be gone in the next run; the workspace stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Final, Literal, NamedTuple, Protocol, Self, TypeAlias, final

from pytest_comem.errors import InfrastructureError, SettingsError

MIB: Final = 1 << 20
#: Where a program that is isolated sees its workspace.
INSIDE: Final = "/workspace"
#: All there is in a program's environment before the caller's own variables.
ENVIRONMENT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": "/tmp",
        "TMPDIR": "/tmp",
        "LANG": "C.UTF-8",
    }
)

Ended: TypeAlias = Literal["exit", "timeout", "memory", "output", "killed"]


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """What one run of a program may use.

    :param seconds: of wall clock.
    :param memory_mib: of all its processes together.
    :param processes: processes and threads at once.
    :param disk_mib: that the workspace may hold in all, that one file may have, and that ``/tmp``
        may hold. An entry of the workspace counts as four KiB at least.
    :param output_bytes: of standard output and standard error together.
    """

    seconds: float = 60.0
    memory_mib: int = 1024
    processes: int = 64
    disk_mib: int = 512
    output_bytes: int = MIB

    def __post_init__(self) -> None:
        for name in ("seconds", "memory_mib", "processes", "disk_mib", "output_bytes"):
            if getattr(self, name) <= 0:
                raise ValueError(f"Limits: {name} is {getattr(self, name)}; it has to be positive")


@final
@dataclass(frozen=True, slots=True)
class Finished:
    """A run that came to an end while its sandbox was all right.

    :param status: exit status, 128 and the signal's number for a program that a signal ended;
        ``None`` where we ended it.
    :param stdout: what it wrote, up to the limit.
    :param stderr: likewise.
    :param seconds: that it took.
    :param ended: how: ``exit`` by itself, ``timeout``, ``memory`` where a process was killed for
        using too much (the program may have gone on and have a status), ``output`` for writing too
        much, ``killed`` for any other limit.
    :param truncated: whether there was more output than is here.
    :param why: which limit it was, in words; empty where it ended by itself.
    """

    status: int | None
    stdout: bytes
    stderr: bytes
    seconds: float
    ended: Ended
    truncated: bool = False
    why: str = ""


class Ending(NamedTuple):
    """Why a run has to end before its program does."""

    ended: Ended
    why: str


class Sandbox(Protocol):
    """A workspace and the right to run programs in it; used by one thread at a time.

    :ivar workspace: on the host. What a program left there may be a link to anywhere: read it with
        :func:`pytest_comem.sandbox.reading.read_file`.
    :ivar inside: the same as programs see it.
    :ivar kind: name of the kind.
    """

    workspace: Path
    inside: str
    kind: str

    def run(
        self,
        argv: Sequence[str],
        *,
        stdin: bytes = b"",
        environment: Mapping[str, str] = MappingProxyType({}),
        cwd: str = ".",
        limits: Limits | None = None,
    ) -> Finished:
        """Run a program to its end; afterwards none of its processes is left.

        :param argv: program and arguments; a name without a slash is looked for in ``PATH``.
        :param environment: beside :data:`ENVIRONMENT`.
        :param cwd: relative to the workspace.
        :param limits: other ones than the sandbox was opened with.
        :raises InfrastructureError: of type ``sandbox``, where the sandbox does not start or died.
        """
        ...

    def is_alive(self) -> bool:
        """Return whether it can run programs; asked before what it holds is judged."""
        ...

    def close(self) -> None:
        """End whatever runs; the workspace stays, and is the caller's. May be called again."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class SandboxKind(Protocol):
    """A way of making sandboxes.

    :ivar name: as it is asked for.
    """

    name: str

    def preflight(self) -> None:
        """Try it.

        :raises SettingsError: saying what is missing, and how to get it.
        """
        ...

    def open(
        self,
        workspace: Path,
        *,
        limits: Limits,
        read_only: Mapping[str, Path] = MappingProxyType({}),
        label: str,
    ) -> Sandbox:
        """Return a sandbox on a directory of the caller's.

        :param limits: of each run, where the run has none of its own.
        :param read_only: more of the host to be seen: path on the host by absolute path inside.
        :param label: what the sandbox is for, for people.
        :raises InfrastructureError: of type ``sandbox``, where it does not start.
        """
        ...


def failure(message: str) -> InfrastructureError:
    """Return the error that says a sandbox, and not what ran in it, is at fault."""
    return InfrastructureError(message, type="sandbox")


def inside_of(base: str, cwd: str) -> str:
    """Return a directory of the workspace as programs see it.

    :raises ValueError: where *cwd* leads out of the workspace.
    """
    parts = Path(cwd).parts
    if Path(cwd).is_absolute() or ".." in parts or "\0" in cwd:
        raise ValueError(f"cwd {cwd!r} is not a path inside the workspace")
    return "/".join([base, *parts])


def check_mounts(read_only: Mapping[str, Path]) -> None:
    """Refuse what cannot be shown inside.

    :raises SettingsError: naming it.
    """
    for inside, host in read_only.items():
        normal = "/".join(["", *Path(inside).parts[1:]])
        if not inside.startswith("/") or inside != normal or ".." in Path(inside).parts:
            raise SettingsError(f"sandbox: {inside!r} is not an absolute path without '..'")
        if not host.exists():
            raise SettingsError(f"sandbox: {host}, to be seen as {inside}, is not there")
