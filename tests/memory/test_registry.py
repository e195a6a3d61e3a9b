from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest
from systems import system_called, workshop

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall
from pytest_comem.errors import SettingsError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue
from pytest_comem.memory.bm25 import BM25
from pytest_comem.memory.registry import BUILT_IN, Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.wanted import Wanted
from pytest_comem.report.doctor import configuration


class Toy(MemorySystem):
    """Notes what happens to it."""

    version = "3"
    options: ClassVar[Mapping[str, OptionValue]] = {"infer": False, "broken": ""}
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {"extract": {"infer": True}}
    events: ClassVar[list[str]] = []

    def __init__(self, setup: Setup) -> None:
        self.setup = setup

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Note it."""
        cls.events.append("prepare")

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Note it, or break."""
        if setup.options["broken"] == "open":
            raise OSError("no room")
        (setup.directory / "data").write_text("x")
        cls.events.append("open")
        return cls(setup)

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return what it does under these settings."""
        return Capabilities(needs_model=bool(options["infer"]), needs_embedder=True)

    def ingest(self, entry: Entry) -> None:
        """Forget the entry."""

    def recall(self, query: Query) -> Recall:
        """Return nothing."""
        return Recall()

    def close(self) -> None:
        """Note it, or break."""
        self.events.append("close")
        if self.setup.options["broken"] == "close":
            raise OSError("will not close")


@pytest.fixture(autouse=True)
def _no_events() -> None:
    Toy.events.clear()


def find(
    name: str,
    root: Path,
    registered: Mapping[str, Any] | None = None,
    **own: object,
) -> SystemUnderTest:
    """Return the system a run asks for by *name*."""
    known: Mapping[str, Any] = {"toy": Toy} if registered is None else registered
    return Catalogue(known, root).find(Wanted(name, 20, name, {}, own), workshop(root))


def test_every_built_in_class_path_names_our_modules() -> None:
    """Each name stands for a module and a class of this package."""
    for path in BUILT_IN.values():
        module, colon, name = path.partition(":")
        assert colon
        assert module.startswith("pytest_comem.memory.")
        assert name.isidentifier()


def test_a_built_in_system() -> None:
    """It is found by its name and opened fresh each time."""
    system = system_called("bm25")
    assert system.info.name == "bm25"
    with system.opened("x") as one, system.opened("x") as other:
        assert isinstance(one, BM25)
        assert one is not other


def test_an_instance_from_preparation_to_discard(tmp_path: Path) -> None:
    """Prepared once, opened and closed each time, its directory gone afterwards."""
    system = find("toy", tmp_path)
    for _ in range(2):
        with system.opened("x") as memory:
            assert isinstance(memory, Toy)
            assert (memory.setup.directory / "data").exists()
            assert memory.setup.top_k == 20
    assert Toy.events == ["prepare", "open", "close", "open", "close"]
    assert list(tmp_path.rglob("data")) == []


@pytest.mark.parametrize("broken", ["open", "close"])
def test_a_directory_goes_also_after_an_error(tmp_path: Path, broken: str) -> None:
    """What a system that breaks stored is discarded as well."""
    system = find("toy", tmp_path, broken=broken)
    with pytest.raises(OSError, match=r"no room|will not close"), system.opened("x"):
        pass
    assert list(tmp_path.rglob("data")) == []


def test_an_error_inside_closes_and_discards(tmp_path: Path) -> None:
    """A test that fails leaves nothing behind."""
    with pytest.raises(ZeroDivisionError), find("toy", tmp_path).opened("x"):
        raise ZeroDivisionError
    assert Toy.events[-1] == "close"
    assert list(tmp_path.rglob("data")) == []


def test_configuration_hash_changes_with_whatever_configures(tmp_path: Path) -> None:
    """Settings, a preset, and the model where one is needed; the label and top-k do not."""
    plain = find("toy", tmp_path).info.configuration
    assert find("toy", tmp_path).info.configuration == plain
    assert find("toy", tmp_path, broken="x").info.configuration != plain
    extract = find("toy:extract", tmp_path)
    assert extract.info.configuration != plain
    assert extract.capabilities.needs_model
    assert find("toy", tmp_path, infer="true").info.configuration == extract.info.configuration


def test_surroundings_are_part_of_the_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What changes a library from outside changes the hash, and the doctor shows it."""
    plain = find("toy", tmp_path).info.configuration
    hashes = []
    for here in (True, False):
        monkeypatch.setattr(Toy, "surroundings", lambda here=here: {"keywords": here})
        system = find("toy", tmp_path)
        hashes.append(system.info.configuration)
        assert f"  keywords = {here!r}   (found here)" in configuration(system)
    assert len({plain, *hashes}) == 3


def test_a_factory_that_is_no_class(tmp_path: Path) -> None:
    """A plugin may register any callable; what it returns is closed like others."""
    system = find("made", tmp_path, {"made": lambda: BM25()})
    assert system.info.version == "unknown"
    with system.opened("x") as memory:
        assert isinstance(memory, BM25)


def test_registered_names_come_before_built_in_ones(tmp_path: Path) -> None:
    """A plugin may put its own in the place of ours."""
    assert find("bm25", tmp_path, {"bm25": Toy}).info.version == "3"


SOURCE = """
from pytest_comem.memory.simple import NoMemory
from pytest_comem.memory.base import MemorySystem
class Mine(MemorySystem):
    def ingest(self, entry): pass
    def recall(self, query): pass
class Half(MemorySystem):
    def ingest(self, entry): pass
class Other: pass
"""


@pytest.fixture
def module(tmp_path: Path) -> str:
    """A module in a directory that is not on the import path; its name."""
    name = f"module_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    (tmp_path / f"broken_{name}.py").write_text("1 / 0")
    return name


def test_a_class_path(tmp_path: Path, module: str) -> None:
    """A class of the user's is found beside the current directory, and the path left as it was."""
    before = list(sys.path)
    assert find(f"{module}:Mine", tmp_path).info.name == f"{module}:Mine"
    assert sys.path == before


@pytest.mark.parametrize(("alias", "name"), [("local-only", "none"), ("shared-flat-rag", "bm25")])
def test_the_names_of_a_paper_mean_the_same_systems(tmp_path: Path, alias: str, name: str) -> None:
    """A system has the label that it was asked for by, and is the same to the last setting."""
    found, usual = find(alias, tmp_path), find(name, tmp_path)
    assert (found.info.name, found.factory) == (alias, usual.factory)
    assert found.info.configuration == usual.info.configuration


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{0}:Mime", "has no 'Mime'; did you mean Mine"),
        ("{0}:Half", r"does not define recall\(\)"),
        ("{0}:Other", "is not a subclass"),
        ("broken_{0}:Mine", "raised ZeroDivisionError"),
        ("no_such_{0}:Mine", "cannot be imported"),
        ("bm52", "did you mean bm25"),
        ("tyo", "did you mean .*toy"),
        ("qqqq", "choose from .*package.module:Class"),
        ("toy:extrat", "did you mean extract"),
        ("bm25:x", "it has no presets"),
    ],
)
def test_names_that_are_wrong(tmp_path: Path, module: str, name: str, message: str) -> None:
    """Each says what is wrong with it and the way out."""
    with pytest.raises(SettingsError, match=rf"(?s)--memory-system: .*{message}"):
        find(name.format(module), tmp_path)
