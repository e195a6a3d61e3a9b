"""Memory systems for tests that drive the engine without pytest."""

from __future__ import annotations

from pathlib import Path

from pytest_comem.embedders.registry import find_embedder
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings


def workshop(root: Path | None = None, embedder: str = "hash") -> Workshop:
    """Return a workshop with our own embedder and endpoint."""
    found = find_embedder(embedder)
    endpoint = find_endpoint(found, model="scripted", api_base="")
    return Workshop(root, embedder=found, endpoint=endpoint)


def system_called(
    name: str, *options: str, root: Path | None = None, top_k: int = 20
) -> SystemUnderTest:
    """Return the system *name* with settings as ``SYSTEM.KEY=VALUE``."""
    settings = Settings((name,), memory_options=options, top_k=(top_k,))
    (wanted,) = wanted_systems(settings, Path("no-such-pyproject.toml"))
    return Catalogue({}, Path()).find(wanted, workshop(root))
