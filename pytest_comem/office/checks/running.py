"""Running a check's command: in a sandbox, on a copy of what was left, which is thrown away."""

from __future__ import annotations

import hashlib
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.office.checks.base import CommandRan
from pytest_comem.office.libraries import tooling_for
from pytest_comem.records.remembering import Remembered
from pytest_comem.sandbox.base import INSIDE, Finished, Limits, Sandbox, SandboxKind
from pytest_comem.sandbox.interpreter import PYTEST
from pytest_comem.sandbox.registry import choose
from pytest_comem.sandbox.tree import Files

_MEMORY_MIB: Final = 1024
_DISK_MIB: Final = 256
#: Longest path that is copied; what an agent nests deeper no command of ours is about.
_LONGEST: Final = 1_000
#: Characters of what a command wrote that are kept, from its end.
_KEPT: Final = 1_000
#: Modules that a command's Python would take from the workspace in place of its own: what an agent
#: left would decide on itself.
_OWN: Final = frozenset({*PYTEST.packages, "sitecustomize", "usercustomize"})
#: What differs from run to run though nothing else does: times and addresses.
_PASSING: Final = re.compile(r"\b\d+\.\d+ ?s(?:econds)?\b|\b0x[0-9a-f]{6,16}\b")
_RESULTS: Final = Remembered[CommandRan](2_000)


@final
class CommandRunner:
    """Runs commands on copies of workspaces; results are remembered by content once a process.

    :param sandbox: name of a kind of sandbox, or ``auto``.
    :raises SettingsError: where it does not work here, or lacks a library.
    """

    def __init__(self, sandbox: str = "auto") -> None:
        self._kind: SandboxKind = choose(sandbox)

    @property
    def kind(self) -> str:
        """Name of the kind of sandbox."""
        return self._kind.name

    def __call__(
        self, files: Files, command: str, add: Mapping[str, str], seconds: float
    ) -> CommandRan:
        """Run a command with ``sh`` where *files*, and over them *add*, lie.

        :raises InfrastructureError: of type ``sandbox``, where it broke.
        :raises BenchmarkDefect: where an added file has no place inside the workspace.
        """
        key = [self.kind, _digest(files), command, dict(add), seconds]
        return _RESULTS.get(key, lambda: self._run(files, command, add, seconds))

    def _run(
        self, files: Files, command: str, add: Mapping[str, str], seconds: float
    ) -> CommandRan:
        tooling = tooling_for(self.kind)
        limits = Limits(seconds=seconds, memory_mib=_MEMORY_MIB, disk_mib=_DISK_MIB)
        with tempfile.TemporaryDirectory(
            prefix="comem-check-", ignore_cleanup_errors=True
        ) as directory:
            place = Path(directory)
            _lay_out(place, files, add)
            with self._kind.open(
                place, limits=limits, read_only=tooling.read_only, label="a check's command"
            ) as sandbox:
                finished = sandbox.run(["sh", "-c", command], environment=tooling.shell_environment)
                if not sandbox.is_alive():
                    problem = "the sandbox of a check's command died"
                    raise InfrastructureError(problem, type="sandbox")
                return _came_of(finished, sandbox)


def _came_of(finished: Finished, sandbox: Sandbox) -> CommandRan:
    whole = (finished.stdout[-_KEPT * 4 :] + b"\n" + finished.stderr[-_KEPT * 4 :]).decode(
        "utf-8", "replace"
    )
    said = _PASSING.sub("...", whole.replace(sandbox.inside, INSIDE)).strip()[-_KEPT:]
    ended_by_us = finished.ended in ("timeout", "output", "killed")
    return CommandRan(None if ended_by_us else finished.status, said, finished.why)


def _digest(files: Files) -> str:
    found = hashlib.sha256()
    for path in sorted(files.content):
        raw = files.content[path]
        found.update(f"{path}\0{len(raw)}\0".encode())
        found.update(raw)
    return found.hexdigest()


def _lay_out(place: Path, files: Files, add: Mapping[str, str]) -> None:
    """Write copies of all files that can be read, and the added ones over them.

    :raises InfrastructureError: of type ``sandbox``, where a copy cannot be written.
    """
    try:
        for path, raw in files.content.items():
            if len(path) <= _LONGEST and not _shadows(path):
                _write(place / path, raw)
        for path, text in add.items():
            target = place / path
            if ".." in target.relative_to(place).parts:
                raise BenchmarkDefect(f"a check's added file {path[:200]!r} leads out")
            _make_way(place, target)
            _write(target, text.encode("utf-8"))
    except (OSError, ValueError) as error:
        problem = f"the copy for a check's command cannot be written: {error}"
        raise InfrastructureError(problem, type="sandbox") from error


def _shadows(path: str) -> bool:
    """Whether a file at the top of a workspace stands for a module that checks themselves need."""
    return path.partition("/")[0].partition(".")[0] in _OWN


def _write(target: Path, raw: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(raw)
    target.chmod(0o755 if raw.startswith(b"#!") else 0o644)


def _make_way(place: Path, target: Path) -> None:
    """Remove what an agent left where an added file, or a directory above it, has to be."""
    if target.is_dir():
        shutil.rmtree(target)
    for above in target.relative_to(place).parents:
        if (place / above).is_file():
            (place / above).unlink()
