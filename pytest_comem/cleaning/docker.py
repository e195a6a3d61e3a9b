"""Docker containers, networks and volumes of killed runs, by their labels.

Asked through Docker's own command, with whatever engine it is set to talk to.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.cleaning.leftover import Found, Note, RemovalError, Spared
from pytest_comem.ownership import DOCKER_LABELS, HOST, OWNER, RUN, Life, Owner

#: Seconds that one answer of the engine may take.
_PATIENCE: Final = 60.0
_ASKING: Final = 10.0
#: What there is of each kind: how it is listed, what it is known by, and how it is removed. In this
#: order: a network or volume that a container uses cannot be removed.
_KINDS: Final = {
    "container": (("ps", "--all", "--no-trunc"), "ID", "Names", ("rm", "--force", "--volumes")),
    "network": (("network", "ls", "--no-trunc"), "ID", "Name", ("network", "rm")),
    "volume": (("volume", "ls"), "Name", "Name", ("volume", "rm")),
}


@final
@dataclass(frozen=True, slots=True)
class DockerObject:
    """A container, network or volume whose owner is dead.

    :param kind: one of the three.
    :param id: what the engine knows it by.
    :param label: its name, for people.
    :param owner: the process that made it.
    """

    kind: str
    id: str
    label: str
    owner: Owner

    @property
    def name(self) -> str:
        """Its kind and name."""
        return f"{self.kind} {self.label} of run {self.owner.run}"

    def remove(self) -> None:
        """Remove it, and with a container its nameless volumes.

        :raises RemovalError: with what the engine says.
        """
        answer = _docker([*_KINDS[self.kind][3], self.id], _PATIENCE)
        if answer is None:
            raise RemovalError("the engine does not answer")
        if answer.returncode and "no such" not in answer.stderr.lower():
            raise RemovalError(answer.stderr.strip() or "the engine does not say why")


@final
class DockerFinder:
    """Asks the engine; does nothing where Docker's command is not installed."""

    def find(self) -> Iterator[Found]:
        """Yield what dead owners have left, containers first, and what is another host's."""
        if shutil.which("docker") is None:
            return
        answer = _docker(["version", "--format", "{{.Server.Version}}"], _ASKING)
        if answer is None or answer.returncode:
            yield Note("Docker: no engine answers")
            return
        for kind, (listing, known_by, name, _) in _KINDS.items():
            answer = _docker([*listing, *_selection(known_by, name)], _PATIENCE)
            if answer is None or answer.returncode:
                yield Note(f"Docker: the engine does not list its {kind}s")
                continue
            for found in objects_in(answer.stdout, kind):
                life = found.owner.life()
                if life is Life.DEAD:
                    yield found
                elif life is Life.ELSEWHERE:
                    host = found.owner.host.name
                    yield Spared(found.name, f"it belongs to another host or container ({host})")


def objects_in(listing: str, kind: str) -> Iterator[DockerObject]:
    """Yield what *listing* names and labels as ours, whoever owns it.

    :param listing: a JSON array a line: id, name, and the labels of run, owner and host.
    """
    for line in listing.splitlines():
        try:
            known_by, name, *values = map(str, json.loads(line))
            labels = dict(zip((RUN, OWNER, HOST), values, strict=True))
        except (ValueError, TypeError):
            continue
        owner = Owner.from_labels(labels)
        if owner is not None and known_by and owner.started:
            yield DockerObject(kind, known_by, name, owner)


def _selection(known_by: str, name: str) -> Sequence[str]:
    labels = [f'{{{{json (.Label "{DOCKER_LABELS[each]}")}}}}' for each in (RUN, OWNER, HOST)]
    fields = ",".join([f"{{{{json .{known_by}}}}}", f"{{{{json .{name}}}}}", *labels])
    return ["--filter", f"label={DOCKER_LABELS[RUN]}", "--format", f"[{fields}]"]


def _docker(arguments: Sequence[str], patience: float) -> subprocess.CompletedProcess[str] | None:
    """Return what the command answers; ``None`` where it cannot be run or takes too long."""
    try:
        return subprocess.run(
            ["docker", *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            errors="replace",
            timeout=patience,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
