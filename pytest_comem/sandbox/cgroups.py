"""Limits of memory and processes by control groups, of either version, where we may make them."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final, final

from pytest_comem.ownership import start_of
from pytest_comem.sandbox.base import MIB, Limits

_NEEDED: Final = ("memory", "pids")
#: Files with each limit, by version; swap is forbidden where it is counted at all.
_LIMITS: Final[Mapping[int, Mapping[str, str]]] = {
    1: {
        "memory.limit_in_bytes": "memory",
        "memory.memsw.limit_in_bytes": "memory",
        "pids.max": "processes",
    },
    2: {"memory.max": "memory", "memory.swap.max": "none", "pids.max": "processes"},
}
_OPTIONAL: Final = ("memory.memsw.limit_in_bytes", "memory.swap.max")
#: Where the kernel counts the processes it killed for memory, by version.
_EVENTS: Final = {1: "memory.oom_control", 2: "memory.events"}
_PREFIX: Final = "comem-"
_number = count(1)


@final
@dataclass(frozen=True, slots=True)
class Groups:
    """Where this process may make groups.

    :param version: 1 or 2.
    :param parents: directory by controller; both the same in version 2.
    """

    version: int
    parents: Mapping[str, Path]

    def open(self, limits: Limits) -> Group:
        """Return a new group.

        :raises OSError: where that fails.
        """
        name = f"{_PREFIX}{os.getpid()}-{start_of(os.getpid())}-{next(_number)}"
        places = tuple(dict.fromkeys(parent / name for parent in self.parents.values()))
        group = Group(self.version, places)
        try:
            for place in places:
                place.mkdir()
            group.limit(limits)
        except OSError:
            group.close()
            raise
        return group


@final
@dataclass(frozen=True, slots=True)
class Group:
    """A run's control group.

    :param places: its directories.
    """

    version: int
    places: tuple[Path, ...]

    def limit(self, limits: Limits) -> None:
        """Set what its processes may use.

        :raises OSError: where that fails.
        """
        values = {
            "memory": limits.memory_mib * MIB,
            # One more, for the process that starts the program.
            "processes": limits.processes + 1,
            "none": 0,
        }
        for name, what in _LIMITS[self.version].items():
            files = [place / name for place in self.places if (place / name).exists()]
            if not files and name not in _OPTIONAL:
                raise FileNotFoundError(None, "the control group has no such file", name)
            for file in files:
                file.write_text(str(values[what]), "ascii")

    def add(self, pid: int) -> None:
        """Put a process into it.

        :raises OSError: where that fails.
        """
        for place in self.places:
            (place / "cgroup.procs").write_text(str(pid), "ascii")

    def was_out_of_memory(self) -> bool:
        """Return whether the kernel has killed one of its processes for memory."""
        return any(_kills_in(place, self.version) for place in self.places)

    def close(self) -> None:
        """Remove it; its processes are gone, but the kernel may need a moment to notice."""
        for place in self.places:
            for _ in range(50):
                try:
                    place.rmdir()
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.01)
                else:
                    break


@cache
def available() -> Groups | None:
    """Return where groups can be made, tried once a process; ``None`` where they cannot."""
    for groups in _candidates():
        try:
            for parent in groups.parents.values():
                _sweep(parent)
            groups.open(Limits()).close()
        except OSError:
            continue
        return groups
    return None


def is_in(pid: int, container: str) -> bool:
    """Return whether a process of this machine is in a container's group."""
    try:
        return any(container in path for path in _memberships(str(pid)).values())
    except OSError:
        return False


def kills_for_memory(pid: int) -> int | None:
    """Return how many processes of *pid*'s group were killed for memory; ``None`` if not told."""
    try:
        groups, mounts = _memberships(str(pid)), _mounts()
    except OSError:
        return None
    for version, name in ((1, "memory"), (2, "")):
        if name in groups and name in mounts:
            found = _kills_in(mounts[name] / groups[name].lstrip("/"), version)
            if found is not None:
                return found
    return None


def _candidates() -> Iterator[Groups]:
    """Yield where we are, and the root, of either version."""
    try:
        own, places = _memberships("self"), _mounts()
    except OSError:
        return
    for relative in (True, False):
        for version, names in ((2, ("",)), (1, _NEEDED)):
            if all(name in places for name in names):
                found = {
                    name: places[name] / (own.get(name, "/").lstrip("/") if relative else "")
                    for name in names
                }
                yield Groups(version, found)


def _memberships(process: str) -> dict[str, str]:
    """Return a process' group by controller, the nameless one for version 2."""
    found = {}
    for line in Path(f"/proc/{process}/cgroup").read_text("utf-8").splitlines():
        _, controllers, path = line.split(":", 2)
        found.update(dict.fromkeys(controllers.split(","), path))
    return found


def _mounts() -> dict[str, Path]:
    """Return where each controller's groups are, likewise."""
    places: dict[str, Path] = {}
    for line in Path("/proc/self/mounts").read_text("utf-8").splitlines():
        _, place, kind, options, *_ = line.split()
        if kind == "cgroup2":
            places[""] = Path(place)
        elif kind == "cgroup":
            places.update((each, Path(place)) for each in options.split(",") if each in _NEEDED)
    return places


def _kills_in(place: Path, version: int) -> int | None:
    """Return how many of a group's processes the kernel has killed for memory, if it is told."""
    with suppress(OSError):
        for line in (place / _EVENTS[version]).read_text("ascii").splitlines():
            name, _, value = line.partition(" ")
            if name == "oom_kill":
                return int(value)
    return None


def _sweep(parent: Path) -> None:
    """Remove empty groups that killed processes of ours have left."""
    for place in parent.glob(f"{_PREFIX}*-*-*"):
        pid, started, _ = place.name.removeprefix(_PREFIX).split("-", 2)
        if pid.isdecimal() and start_of(int(pid)) != started:
            # One that holds processes stays, whoever's they are.
            with suppress(OSError):
                place.rmdir()
