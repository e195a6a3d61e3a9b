"""One search for leftovers of every kind: what is found is removed and said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_comem.cleaning.docker import DockerFinder
from pytest_comem.cleaning.leftover import Finder, Note, RemovalError, Spared
from pytest_comem.cleaning.processes import ProcessFinder
from pytest_comem.cleaning.states import StateFinder
from pytest_comem.core.printable import printable


def finders(directories: Sequence[Path]) -> list[Finder]:
    """Return the finders of every kind; processes come first, as they use all the rest.

    :param directories: runs, and directories that have runs in them.
    """
    return [ProcessFinder(), DockerFinder(), StateFinder(directories)]


def sweep(finders: Sequence[Finder], say: Callable[[str], None], *, dry_run: bool = False) -> bool:
    """Remove what *finders* find; whether everything could be removed.

    :param say: is told a line for everything removed or left alone, and counts at the end.
    :param dry_run: only say what would be removed.
    """
    removed = spared = failed = 0
    for found in (one for finder in finders for one in finder.find()):
        if isinstance(found, Note):
            line = found.text
        elif isinstance(found, Spared):
            spared += 1
            line = f"left alone: {found.name}: {found.why}"
        elif dry_run:
            removed += 1
            line = f"would remove: {found.name}"
        else:
            try:
                found.remove()
            except RemovalError as error:
                failed += 1
                line = f"could not remove: {found.name}: {error}"
            else:
                removed += 1
                line = f"removed: {found.name}"
        say(printable(line))
    would = "to remove" if dry_run else "removed"
    say(f"{removed} {would}, {spared} left alone, {failed} could not be removed")
    return not failed
