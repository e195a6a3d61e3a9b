"""Servers and databases as they are here; what is missing is said, and skips what needs it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from server_material import Needs

from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.registry import choose
from pytest_comem.servers.base import Databases
from pytest_comem.servers.cluster import lacking
from pytest_comem.servers.opening import missing, open_databases


@pytest.fixture(scope="session", autouse=True)
def chosen() -> str:
    """The kind of sandbox, chosen once; that nothing may isolate here is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NoIsolationWarning)
        return choose("auto").name


@pytest.fixture
def needs(chosen: str) -> Needs:
    """Skip where servers are not there."""

    def skip(*names: str) -> None:
        for name, why in missing(names).items():
            pytest.skip(f"{name}: {why}")

    return skip


@pytest.fixture
def isolating(chosen: str) -> None:
    """Skip where nothing isolates."""
    if chosen != "bubblewrap":
        pytest.skip(f"sandbox {chosen}: does not isolate servers")


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    """One process' databases."""
    with open_databases(tmp_path_factory.mktemp("databases") / "here") as found:
        yield found


@pytest.fixture
def postgresql(chosen: str, databases: Databases) -> Databases:
    """The same, where there is PostgreSQL."""
    if why := lacking(chosen):
        pytest.skip("; ".join(why))
    return databases


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workflow's files."""
    place = tmp_path / "workspace"
    place.mkdir()
    (place / "orders.csv").write_text("id,total\n1,12.50\n")
    return place
