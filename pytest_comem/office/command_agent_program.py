"""``--comem-agent cmd:COMMAND``: which program is run, and what of the host it is shown.

The command is taken apart as a shell does and given to no shell. Its program is looked for where
the sandbox has programs, then in ``PATH``; from there its one file is shown inside, under its own
path and read-only. What more it needs, such as the directory of a script and its libraries, the
user names in :data:`MOUNTS`.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePath
from typing import Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.printable import printable
from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import ENVIRONMENT

#: Environment variable: files and directories of the host that are shown inside, read-only and
#: under their own paths, separated as in ``PATH``.
MOUNTS: Final = "COMEM_AGENT_MOUNTS"
#: How such an agent is asked for.
PREFIX: Final = "cmd:"
#: What every sandbox has, or has its own of.
_INSIDE: Final = tuple(map(Path, ("/usr", "/bin", "/sbin", "/lib", "/lib64")))
_KEPT_OUT: Final = tuple(map(Path, ("/etc", "/proc", "/dev", "/sys", "/run", "/var")))
_TAKEN: Final = tuple(map(Path, ("/workspace", "/comem")))
#: Programs that the sandbox has, whatever the host has.
_OURS: Final = ("python3", "python", "pytest")
#: Bytes of mounted files that are read to tell one version from another; then sizes have to do.
_READ: Final = 1 << 30


@final
@dataclass(frozen=True, slots=True)
class Program:
    """A command and what of the host it needs.

    :param command: program and arguments, placeholders included.
    :param read_only: path on the host by path inside.
    """

    command: tuple[str, ...]
    read_only: Mapping[str, Path] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the program, without its directory."""
        return printable(PurePath(self.command[0]).name)

    def version(self) -> str:
        """Return a hash of the command and of the content of what is shown."""
        contents = [[path, _content(host)] for path, host in sorted(self.read_only.items())]
        return stable_hash([list(self.command), contents])[:16]


def read_program(agent: str, mounts: str = "") -> Program:
    """Return what ``cmd:COMMAND`` asks for.

    :param mounts: value of :data:`MOUNTS`.
    :raises SettingsError: where there is no such command, or a path that cannot be shown.
    """
    try:
        words = shlex.split(agent.removeprefix(PREFIX))
    except ValueError as error:
        raise SettingsError(f"--comem-agent: {agent}: {str(error).lower()}") from None
    if not agent.startswith(PREFIX) or not words or not words[0]:
        raise SettingsError(
            f"--comem-agent: {agent!r} has no command; it looks like 'cmd:codex exec --json -'"
        )
    if any("\0" in word for word in words):
        raise SettingsError("--comem-agent: the command holds a NUL character")
    shown = {str(path): path for path in _mounted(mounts)}
    found = _found(words[0])
    if found is None:
        return Program(tuple(words), shown)
    seen = any(found.is_relative_to(place) for place in (*_INSIDE, *map(Path, shown)))
    if not seen:
        shown[str(found)] = found.resolve()
    return Program((str(found), *words[1:]), shown)


def check_apart(program: Program, *directories: Path) -> None:
    """Refuse to show inside what only graders may see.

    :param directories: of the streams, and of the run's record.
    :raises SettingsError: where what is shown holds one of them, or lies in one.
    """
    for host in program.read_only.values():
        path = host.resolve()
        for directory in directories:
            kept = directory.resolve()
            if kept.is_relative_to(path) or path.is_relative_to(kept):
                raise SettingsError(
                    f"{MOUNTS}: {host} would show the agent what only graders may see, in "
                    f"{directory}; keep the agent somewhere else"
                )


def _found(name: str) -> Path | None:
    """Return a program's path on the host; ``None`` where the sandbox has one of that name."""
    if "/" not in name and (name in _OURS or shutil.which(name, path=ENVIRONMENT["PATH"])):
        return None
    found = shutil.which(name)
    if found is None:
        raise SettingsError(
            f"--comem-agent: there is no program {name!r} here; give its path, or install it"
        )
    # Not resolved: programs go by the name they are called by.
    return _absolute(found)


def _absolute(name: str) -> Path:
    path = Path(name).expanduser().absolute()
    return path.resolve() if ".." in path.parts else path


def _mounted(mounts: str) -> list[Path]:
    paths = [_absolute(each) for each in mounts.split(os.pathsep) if each]
    home = Path.home().resolve()
    for path in paths:
        if not path.exists():
            raise SettingsError(f"{MOUNTS}: {path} is not there")
        real = path.resolve()
        is_much = real == Path("/") or home.is_relative_to(real)
        if is_much or any(real.is_relative_to(place) for place in _KEPT_OUT):
            raise SettingsError(f"{MOUNTS}: {path} shows more than an agent may see")
        if any(path.is_relative_to(place) for place in _TAKEN):
            raise SettingsError(f"{MOUNTS}: {path} has a place that the sandbox uses itself")
    return [path for path in paths if not any(path.is_relative_to(at) for at in _INSIDE)]


def _content(path: Path) -> str:
    """Return a hash of a file's content, or of all files of a directory, links not followed."""
    try:
        if path.is_file():
            state = path.stat()
            return _file_content(path, state.st_size, state.st_mtime_ns)
        return stable_hash(_contents(path))
    except OSError as error:
        raise SettingsError(f"{MOUNTS}: {path}: {error.strerror}") from error


@cache
def _file_content(path: Path, size: int, changed: int) -> str:
    """Return a file's hash; it is read once while it has this size and time of change."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _contents(directory: Path) -> Sequence[Sequence[str | int]]:
    found: list[Sequence[str | int]] = []
    left = _READ
    for place, names, files in os.walk(directory):
        names.sort()
        for name in sorted(files):
            path = Path(place, name)
            if path.is_symlink() or not path.is_file() or path.suffix == ".pyc":
                continue
            size = path.stat().st_size
            left -= size
            relative = path.relative_to(directory).as_posix()
            found.append([relative, size, _content(path) if left > 0 else ""])
    return found
