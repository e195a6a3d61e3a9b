"""Supermemory's real client behind its adapter, against a stand-in of the service on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from supermemory_server import KEY, Service, serving
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.memory.base import MemorySystem, UnknownEntryError
from pytest_comem.memory.registry import SystemUnderTest

if find_spec("supermemory") is None:
    pytest.skip("supermemory is not installed: pytest-comem[supermemory]", allow_module_level=True)

from pytest_comem.memory.supermemory import Supermemory

pytestmark = pytest.mark.usefixtures("contacted", "home")

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")
SAID = (
    ("e0", ANN, "The garden visit is on Friday."),
    ("e1", BOB, "The boiler was repaired by Hendrik."),
    ("e2", ANN, "The garden budget is 4,300 dollars."),
    ("e3", BOB, "Bread is baked on Sunday mornings."),
)
ODD = (
    "007",
    "true",
    '{"a": [1, 2]}',
    "🙂 fine 👩‍👩‍👧",
    "שלום עולם",
    "{braces} $dollar %s",
    "nul\0byte",
    "  padded\n\tlines\r\n",
    "",
)


def about(text: str, top_k: int = 20) -> Query:
    """Return a question that comes with nothing but itself."""
    return Query(text, BOB, (), "", top_k)


def sources(recall: Recall) -> list[str]:
    """Return the entries recalled, in order."""
    return [source for item in recall.items for source in item.source_ids]


def filled(memory: MemorySystem) -> MemorySystem:
    """Ingest what is said in these tests."""
    for name, speaker, text in SAID:
        memory.ingest(Entry(name, text, speaker, "2026-01-01T10:00"))
    return memory


@pytest.fixture
def service() -> Service:
    """The stand-in behind the socket."""
    return Service()


@pytest.fixture
def base_url(service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where the stand-in listens; the key it takes is in the environment."""
    monkeypatch.setenv("SUPERMEMORY_API_KEY", KEY)
    with serving(service) as url:
        yield url


def at(base_url: str, root: Path, *more: str, name: str = "supermemory") -> SystemUnderTest:
    """Return the system at *base_url*, impatient."""
    options = (f"base_url={base_url}", "poll_seconds=0.01", "max_retries=0", *more)
    return system_called(name, *(f"supermemory.{option}" for option in options), root=root)


@pytest.fixture
def system(base_url: str, tmp_path: Path) -> SystemUnderTest:
    """The system at the stand-in."""
    return at(base_url, tmp_path / "work")


@pytest.fixture
def memory(system: SystemUnderTest) -> Iterator[MemorySystem]:
    """A memory that holds what is said in these tests."""
    with system.opened("test") as opened:
        yield filled(opened)


@pytest.mark.parametrize("name", ["supermemory", "supermemory:extract"])
def test_what_was_said_is_found_by_its_own_words(base_url: str, tmp_path: Path, name: str) -> None:
    """Every entry is searchable when ingested, with its id and speaker, best first."""
    with at(base_url, tmp_path, name=name).opened("test") as memory:
        for source, speaker, text in SAID:
            memory.ingest(Entry(source, text, speaker))
            (best, *_) = memory.recall(about(text)).items
            assert (best.text, best.source_ids, best.speaker) == (text, (source,), speaker)
        scores = [item.score or 0.0 for item in memory.recall(about("the garden")).items]
    assert scores == sorted(scores, reverse=True)


def test_top_k_is_the_most_that_is_handed_over(memory: MemorySystem) -> None:
    """No more items than asked for are handed over, and as many where there are."""
    assert len(memory.recall(about("the garden", 2)).items) == 2
    assert len(memory.recall_of("ann", about("the garden", 1)).items) == 1


def test_an_empty_memory_recalls_nothing(system: SystemUnderTest, service: Service) -> None:
    """A fresh instance has nothing to say, and leaves nothing to delete."""
    with system.opened("empty") as memory:
        assert memory.recall(about("anything")).items == ()
        assert list(memory.entries()) == []
    assert not any(request.startswith("DELETE") for request in service.requests)


def test_everything_is_listed_page_by_page(system: SystemUnderTest) -> None:
    """More entries than one page holds are all listed, in the order said."""
    with system.opened("many") as memory:
        with ThreadPoolExecutor(8) as pool:
            said = [Entry(f"e{n}", f"Cat number {n}.", ANN) for n in range(130)]
            list(pool.map(memory.ingest, said))
        listed = memory.entries()
        assert sorted(item.text for item in listed) == sorted(entry.text for entry in said)
        memory.delete_principal("ann")
        assert list(memory.entries()) == []


def test_instances_do_not_see_each_other(system: SystemUnderTest, service: Service) -> None:
    """Two instances use two namespaces, and neither outlives its instance."""
    with system.opened("one") as one, system.opened("two") as two:
        one.ingest(Entry("e0", "The garden visit is on Friday.", ANN))
        two.ingest(Entry("e0", "The boiler was repaired.", ANN))
        assert [item.text for item in one.entries()] == ["The garden visit is on Friday."]
        assert sources(two.recall(about("garden boiler"))) == ["e0"]
        assert len(service.namespaces) == 2
    assert service.namespaces == {}


def test_the_same_name_is_another_namespace_in_another_run(base_url: str, tmp_path: Path) -> None:
    """Namespaces of two processes on one account do not meet."""
    one, two = at(base_url, tmp_path / "one"), at(base_url, tmp_path / "two")
    with one.opened("test") as first, two.opened("test") as second:
        filled(first)
        assert second.recall(about("the garden")).items == ()


