from __future__ import annotations

import re
import stat
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import ClassVar, Self

import pytest
from systems import workshop

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.outcomes import Usage
from pytest_comem.core.recall import Recall
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import MemorySystem, Package
from pytest_comem.memory.setup import Setup, Workshop


class Forgetful(MemorySystem):
    """A system to make others of."""

    def ingest(self, entry: Entry) -> None:
        """Forget the entry."""

    def recall(self, query: Query) -> Recall:
        """Return nothing."""
        return Recall()


def make(place: Workshop, name: str = "x") -> Setup:
    """Return a set-up."""
    return place.setup(name, options={"a": 1}, top_k=5)


def test_directories_and_namespaces_are_each_its_own(tmp_path: Path) -> None:
    """Also from many threads, for equal names, and in another process's workshop."""
    one, other = workshop(tmp_path), workshop(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        setups = list(pool.map(lambda _: make(one), range(200)))
    setups += [make(other) for _ in range(200)]
    assert len({setup.directory for setup in setups}) == 400
    assert len({setup.namespace for setup in setups}) == 400
    assert all(tmp_path in setup.directory.parents for setup in setups)


@pytest.mark.parametrize(
    "name", ["mem0:extract-ep 1", "a/../../b", "é漢字", "", ".", "-_-", "x" * 1_000, "p.q:C\0"]
)
def test_any_name_makes_a_directory_inside(tmp_path: Path, name: str) -> None:
    """Names only help people: they are made safe and short."""
    setup = make(workshop(tmp_path), name)
    assert setup.directory.is_dir()
    assert setup.directory.parents[2] == tmp_path
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{1,61}[A-Za-z0-9]", setup.namespace)


def test_nothing_is_made_before_it_is_asked_for(tmp_path: Path) -> None:
    """A system that stores nothing leaves no directory of its own."""
    setup = make(workshop(tmp_path))
    assert list(tmp_path.rglob("*-x")) == []
    namespace = setup.namespace
    assert setup.directory.is_dir()
    assert setup.namespace == namespace


def test_discard_removes_everything_and_only_that(tmp_path: Path) -> None:
    """A discarded directory is gone with its contents; its neighbours stay."""
    place = workshop(tmp_path)
    setup, neighbour = make(place), make(place)
    (setup.directory / "deep").mkdir()
    (setup.directory / "deep" / "file").write_text("x")
    (neighbour.directory / "file").write_text("x")
    gone = setup.directory
    setup.discard()
    setup.discard()
    assert not gone.exists()
    assert (neighbour.directory / "file").exists()
    make(place).discard()


def test_no_instance_comes_upon_another_by_looking_around(tmp_path: Path) -> None:
    """Beside its directory is nothing, and what is above cannot be listed (except by root)."""
    place = workshop(tmp_path)
    one, other = make(place), make(place)
    assert other.directory.is_dir()
    assert list(one.directory.parent.iterdir()) == [one.directory]
    above = one.directory.parents[1]
    assert above == other.directory.parents[1]
    assert stat.S_IMODE(above.stat().st_mode) == 0o300
    around = one.directory.parent
    one.discard()
    assert not around.exists()
    assert other.directory.is_dir()


def test_settings_are_each_instances_own(tmp_path: Path) -> None:
    """A library that writes into its configuration changes no other instance's."""
    place, given = workshop(tmp_path), {"a": 1}
    one, other = (place.setup("x", options=given, top_k=5) for _ in range(2))
    assert isinstance(one.options, dict)
    one.options["a"] = 2
    assert (other.options, given) == ({"a": 1}, {"a": 1})


def test_what_is_kept_stays_and_can_be_looked_at(tmp_path: Path) -> None:
    """Neither the end of an instance nor that of the workshop removes it."""
    plain = workshop()
    place = Workshop(tmp_path, embedder=plain.embedder, endpoint=plain.endpoint, keep=True)
    setup = make(place)
    (setup.directory / "file").write_text("x")
    setup.discard()
    place.close()
    assert (setup.directory / "file").read_text() == "x"
    assert stat.S_IMODE(setup.directory.parents[1].stat().st_mode) == 0o700


def test_a_setup_carries_what_the_workshop_has(tmp_path: Path) -> None:
    """Embedder and models are the workshop's, settings and top-k what was asked for."""
    place = workshop(tmp_path)
    setup = make(place)
    assert setup.embedder.name == place.embedder.name
    assert setup.embedder.embed(["a b"]) == place.embedder.embed(["a b"])
    assert setup.embedder.dimensions == place.embedder.dimensions
    found = (setup.endpoint.chat_model, setup.endpoint.embedding_model, setup.endpoint.api_key)
    assert found == ("scripted", "hash-1", "local")
    assert (dict(setup.options), setup.top_k, setup.seed) == ({"a": 1}, 5, 0)


def test_each_instance_has_an_address_of_its_own(tmp_path: Path) -> None:
    """What is asked there is counted for that instance, and nothing is answered afterwards."""
    place = workshop(tmp_path)
    meters = [Meter("one"), Meter("other")]
    setups = [place.setup("x", options={}, top_k=5, meter=meter) for meter in meters]
    try:
        urls = [setup.endpoint.chat_url for setup in setups]
        assert urls[0] != urls[1]
        assert urls == [setup.endpoint.embedding_url for setup in setups]
        hello = [{"role": "user", "content": "hello there"}]
        assert ChatClient(urls[0], "scripted", "any").ask(hello) == "hello there"
        assert meters[0].take() == {"other": Usage(tokens=4, calls=1)}
        assert meters[1].take() == {}
        setups[0].discard()
        with pytest.raises(InfrastructureError, match="no memory instance has this address"):
            ChatClient(urls[0], "scripted", "any").ask(hello)
        assert ChatClient(urls[1], "scripted", "any").ask(hello) == "hello there"
    finally:
        place.close()


def test_prepare_happens_once_a_class(tmp_path: Path) -> None:
    """Threads that open at once wait for one preparation; a subclass gets its own."""
    homes: list[Path] = []

    class Slow(Forgetful):
        @classmethod
        def prepare(cls, home: Path) -> None:
            time.sleep(0.05)
            homes.append(home)

    class Sub(Slow):
        pass

    place = workshop(tmp_path)
    seen: list[int] = []

    def prepare() -> None:
        place.prepare(Slow)
        seen.append(len(homes))

    threads = [threading.Thread(target=prepare) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [1] * 8
    place.prepare(Sub)
    assert len(homes) == 2
    assert homes[0].is_dir()
    assert tmp_path in homes[0].parents


def test_one_library_at_a_time_is_opened_first(tmp_path: Path) -> None:
    """First instances of different libraries do not import at once; later ones need not wait."""
    inside: list[str] = []
    most: list[int] = []
    met = threading.Barrier(2)

    later = threading.Event()

    class Library(Forgetful):
        packages = (Package("pytest", "x", ">=8"),)

        @classmethod
        def open(cls, setup: Setup) -> Self:
            inside.append(cls.__name__)
            most.append(len(inside))
            if later.is_set():
                met.wait(10)
            time.sleep(0.05)
            inside.remove(cls.__name__)
            return cls()

    class Other(Library):
        pass

    place = workshop(tmp_path)

    def together() -> None:
        threads = [
            threading.Thread(target=place.open, args=(system, make(place)))
            for system in (Library, Other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    together()
    assert most == [1, 1]
    later.set()
    together()
    assert sorted(most) == [1, 1, 1, 2]


def test_a_failed_preparation_is_tried_again(tmp_path: Path) -> None:
    """The second instance gets the error as well, not an unprepared process."""

    class Failing(Forgetful):
        tries: ClassVar[list[Path]] = []

        @classmethod
        def prepare(cls, home: Path) -> None:
            cls.tries.append(home)
            raise OSError("no room")

    place = workshop(tmp_path)
    for _ in range(2):
        with pytest.raises(OSError, match="no room"):
            place.prepare(Failing)
    assert len(Failing.tries) == 2


def test_a_system_without_preparation_makes_no_home(tmp_path: Path) -> None:
    """A run of a system that needs nothing leaves no directory at all."""
    workshop(tmp_path / "root").prepare(Forgetful)
    assert list(tmp_path.iterdir()) == []


def test_close_removes_everything(tmp_path: Path) -> None:
    """What is left when a run ends goes; what others put beside it stays."""
    place = workshop(tmp_path)
    (make(place).directory / "file").write_text("x")
    (tmp_path / "mine").write_text("x")
    place.close()
    place.close()
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    workshop(tmp_path).close()


def test_a_relative_root_stays_where_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of the current directory moves no set-up."""
    monkeypatch.chdir(tmp_path)
    setup = make(workshop(Path("state")))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert setup.directory.is_dir()
    assert tmp_path / "state" in setup.directory.parents
    assert list(Path().iterdir()) == []


def test_without_a_root_it_is_temporary(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Then everything is in the system's temporary directory."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    place = workshop()
    assert tmp_path in make(place).directory.parents
    place.close()
    assert list(tmp_path.iterdir()) == []
