"""A-MEM through its adapter: the real library, our embedder, the scripted model."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from string import Template
from typing import Any

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import LocalEndpoint
from pytest_comem.memory.a_mem import CALLS, AMem
from pytest_comem.memory.base import MemorySystem, UnknownEntryError
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.worker_child import SentEndpoint

if find_spec("agentic_memory") is None or find_spec("chromadb") is None:
    pytest.skip("a-mem is not installed: pytest-comem[a-mem]", allow_module_level=True)

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")
SAID = (
    Entry("e0", "The garden visit is on Friday.", ANN, "2024-01-01T10:00"),
    Entry("e1", "The boiler was repaired by Hendrik.", BOB, "2024-01-02T10:00"),
    Entry("e2", "The garden budget covers one visit.", ANN, "2024-01-03T10:00"),
    Entry("e3", "Bread is baked on Sunday mornings.", BOB),
)
PLAIN = (
    "🙂 fine 👩‍👩‍👧",
    "שלום עולם",
    "{braces} $names %s",
    "a\x00b",
    "",
    " \n\t ",
    "x" * 20_000,
    "²",
)
#: Texts the library reads as numbers or JSON when it loads them, and what becomes of them.
READ_AS = {"007": "7", "1.50": "1.5", '{"a": [1, 2]}': "{'a': [1, 2]}"}


def ask(text: str, top_k: int = 5) -> Query:
    """Return a query of no one in particular."""
    return Query(text, Principal("asker", "owner"), (), "", top_k)


def ids(memory: MemorySystem, text: str, top_k: int = 5) -> list[str]:
    """Return the ids of what is recalled."""
    return [item.source_ids[0] for item in memory.recall(ask(text, top_k)).items]


def fill(memory: MemorySystem, entries: Sequence[Entry] = SAID) -> None:
    """Ingest *entries*."""
    for entry in entries:
        memory.ingest(entry)


@pytest.fixture(params=["a-mem", "a-mem:raw"])
def system(request: pytest.FixtureRequest, tmp_path: Path) -> SystemUnderTest:
    """Return the system with and without the model."""
    return system_called(request.param, root=tmp_path / "root")


@pytest.fixture
def memory(system: SystemUnderTest, contacted: list[str]) -> Iterator[MemorySystem]:
    """Return a memory of what was said, which may not leave the machine."""
    with system.opened("one") as opened:
        fill(opened)
        yield opened
    assert contacted == []


def test_each_entry_is_nearest_to_its_own_words(memory: MemorySystem) -> None:
    """What was said is found by its own words, with its id, speaker and text."""
    for entry in SAID:
        first = memory.recall(ask(entry.text)).items[0]
        assert (first.source_ids, first.speaker, first.text) == (
            (entry.id,),
            entry.speaker,
            entry.text,
        )


def test_no_more_than_top_k_is_recalled_best_first(memory: MemorySystem) -> None:
    """The limit holds, also above what is held, and larger scores come first."""
    assert [len(ids(memory, "garden", k)) for k in (1, 3, 4, 50)] == [1, 3, 4, 4]
    scores = [item.score or 0.0 for item in memory.recall(ask("garden budget")).items]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]


def test_an_empty_memory_recalls_nothing(system: SystemUnderTest) -> None:
    """Asking before anything is said is no error."""
    with system.opened("empty") as memory:
        assert not memory.recall(ask("anything")).items
        assert list(memory.entries()) == []


def test_a_deleted_entry_is_gone_and_the_others_stay(memory: MemorySystem) -> None:
    """Deleting takes out one entry and nothing else."""
    memory.delete("e1")
    assert sorted(ids(memory, SAID[1].text)) == ["e0", "e2", "e3"]
    assert sorted(item.text for item in memory.entries()) == sorted(
        entry.text for entry in SAID if entry.id != "e1"
    )


def test_an_updated_entry_has_its_new_text_only(memory: MemorySystem) -> None:
    """The new text stands under the old id; the old one is not handed over any more."""
    memory.update("e1", "The kettle whistles at noon.")
    assert ids(memory, "kettle whistles noon", 1) == ["e1"]
    texts = {item.source_ids[0]: item.text for item in memory.entries()}
    assert texts == {entry.id: entry.text for entry in SAID} | {
        "e1": "The kettle whistles at noon."
    }
    assert all("boiler" not in item.text for item in memory.recall(ask("boiler")).items)


def test_unknown_ids_are_reported_by_update_but_not_by_delete(memory: MemorySystem) -> None:
    """The library knows what it cannot update, and says nothing of what it cannot delete."""
    with pytest.raises(UnknownEntryError, match="e9"):
        memory.update("e9", "New.")
    memory.delete("e9")
    assert len(memory.entries()) == len(SAID)


def test_what_was_stored_is_found_after_reopening(system: SystemUnderTest) -> None:
    """Closed, twice, and opened again on the same directory, it answers as before."""
    setup = system.setup("kept")
    memory = system.open(setup)
    fill(memory)
    before = [(item.text, item.source_ids) for item in memory.recall(ask("garden visit")).items]
    memory.close()
    memory.close()
    memory = system.open(setup)
    after = [(item.text, item.source_ids) for item in memory.recall(ask("garden visit")).items]
    memory.delete("e0")
    memory.ingest(Entry("e4", "The attic is dry.", ANN))
    assert sorted(item.source_ids[0] for item in memory.entries()) == ["e1", "e2", "e3", "e4"]
    memory.close()
    assert after == before


def test_odd_texts_come_back_unchanged(memory: MemorySystem) -> None:
    """Whatever a text looks like, it is returned as it was while the library has it cached."""
    for number, text in enumerate([*PLAIN, *READ_AS]):
        memory.ingest(Entry(f"odd{number}", text, ANN))
        items = memory.recall(ask(text, 50)).items
        assert [item.text for item in items if item.source_ids == (f"odd{number}",)] == [text]


def test_texts_like_numbers_or_json_change_when_they_are_loaded(tmp_path: Path) -> None:
    """A fault of the library, kept visible: it guesses types when it reads from its database."""
    system = system_called("a-mem:raw", root=tmp_path)
    setup = system.setup("kept")
    memory = system.open(setup)
    fill(memory, [Entry(text[:40], text, ANN) for text in (*PLAIN, *READ_AS) if text.strip()])
    memory.close()
    memory = system.open(setup)
    texts = {item.source_ids[0]: item.text for item in memory.entries()}
    memory.close()
    kept = {text[:40]: text for text in PLAIN if text.strip()}
    assert texts == kept | READ_AS


def test_the_model_describes_and_links_notes(tmp_path: Path) -> None:
    """With the model, notes carry its keywords and links; without, nothing of the kind."""
    notes: dict[str, Any] = {}
    for name in ("a-mem", "a-mem:raw"):
        with system_called(name, root=tmp_path).opened("one") as memory:
            assert isinstance(memory, AMem)
            fill(memory)
            notes[name] = memory._library.read("e2")
    described, raw = notes["a-mem"], notes["a-mem:raw"]
    assert described.keywords == ["garden", "budget", "covers", "visit"]
    assert described.context == SAID[2].text
    assert described.links == ["e0"]
    assert (raw.keywords, raw.context, raw.tags, raw.links) == ([], "General", [], [])
    assert described.timestamp == raw.timestamp == "202401031000"


def test_the_librarys_search_along_links_hands_over_what_its_plain_search_does(
    tmp_path: Path,
) -> None:
    """A fault of the library, kept visible: it cuts the linked notes off that it has added."""
    with system_called("a-mem", root=tmp_path).opened("one") as memory:
        assert isinstance(memory, AMem)
        fill(memory)
        library = memory._library
        (nearest,) = library.search(SAID[2].text, k=1)
        assert library.read(nearest["id"]).links == ["e0"]
        for count in (1, 2, 3, 10):
            plain, linked = (
                [found["id"] for found in search(SAID[2].text, k=count)]
                for search in (library.search, library.search_agentic)
            )
            assert linked == plain


@pytest.mark.parametrize("timestamp", ["evening", "", "2024-13-01"])
def test_a_timestamp_that_cannot_be_read_is_none(tmp_path: Path, timestamp: str) -> None:
    """Such an entry is stored as one without a timestamp."""
    with system_called("a-mem:raw", root=tmp_path).opened("one") as memory:
        memory.ingest(Entry("e0", "The garden visit is on Friday.", ANN, timestamp))
        assert ids(memory, "garden") == ["e0"]


def test_an_entry_without_a_time_has_that_of_the_one_before(tmp_path: Path) -> None:
    """The present, which the library would take, would make each run another."""
    with system_called("a-mem:raw", root=tmp_path).opened("one") as memory:
        assert isinstance(memory, AMem)
        memory.ingest(Entry("first", "Nobody knows when this was said.", BOB))
        fill(memory)
        times = [memory._library.read(of).timestamp for of in ("first", "e2", "e3")]
    assert times == ["197001010000", "202401031000", "202401031000"]


def test_capabilities_say_whether_a_model_is_called(tmp_path: Path) -> None:
    """The model and the use it makes of the time are declared where there is one."""
    found = [
        system_called(name, root=tmp_path).capabilities
        for name in ("a-mem", "a-mem:extract", "a-mem:raw")
    ]
    assert [of.needs_model for of in found] == [True, True, False]
    assert [of.timestamps for of in found] == [True, True, False]
    assert all(of.deletes and of.updates and of.lists and of.persists for of in found)


def test_a_dead_model_is_an_error(tmp_path: Path) -> None:
    """The library only logs a failing call; the adapter raises it."""
    import openai

    system = system_called("a-mem", root=tmp_path)
    system.workshop.prepare(AMem)
    embedder = HashEmbedder()
    dead = SentEndpoint(
        chat_url="http://127.0.0.1:9/v1",
        chat_model="gone",
        embedding_url=LocalEndpoint(embedder).embedding_url,
        embedding_model=embedder.name,
        api_key="any",
    )
    setup = Setup(tmp_path / "d", options=system.options, top_k=5, embedder=embedder, endpoint=dead)
    memory = AMem.open(setup)
    with pytest.raises(openai.APIConnectionError):
        memory.ingest(SAID[0])
    memory.close()


def test_each_instance_has_its_own_embedder(tmp_path: Path) -> None:
    """The library's module-wide embedding function is the instance's, and is put back."""
    system = system_called("a-mem:raw", root=tmp_path)
    with system.opened("first"):
        import agentic_memory.retrievers as retrievers
        from chromadb.utils import embedding_functions

        original = embedding_functions.SentenceTransformerEmbeddingFunction
        assert retrievers.SentenceTransformerEmbeddingFunction is original
    embedders = [_Counting(), _Counting()]
    memories = []
    for number, embedder in enumerate(embedders):
        setup = Setup(
            tmp_path / f"own{number}",
            options=system.options,
            top_k=5,
            embedder=embedder,
            endpoint=LocalEndpoint(embedder),
        )
        memories.append(AMem.open(setup))
    fill(memories[1])
    assert embedders[0].texts == []
    assert {entry.text for entry in SAID} <= set(embedders[1].texts)
    for memory in memories:
        memory.close()


class _Counting:
    name = "counting"
    dimensions = HashEmbedder.dimensions

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the vectors, and remember the texts."""
        self.texts += texts
        return HashEmbedder().embed(texts)