def test_many_at_once_do_what_one_after_another_do(system: SystemUnderTest) -> None:
    """Sixteen instances in sixteen threads recall what they recall one after another."""

    def play(number: int) -> list[tuple[str, float | None]]:
        with system.opened(f"thread-{number}") as memory:
            filled(memory)
            memory.ingest(Entry("own", f"The garden number of this one is {number}.", BOB))
            return [(i.text, i.score) for i in memory.recall(about("the garden number")).items]

    with ThreadPoolExecutor(16) as pool:
        at_once = list(pool.map(play, range(16)))
    assert at_once == [play(number) for number in range(16)]


def test_nothing_is_written(
    system: SystemUnderTest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No file appears at home, in the working directory or in the instance's."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    setup = system.setup("test")
    memory = system.open(setup)
    filled(memory).recall(about("the garden"))
    memory.close()
    assert [*home.iterdir(), *Path.cwd().iterdir(), *setup.directory.iterdir()] == []


@pytest.mark.parametrize("text", ODD, ids=repr)
def test_odd_texts_come_back_unchanged(system: SystemUnderTest, text: str) -> None:
    """The client carries every text to the character."""
    with system.opened("odd") as memory:
        memory.ingest(Entry("odd", text, ANN))
        assert [item.text for item in memory.entries()] == [text]
        assert [item.text for item in memory.recall(about(text)).items] == [text]


def test_a_deleted_entry_is_gone(memory: MemorySystem) -> None:
    """What was deleted is neither listed nor recalled, and the rest stays."""
    memory.delete("e2")
    assert set(sources(memory.recall(about("the garden budget")))) == {"e0", "e1", "e3"}
    assert [name for item in memory.entries() for name in item.source_ids] == ["e0", "e1", "e3"]


def test_an_updated_entry_has_its_new_text_only(memory: MemorySystem) -> None:
    """When an update returns, the new text is searchable and the old one is not."""
    memory.update("e2", "The greenhouse costs 900 euros.")
    (best, *_) = memory.recall(about("The greenhouse costs 900 euros.")).items
    assert (best.text, best.source_ids, best.speaker) == (
        "The greenhouse costs 900 euros.",
        ("e2",),
        ANN,
    )
    assert all("4,300" not in item.text for item in memory.recall(about("4,300 dollars")).items)


def test_principals_are_kept_apart(memory: MemorySystem) -> None:
    """One principal's part holds what that principal said, and deleting it spares the others."""
    assert set(sources(memory.recall_of("ann", about("boiler and bread")))) == {"e0", "e2"}
    memory.delete_principal("ann")
    memory.delete_principal("nobody")
    assert set(sources(memory.recall(about("garden boiler bread")))) == {"e1", "e3"}


@pytest.mark.parametrize("id", ["nope", "", "a/b", "*"])
def test_unknown_ids_are_reported(memory: MemorySystem, id: str) -> None:
    """Deleting or updating what was never stored is an error and changes nothing."""
    with pytest.raises(UnknownEntryError):
        memory.delete(id)
    with pytest.raises(UnknownEntryError):
        memory.update(id, "new")
    assert len(memory.entries()) == 4


def test_a_text_the_service_cannot_process_is_an_error(
    system: SystemUnderTest, service: Service
) -> None:
    """An entry that failed is never taken for one that was stored."""
    service.unreadable = frozenset({"bad"})
    with system.opened("test") as memory, pytest.raises(InfrastructureError, match="not process"):
        memory.ingest(Entry("e0", "bad", ANN))


def test_waiting_is_bounded(base_url: str, service: Service, tmp_path: Path) -> None:
    """A service that never gets done ends in an error that says so."""
    service.delay = 60.0
    system = at(base_url, tmp_path, "timeout=0.1")
    with system.opened("test") as memory, pytest.raises(InfrastructureError, match=r"0\.1 s"):
        memory.ingest(Entry("e0", "text", ANN))
    assert service.namespaces == {}


@pytest.mark.parametrize(
    ("options", "key", "complaint"),
    [((), KEY, "base_url"), (("supermemory.base_url=http://127.0.0.1:9",), "", "API_KEY")],
)
def test_address_and_key_must_be_given(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    key: str,
    complaint: str,
) -> None:
    """Without either, nothing is contacted and the message says what to set."""
    monkeypatch.setenv("SUPERMEMORY_API_KEY", key)
    with pytest.raises(SettingsError, match=complaint):
        system_called("supermemory", *options, root=tmp_path)


def test_the_key_is_in_no_message(
    base_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refused key is an infrastructure error that does not repeat it."""
    monkeypatch.setenv("SUPERMEMORY_API_KEY", "wrong-but-secret")
    with (
        pytest.raises(InfrastructureError) as caught,
        GuardedMemory(at(base_url, tmp_path)) as memory,
    ):
        memory.ingest(Entry("e0", "text", ANN))
    assert "401" in str(caught.value)
    assert "wrong-but-secret" not in str(caught.value)
    assert "key" not in Supermemory.options


def test_closing_closes_the_connection(system: SystemUnderTest) -> None:
    """After closing, nothing is sent any more."""
    memory = filled(system.open(system.setup("test")))
    memory.close()
    with pytest.raises(RuntimeError, match="closed"):
        memory.recall(about("the garden"))


def test_capabilities_tell_the_modes_apart() -> None:
    """It is a client of a service; what the service learns is not verbatim."""
    raw = Supermemory.capabilities_with({"task_type": "superrag"})
    assert raw.external_service
    assert raw.verbatim
    assert not Supermemory.capabilities_with({"task_type": "memory"}).verbatim
