"""State directories of runs whose processes are all dead.

What databases of a run store lies in there as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import final

from pytest_comem.cleaning.leftover import Found, RemovalError, Spared
from pytest_comem.engine.rundir import STATE, is_run
from pytest_comem.errors import DataError
from pytest_comem.ownership import Life, owners_of
from pytest_comem.removal import remove_tree


@final
@dataclass(frozen=True, slots=True)
class StateDirectory:
    """The state of a run that was killed.

    :param path: of the directory.
    """

    path: Path

    @property
    def name(self) -> str:
        """Where it is."""
        return f"state directory {self.path}"

    def remove(self) -> None:
        """Remove it and everything in it; links in it are not followed.

        :raises RemovalError: where something is left of it.
        """
        try:
            remove_tree(self.path)
        except OSError as error:
            raise RemovalError(f"{error.filename or self.path}: {error.strerror}") from error


@final
class StateFinder:
    """Looks through directories of runs.

    :param directories: runs, and directories that have runs in them.
    """

    def __init__(self, directories: Sequence[Path]) -> None:
        self._directories = directories

    def find(self) -> Iterator[Found]:
        """Yield the state of every run, to be removed or left alone.

        :raises DataError: where a directory cannot be read.
        """
        for run in dict.fromkeys(run for each in self._directories for run in _runs(each)):
            state = run / STATE
            if state.is_symlink():
                yield Spared(f"state directory {state}", "it is a symbolic link")
            elif state.is_dir():
                why = _why_not(state)
                yield Spared(f"state directory {state}", why) if why else StateDirectory(state)


def _runs(directory: Path) -> Iterator[Path]:
    """Yield *directory* where it is a run, else the runs in it; links to others are none."""
    if is_run(directory):
        yield directory
        return
    try:
        inside = sorted(directory.iterdir())
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(directory)) from error
    yield from (path for path in inside if not path.is_symlink() and is_run(path))


def _why_not(state: Path) -> str:
    """Return why a state directory is left alone; empty where it is a leftover."""
    try:
        next(state.iterdir(), None)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    owners = owners_of(state)
    if not owners:
        return "nothing in it says whose it is"
    if None in owners:
        return "a file in it that says whose it is cannot be read"
    known = [owner for owner in owners if owner is not None]
    lives = {owner: owner.life() for owner in known}
    for owner, life in lives.items():
        if life is Life.ALIVE:
            return f"its run goes on (process {owner.pid})"
    for owner, life in lives.items():
        if life is Life.ELSEWHERE:
            return f"it belongs to another host or container ({owner.host.name})"
    if any(owner.kept for owner in known):
        return "it was kept on purpose (--comem-keep-state)"
    return ""