def test_sixteen_at_once_are_like_one_after_another(
    system: SystemUnderTest, contacted: list[str]
) -> None:
    """Instances in threads do not see each other, and say the same as alone."""

    def play(number: int) -> list[tuple[str, float | None]]:
        with system.opened(f"episode {number}") as memory:
            for turn in range(6):
                memory.ingest(Entry(f"{number}-{turn}", f"Turn {turn} of house {number}.", ANN))
            memory.delete(f"{number}-3")
            items = memory.recall(ask(f"turn 5 house {number}", 40)).items
            assert len(items) == 5
            assert all(item.source_ids[0].startswith(f"{number}-") for item in items)
            return [(item.text, item.score) for item in items]

    with ThreadPoolExecutor(16) as threads:
        together = list(threads.map(play, range(16)))
    assert together == [play(number) for number in range(16)]
    assert contacted == []


def test_it_writes_into_its_directory_only_and_leaves_no_thread(
    system: SystemUnderTest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Home and working directory stay as they were; closed and discarded, nothing is left."""
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    monkeypatch.chdir(cwd)
    before = {thread.name for thread in threading.enumerate()}
    setup = system.setup("one")
    memory = system.open(setup)
    fill(memory)
    memory.recall(ask("garden"))
    assert any(setup.directory.iterdir())
    memory.close()
    setup.discard()
    assert not [path for place in (home, cwd) for path in place.rglob("*")]
    assert not [path for path in (tmp_path / "root").rglob("*") if path.is_file()]
    left = {thread.name for thread in threading.enumerate()} - before
    assert not [name for name in left if "comem-endpoint" not in name and "request" not in name]


def program(directory: Path) -> Iterator[str]:
    """Yield the source of a program that uses every public call."""
    yield CALLS.preamble
    yield Template(CALLS.open).substitute(m="m", directory=repr(str(directory)))
    for variable, entry in zip("abcd", SAID, strict=True):
        yield Template(CALLS.ingest).substitute(
            m="m",
            id=variable,
            text=repr(entry.text),
            principal=repr(entry.speaker.id),
            timestamp=repr(entry.timestamp),
        )
    yield Template(CALLS.recall).substitute(m="m", query=repr(SAID[2].text), k="2")
    yield "print(found)"
    yield Template(CALLS.delete).substitute(m="m", id="a")
    yield Template(CALLS.update).substitute(m="m", id="c", text=repr("New words."))
    yield Template(CALLS.entries).substitute(m="m") + "\nprint(sorted(found))"
    yield Template(CALLS.close).substitute(m="m")


def test_the_public_calls_run(tmp_path: Path) -> None:
    """The source that counter-examples are printed with does what the adapter does."""
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(program(tmp_path / "db"))],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert run.returncode == 0, run.stderr
    recalled, rest = run.stdout.splitlines()
    assert recalled == repr([SAID[2].text, SAID[0].text])
    assert rest == repr(sorted([SAID[1].text, SAID[3].text, "New words."]))
