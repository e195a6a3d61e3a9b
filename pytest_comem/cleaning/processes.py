"""Processes that a killed run has left, by the label in their environment.

Found are worker processes of memory systems, servers of local models and whatever those started,
database servers such as PostgreSQL's among them; what such a server stores lies in the run's state
directory. A process that was started with an emptied environment is not found.
"""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from pytest_comem.cleaning.leftover import Found, RemovalError
from pytest_comem.ownership import Host, Life, Owner, start_of

#: Seconds a process gets to end itself, and to be gone after it was killed.
GRACE: Final = 2.0
_PROC: Final = Path("/proc")


@final
@dataclass(frozen=True, slots=True)
class Process:
    """A process whose owner is dead.

    :param pid: its id.
    :param command: how it was started, for people.
    :param owner: the process that started it or what started it.
    """

    pid: int
    command: str
    owner: Owner

    @property
    def name(self) -> str:
        """Its id and the beginning of its command."""
        return f"process {self.pid} ({self.command}) of run {self.owner.run}"

    def remove(self) -> None:
        """Ask it to end, and kill it after :data:`GRACE` seconds.

        :raises RemovalError: where it may not be ended or does not end.
        """
        try:
            descriptor = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        except OSError as error:
            raise RemovalError(str(error.strerror)) from error
        try:
            # Its id may be another's by now; from here on it is this one's.
            if leftover_owner(self.pid) == self.owner:
                self._end(descriptor)
        finally:
            os.close(descriptor)

    def _end(self, descriptor: int) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                signal.pidfd_send_signal(descriptor, number)
            except ProcessLookupError:
                return
            except OSError as error:
                raise RemovalError(str(error.strerror)) from error
            if select.select([descriptor], [], [], GRACE)[0]:
                return
        raise RemovalError("it does not end")


@final
class ProcessFinder:
    """Looks through this user's processes; does nothing where there is no ``/proc``."""

    def find(self) -> Iterator[Found]:
        """Yield the processes of dead owners, in the order of their ids."""
        if not hasattr(os, "pidfd_open") or not (_PROC / "self" / "environ").exists():
            return
        spared = _ourselves()
        for pid in sorted(int(path.name) for path in _PROC.iterdir() if path.name.isdecimal()):
            if pid not in spared and (owner := leftover_owner(pid)) is not None:
                yield Process(pid, _command(pid), owner)


def leftover_owner(pid: int) -> Owner | None:
    """Return the dead owner of a process of this user's; ``None`` where it is no leftover."""
    place = _PROC / str(pid)
    with suppress(OSError, ValueError):
        if place.stat().st_uid != os.geteuid():
            return None
        owner = Owner.from_labels(_environment(place))
        started = start_of(pid)
        if owner is None or not owner.started or started is None:
            return None
        # No process outlives a boot, and none is older than who started it: such labels are copies.
        genuine = owner.host == Host.here() and int(started) >= int(owner.started)
        return owner if genuine and owner.life() is Life.DEAD else None
    return None


def _environment(place: Path) -> dict[str, str]:
    pairs = (place / "environ").read_bytes().split(b"\0")
    texts = (pair.decode("utf-8", "surrogateescape").partition("=") for pair in pairs)
    return {name: value for name, _, value in texts}


def _command(pid: int) -> str:
    with suppress(OSError):
        return (_PROC / str(pid) / "comm").read_text(errors="backslashreplace").strip()
    return "?"


def _ourselves() -> set[int]:
    """Return this process and those it descends from: it may have been started by a leftover."""
    found: set[int] = set()
    pid = os.getpid()
    while pid not in found:
        found.add(pid)
        with suppress(OSError, ValueError, IndexError):
            status = (_PROC / str(pid) / "stat").read_text(errors="replace")
            pid = int(status.rpartition(")")[2].split()[1])
    return found
