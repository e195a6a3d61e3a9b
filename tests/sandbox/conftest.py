"""Every kind of sandbox that runs here, and what the tests ask of the host."""

from __future__ import annotations

import os
import uuid
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.base import Limits, Sandbox, SandboxKind
from pytest_comem.sandbox.bubblewrap import Bubblewrap
from pytest_comem.sandbox.docker import Docker
from pytest_comem.sandbox.plain import NoIsolationWarning, Plain

#: Tight, so that a limit that fails harms nobody.
LIMITS = Limits(seconds=20, memory_mib=256, processes=20, disk_mib=20, output_bytes=100_000)
DOCKER = Docker()
KINDS: dict[str, Callable[[], SandboxKind]] = {
    "bubblewrap": Bubblewrap,
    # As where control groups cannot be made.
    "bubblewrap-watched": lambda: Bubblewrap(groups=lambda: None),
    "docker": lambda: DOCKER,
    "none": Plain,
}


@cache
def kind_named(name: str) -> SandboxKind | str:
    """Return a kind that works here, or why it does not."""
    kind = KINDS[name]()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoIsolationWarning)
            kind.preflight()
    except SettingsError as error:
        return str(error)
    return kind


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> SandboxKind:
    """A kind that works here."""
    found = kind_named(request.param)
    if isinstance(found, str):
        pytest.skip(found)
    return found


@pytest.fixture
def isolating(kind: SandboxKind) -> SandboxKind:
    """A kind that holds the attempt off; for ``none``, it is known that it does not."""
    if kind.name == "none":
        pytest.xfail("known: sandbox none isolates nothing")
    return kind


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """An empty one."""
    found = tmp_path / "workspace"
    found.mkdir()
    return found


@pytest.fixture
def sandbox(kind: SandboxKind, workspace: Path) -> Iterator[Sandbox]:
    """An open one of any kind."""
    with kind.open(workspace, limits=LIMITS, label="test") as opened:
        yield opened


@pytest.fixture
def jail(isolating: SandboxKind, sandbox: Sandbox) -> Sandbox:
    """An open one that has to hold the attempt off."""
    return sandbox


@pytest.fixture
def token() -> str:
    """A word that no other process has in its arguments."""
    return f"comem-test-{uuid.uuid4().hex}"


@pytest.fixture
def processes_with() -> Callable[[str], list[int]]:
    """Find the host's processes that have a word in their arguments, ours left out."""

    def find(word: str) -> list[int]:
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            try:
                arguments = (place / "cmdline").read_bytes()
            except OSError:
                continue
            if word.encode() in arguments and int(place.name) != os.getpid():
                found.append(int(place.name))
        return found

    return find


@pytest.fixture(scope="session", autouse=True)
def spares() -> Iterator[None]:
    """Remove the containers that were made ready."""
    yield
    DOCKER.close()
