"""Workspaces for provers: a fresh directory and sandbox a run, and what is allowed there."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Final, final

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import Finished, Limits, Sandbox, SandboxKind
from pytest_comem.sandbox.reading import UnreadableError, read_file
from pytest_comem.sandbox.registry import AUTO, choose

#: Of one run of a prover; what a script needs is a hundredth of it.
LIMITS: Final = Limits(seconds=120, memory_mib=3072, processes=64, disk_mib=256)
#: Largest compiled file that is carried from one workspace to the next, in bytes.
_MAX_COMPILED: Final = 16 << 20
#: Where Coq's plugins are looked for is written here.
_FINDLIB: Final = Path("/etc/ocamlfind.conf")
#: Directories that are there in every sandbox.
_SYSTEM: Final = (Path("/usr"), Path("/bin"), Path("/lib"))


@final
class Bench:
    """Makes workspaces; each is gone when it is closed.

    :param sandbox: name of the kind of sandbox.
    :param program: a command, or its path.
    """

    def __init__(self, program: str, sandbox: str = AUTO) -> None:
        self._sandbox = sandbox
        self._program = program

    @property
    def program(self) -> str | None:
        """Path of the program, or ``None`` where it is not there."""
        return shutil.which(self._program)

    def problem(self) -> str | None:
        """Return why no program of this machine can be run here, or ``None``."""
        try:
            kind = self._kind()
        except SettingsError as error:
            return str(error)
        if kind.name == "docker":
            return "the image of the docker sandbox has no prover; choose bubblewrap or none"
        return None

    @contextmanager
    def opened(self, files: Mapping[str, bytes], limits: Limits = LIMITS) -> Iterator[Workspace]:
        """Open a workspace that holds files, by their paths in it."""
        with tempfile.TemporaryDirectory(prefix="comem-") as place:
            directory = Path(place)
            for name, raw in files.items():
                path = directory / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(raw)
            kind = self._kind()
            with kind.open(
                directory, limits=limits, read_only=self._mounts(), label="prover"
            ) as sandbox:
                yield Workspace(sandbox)

    def _kind(self) -> SandboxKind:
        return choose(self._sandbox)

    def _mounts(self) -> Mapping[str, Path]:
        """Return what a prover needs to be seen: its settings, its toolchain from elsewhere."""
        settings = {str(_FINDLIB): _FINDLIB} if _FINDLIB.is_file() else {}
        program = self.program
        if program is None:
            return settings
        named, real = Path(program).absolute(), Path(program).resolve()
        homes = {path.parent.parent for path in (named, real)}
        return settings | {
            str(home): home
            for home in sorted(homes)
            if len(home.parts) > 1 and not any(home.is_relative_to(each) for each in _SYSTEM)
        }


@final
class Workspace:
    """An open workspace."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def run(
        self, argv: Sequence[str], environment: Mapping[str, str] = MappingProxyType({})
    ) -> Finished:
        """Run a program to its end."""
        return self._sandbox.run(argv, environment=environment)

    def made(self, name: str) -> bytes | None:
        """Return a file that a program left, or ``None`` where there is none to be read."""
        try:
            return read_file(self._sandbox.workspace, name, _MAX_COMPILED)
        except UnreadableError:
            return None


def said(finished: Finished) -> str:
    """Return how a run ended, in the program's own last words, for people."""
    if finished.ended != "exit":
        return finished.why or finished.ended
    output = (finished.stderr or finished.stdout).decode("utf-8", "replace")
    words = " ".join(output.split())
    return words[:600] or f"exit status {finished.status}"
