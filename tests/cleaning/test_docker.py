from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import tarfile
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import final

import pytest

from pytest_comem.cleaning.docker import DockerFinder, DockerObject, objects_in
from pytest_comem.cleaning.leftover import Found, Note, RemovalError
from pytest_comem.cleaning.sweep import sweep
from pytest_comem.ownership import Host, Owner

ALIVE = Owner.this_process("r")
DEAD = replace(ALIVE, host=replace(Host.here(), boot="another"))
ELSEWHERE = replace(ALIVE, host=replace(Host.here(), name="other-host"))
#: In the engine's own form of a listing, one JSON value a field.
LINE = [
    "4c01db0b339c",
    "comem-sandbox",
    *DEAD.docker_labels.values(),
]


def docker(*arguments: str, given: bytes | None = None) -> str:
    """Run Docker's command and return what it prints."""
    found = subprocess.run(
        ["docker", *arguments], input=given, check=True, capture_output=True, timeout=60
    )
    return found.stdout.decode().strip()


@final
class Mine:
    """What the finder finds of one test: others may use the same engine."""

    def __init__(self, names: Iterable[str]) -> None:
        self._names = tuple(names)

    def find(self) -> Iterator[Found]:
        """Yield what has one of the names in its own."""
        for found in DockerFinder().find():
            if not isinstance(found, Note) and any(name in found.name for name in self._names):
                yield found


def _answers() -> bool:
    if shutil.which("docker") is None:
        return False
    asked = subprocess.run(["docker", "version"], capture_output=True, check=False, timeout=60)
    return asked.returncode == 0


@pytest.fixture(scope="session")
def image() -> Iterator[str]:
    """An image with nothing in it that can be run: its containers are made and not started."""
    if not _answers():
        pytest.skip("no Docker engine answers")
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.addfile(tarfile.TarInfo("empty"))
    name = f"comem-test-{uuid.uuid4().hex[:12]}"
    docker("import", "-", name, given=packed.getvalue())
    yield name
    docker("rmi", "--force", name)


@pytest.fixture
def made(image: str) -> Iterator[dict[str, Owner | None]]:
    """Containers and volumes of several owners, by name; what is left is removed afterwards."""
    owners: dict[str, Owner | None] = {}
    for kind, owner in (("dead", DEAD), ("alive", ALIVE), ("else", ELSEWHERE), ("none", None)):
        name = f"comem-test-{kind}-{uuid.uuid4().hex[:12]}"
        labels = owner.docker_labels if owner else {"pytest-comem.run": "r"}
        given = [f"--label={key}={value}" for key, value in labels.items()]
        docker("create", "--name", name, *given, "--volume", f"{name}:/data", image, "/nothing")
        docker("volume", "create", *given, f"{name}-volume")
        owners[name] = owner
    yield owners
    for name in owners:
        for removal in (["rm", "--force", name], ["volume", "rm", f"{name}-volume", name]):
            subprocess.run(["docker", *removal], capture_output=True, check=False, timeout=60)


def test_what_dead_owners_have_left_goes_and_the_rest_stays(
    made: dict[str, Owner | None],
) -> None:
    """Containers and volumes alike; what is another host's is said."""
    said: list[str] = []
    assert sweep([Mine(made)], said.append)
    for name, owner in made.items():
        lines = [line for line in said if name in line]
        names = (f"container {name} of run r", f"volume {name}-volume of run r")
        there = docker("ps", "--all", "--format", "{{.Names}}").split()
        volumes = docker("volume", "ls", "--format", "{{.Name}}").split()
        assert (name in there) == (owner is not DEAD)
        assert (f"{name}-volume" in volumes) == (owner is not DEAD)
        if owner is DEAD:
            assert lines == [f"removed: {each}" for each in names]
        elif owner is ELSEWHERE:
            assert [line.startswith("left alone: ") for line in lines] == [True, True]
        else:
            assert lines == []


def test_a_network_goes_after_the_container_that_uses_it(image: str) -> None:
    """The engine refuses the other order."""
    name = f"comem-test-{uuid.uuid4().hex[:12]}"
    labels = [f"--label={key}={value}" for key, value in DEAD.docker_labels.items()]
    try:
        docker("network", "create", "--driver=bridge", *labels, name)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"this engine makes no networks: {error.stderr.decode().strip()}")
    docker("create", "--name", name, "--network", name, *labels, image, "/nothing")
    said: list[str] = []
    assert sweep([Mine([name])], said.append)
    mine = [line for line in said if name in line]
    assert mine == [f"removed: {kind} {name} of run r" for kind in ("container", "network")]


def test_what_the_engine_will_not_remove_is_said(made: dict[str, Owner | None]) -> None:
    """A volume in use stays, with the engine's reason."""
    alive = next(name for name, owner in made.items() if owner is ALIVE)
    with pytest.raises(RemovalError, match="in use"):
        DockerObject("volume", alive, alive, DEAD).remove()
    DockerObject("volume", f"{alive}-gone", "gone", DEAD).remove()


def test_no_engine_is_said_where_docker_is_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Without Docker's command there is nothing to say."""
    if shutil.which("docker") is not None:
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
        assert list(DockerFinder().find()) == [Note("Docker: no engine answers")]
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(DockerFinder().find()) == []


def test_an_engine_that_lists_nothing_else_is_no_reason_to_stop(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A command that answers and then fails is said for each kind."""
    command = tmp_path / "docker"
    command.write_text('#!/bin/sh\n[ "$1" = version ]\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    kinds = ("container", "network", "volume")
    expected = [Note(f"Docker: the engine does not list its {kind}s") for kind in kinds]
    assert list(DockerFinder().find()) == expected


def test_a_listing_is_read_line_by_line() -> None:
    """Lines of another form, and labels that are not ours, are nobody's."""
    lines: list[object] = [
        LINE,
        LINE[:3],
        [*LINE, "more"],
        {"ID": "x"},
        None,
        ["id", "name", "r", "owner", "host"],
        ["", *LINE[1:]],
    ]
    text = "\n".join(["not JSON", *map(json.dumps, lines), ""])
    (found,) = objects_in(text, "container")
    assert (found.id, found.owner) == ("4c01db0b339c", DEAD)
