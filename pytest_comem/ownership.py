"""Whose something is: the label on what a run makes, and whether the process that made it lives.

A killed run leaves state directories, processes and containers. Each carries three texts: the run,
the process that owns it, and the host on which that process' id means something. They stand in a
file ``owner-*.json`` of the state directory, in the environment of child processes, and in the
labels of Docker objects; ``comem clean`` (:mod:`pytest_comem.cleaning`) goes by them and by nothing
else.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Final, final

RUN: Final = "COMEM_RUN"
OWNER: Final = "COMEM_OWNER"
HOST: Final = "COMEM_HOST"
#: The same of Docker's objects.
DOCKER_LABELS: Final = {
    RUN: "pytest-comem.run",
    OWNER: "pytest-comem.owner",
    HOST: "pytest-comem.host",
}
#: Bytes of an owner's file, at most; what is longer is none of ours.
_LONGEST: Final = 10_000
_FILES: Final = "owner-*.json"


@final
class Life(Enum):
    """What is known of an owner."""

    ALIVE = "alive"
    DEAD = "dead"
    ELSEWHERE = "elsewhere"


@final
@dataclass(frozen=True, slots=True)
class Host:
    """Where a process id means something; a part that the system does not tell is empty.

    :param name: of the host.
    :param machine: a hash of the machine's id, since many machines have the same name.
    :param boot: id of this boot of it.
    :param space: number of the process id namespace; a container has another one.
    """

    name: str
    machine: str
    boot: str
    space: str

    @staticmethod
    @cache
    def here() -> Host:
        """Return this process' host."""
        machine = _text_of(Path("/etc/machine-id"))
        return Host(
            re.sub(r"[^A-Za-z0-9_.-]", "_", platform.node()) or "unknown",
            hashlib.sha256(f"pytest-comem {machine}".encode()).hexdigest()[:12] if machine else "",
            _text_of(Path("/proc/sys/kernel/random/boot_id")),
            _space_of("self"),
        )

    def __str__(self) -> str:
        return "/".join((self.name, self.machine, self.boot, self.space))


@final
@dataclass(frozen=True, slots=True)
class Owner:
    """A process that makes things for a run.

    :param run: id of the run.
    :param pid: id of the process.
    :param started: when it was started, in clock ticks since the boot, as ``/proc`` says; empty
        where that cannot be known.
    :param host: where it runs.
    :param kept: what it stores is to stay (``--comem-keep-state``).
    """

    run: str
    pid: int
    started: str
    host: Host
    kept: bool = False

    @classmethod
    def this_process(cls, run: str, *, kept: bool = False) -> Owner:
        """Return this process as an owner of things of *run*."""
        pid = os.getpid()
        return cls(run, pid, start_of(pid) or "", Host.here(), kept)

    @classmethod
    def from_labels(cls, labels: Mapping[str, str]) -> Owner | None:
        """Return the owner that labels name (:attr:`labels`); ``None`` where they are not ours."""
        found = re.fullmatch(r"([1-9][0-9]{0,8}):([0-9]{0,20})", labels.get(OWNER, ""))
        host = labels.get(HOST, "").split("/")
        if not found or len(host) != 4 or not labels.get(RUN):
            return None
        return cls(labels[RUN], int(found[1]), found[2], Host(*host))

    @property
    def labels(self) -> Mapping[str, str]:
        """What child processes get in their environment."""
        return {RUN: self.run, OWNER: f"{self.pid}:{self.started}", HOST: str(self.host)}

    @property
    def docker_labels(self) -> Mapping[str, str]:
        """The same for containers, networks and volumes."""
        return {DOCKER_LABELS[name]: text for name, text in self.labels.items()}

    def life(self) -> Life:
        """Return whether this process lives; nothing is guessed about other hosts."""
        here = Host.here()
        if (self.host.name, self.host.machine) != (here.name, here.machine):
            return Life.ELSEWHERE
        if self.host.boot and here.boot and self.host.boot != here.boot:
            return Life.DEAD
        if self.host.space != here.space:
            return Life.ELSEWHERE
        return Life.ALIVE if _lives(self.pid, self.started) else Life.DEAD


_current: Owner | None = None


@contextmanager
def owning(run: str, state: Path, *, kept: bool = False) -> Iterator[Owner]:
    """Own what this process makes meanwhile: label the directory *state* and child processes.

    :param state: made where it is not there.
    :param kept: what is stored there is to stay.
    :raises OSError: where it cannot be written.
    """
    global _current
    owner = Owner.this_process(run, kept=kept)
    state.mkdir(parents=True, exist_ok=True)
    file = state / _FILES.replace("*", f"{owner.host.name}-{owner.pid}")
    temporary = file.with_suffix(".writing")
    temporary.write_text(json.dumps(asdict(owner)) + "\n", encoding="utf-8")
    temporary.replace(file)
    before, _current = _current, owner
    try:
        yield owner
    finally:
        _current = before


def child_labels() -> Mapping[str, str]:
    """Return what a child process started now gets in its environment; nothing outside a run."""
    return _current.labels if _current is not None else {}


def owners_of(state: Path) -> list[Owner | None]:
    """Return who has labelled the directory *state*, ``None`` for a label that cannot be read."""
    return [_read(file) for file in sorted(state.glob(_FILES))]


def is_kept(state: Path) -> bool:
    """Whether a process that has labelled the directory *state* wants it to stay."""
    return any(owner.kept for owner in owners_of(state) if owner is not None)


def start_of(pid: int) -> str | None:
    """Return when a running process was started; ``None`` where there is none, or nobody says.

    A process that has ended and only waits for its parent to notice does not run.
    """
    # The name in brackets may hold anything, closing brackets too.
    fields = _text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return fields[19] if len(fields) > 19 and fields[0] not in "ZXx" else None


def _lives(pid: int, started: str) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        # Another user's: it is there.
        pass
    if not started:
        return True
    found = start_of(pid)
    # Some systems hide other users' processes in /proc; one of our own that does not run is dead.
    return found == started or (found is None and not Path(f"/proc/{pid}/stat").exists())


def _read(file: Path) -> Owner | None:
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as opened:
            found = json.loads(opened.read(_LONGEST))
        host = Host(*(str(found["host"][name]) for name in ("name", "machine", "boot", "space")))
        pid = int(found["pid"])
        if not 0 < pid < 1 << 31:
            return None
        return Owner(
            str(found["run"]),
            pid,
            str(found["started"]),
            host,
            found.get("kept") is not False,
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _space_of(process: str) -> str:
    try:
        return re.sub(r"\D", "", str(Path(f"/proc/{process}/ns/pid").readlink()))
    except OSError:
        return ""


def _text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
