"""Graphiti through its adapter: the real library on Kuzu, our embedder, the scripted model."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import LocalEndpoint
from pytest_comem.memory.base import MemorySystem, UnknownEntryError
from pytest_comem.memory.graphiti import Graphiti
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.worker_child import SentEndpoint

if find_spec("graphiti_core") is None or find_spec("kuzu") is None:
    pytest.skip("graphiti is not installed: pytest-comem[graphiti]", allow_module_level=True)

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")
SAID = (
    Entry("e0", "The garden visit is on Friday.", ANN, "2024-01-01T10:00"),
    Entry("e1", "The boiler was repaired by Hendrik.", BOB, "2024-01-02T10:00"),
    Entry("e2", "The garden budget covers one visit.", ANN, "2024-01-03T10:00"),
    Entry("e3", "Bread is baked on Sunday mornings.", BOB, "2024-01-04T10:00"),
)
#: Texts of one sentence, and what the library hands over of them.
ODD = {
    "007": "007",
    "1.50": "1.50",
    '{"a": [1, 2]}': '{"a": [1, 2]}',
    "שלום עולם": "שלום עולם",
    "{braces} $names %s": "{braces} $names %s",
    # It takes control and zero-width characters out of what it shows the model.
    "a\x00b": "ab",
    "👩‍👩‍👧 fine": "👩👩👧 fine",
}


def ask(text: str, top_k: int = 5) -> Query:
    """Return a query of no one in particular."""
    return Query(text, Principal("asker", "owner"), (), "", top_k)


def fill(memory: MemorySystem, entries: Sequence[Entry] = SAID) -> None:
    """Ingest *entries*."""
    for entry in entries:
        memory.ingest(entry)


@pytest.fixture
def system(tmp_path: Path) -> SystemUnderTest:
    """Return the system on a directory of the test."""
    return system_called("graphiti", root=tmp_path / "root")


@pytest.fixture
def memory(system: SystemUnderTest, contacted: list[str]) -> Iterator[MemorySystem]:
    """Return a memory of what was said, which may not leave the machine."""
    with system.opened("one") as opened:
        fill(opened)
        yield opened
    assert contacted == []


def test_facts_are_found_by_their_words_and_name_their_entry(memory: MemorySystem) -> None:
    """What was said comes first when asked for, with its entry's id and its speaker."""
    for entry in SAID:
        first = memory.recall(ask(entry.text)).items[0]
        assert (first.text, first.source_ids, first.speaker) == (
            entry.text,
            (entry.id,),
            entry.speaker,
        )


def test_no_more_than_top_k_is_recalled_best_first(memory: MemorySystem) -> None:
    """The limit holds, also above what is held, and no fact is too far away to be handed over."""
    assert [len(memory.recall(ask("garden", k)).items) for k in (1, 3, 4, 50)] == [1, 3, 4, 4]
    scores = [item.score or 0.0 for item in memory.recall(ask("garden budget")).items]
    assert scores == sorted(scores, reverse=True)


def test_an_empty_memory_recalls_nothing(system: SystemUnderTest) -> None:
    """Asking before anything is said is no error."""
    with system.opened("empty") as memory:
        assert not memory.recall(ask("anything")).items
        assert list(memory.entries()) == []


def test_turns_are_listed_as_the_library_keeps_them(memory: MemorySystem) -> None:
    """Every turn is listed in order, whole, with its speaker in front."""
    listed = [(item.text, item.source_ids) for item in memory.entries()]
    assert listed == [(f"{entry.speaker.id}: {entry.text}", (entry.id,)) for entry in SAID]


def test_a_deleted_entry_is_gone_and_the_others_stay(memory: MemorySystem) -> None:
    """Deleting takes out one turn and its facts, and nothing else."""
    memory.delete("e1")
    items = memory.recall(ask(SAID[1].text, 10)).items
    assert {item.source_ids for item in items} == {("e0",), ("e2",), ("e3",)}
    assert len(memory.entries()) == 3


def test_unknown_ids_are_reported(memory: MemorySystem) -> None:
    """Deleting what was never stored, or is gone already, says so."""
    memory.delete("e1")
    for entry_id in ("e1", "e9"):
        with pytest.raises(UnknownEntryError, match=entry_id):
            memory.delete(entry_id)
    assert len(memory.entries()) == 3


def test_a_fact_said_twice_stands_on_both_turns(memory: MemorySystem) -> None:
    """The library merges equal facts; deleting one turn leaves the fact to the other."""
    memory.ingest(Entry("e4", SAID[0].text, ANN, "2024-01-05T10:00"))
    (fact,) = (i for i in memory.recall(ask(SAID[0].text)).items if i.text == SAID[0].text)
    assert fact.source_ids == ("e0", "e4")
    memory.delete("e0")
    (fact,) = (i for i in memory.recall(ask(SAID[0].text)).items if i.text == SAID[0].text)
    assert fact.source_ids == ("e4",)


def test_odd_texts_come_back_as_the_library_cleans_them(memory: MemorySystem) -> None:
    """Most texts come back unchanged; what the library takes out is gone."""
    for number, text in enumerate(ODD):
        memory.ingest(Entry(f"odd{number}", text, ANN))
    listed = {item.source_ids[0]: item.text for item in memory.entries()}
    for number, (text, kept) in enumerate(ODD.items()):
        items = memory.recall(ask(text, 50)).items
        found = [item.text for item in items if item.source_ids == (f"odd{number}",)]
        assert found == [kept]
        assert listed[f"odd{number}"].startswith("ann: ")


def test_a_timestamp_that_cannot_be_read_is_none(system: SystemUnderTest) -> None:
    """Such a turn is stored as one without a timestamp."""
    with system.opened("one") as memory:
        memory.ingest(Entry("e0", SAID[0].text, ANN, "evening"))
        assert [item.source_ids for item in memory.entries()] == [("e0",)]


def test_a_dead_model_is_an_error(tmp_path: Path) -> None:
    """Nothing is stored, and it says so."""
    import openai

    system = system_called("graphiti", root=tmp_path)
    system.workshop.prepare(Graphiti)
    embedder = HashEmbedder()
    dead = SentEndpoint(
        chat_url="http://127.0.0.1:9/v1",
        chat_model="gone",
        embedding_url=LocalEndpoint(embedder).embedding_url,
        embedding_model=embedder.name,
        api_key="any",
    )
    setup = Setup(tmp_path / "d", options={}, top_k=5, embedder=embedder, endpoint=dead)
    memory = Graphiti.open(setup)
    with pytest.raises(openai.APIConnectionError):
        memory.ingest(SAID[0])
    memory.close()


def test_sixteen_at_once_are_like_one_after_another(
    system: SystemUnderTest, contacted: list[str]
) -> None:
    """Instances in threads do not see each other, and say the same as alone."""
    together = threading.Barrier(16)

    def play(number: int, *, alone: bool = True) -> list[tuple[str, float | None]]:
        with system.opened(f"episode {number}") as memory:
            if not alone:
                together.wait(60)
            for turn in range(2):
                memory.ingest(Entry(f"{number}-{turn}", f"Turn {turn} of house {number}.", ANN))
            items = memory.recall(ask(f"turn 1 house {number}", 40)).items
            assert len(items) == 2
            assert all(item.source_ids[0].startswith(f"{number}-") for item in items)
            return [(item.text, item.score) for item in items]

    with ThreadPoolExecutor(16) as threads:
        at_once = list(threads.map(lambda number: play(number, alone=False), range(16)))
    assert at_once == [play(number) for number in range(16)]
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
