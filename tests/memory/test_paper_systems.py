"""What all memory systems implemented from papers promise, with the scripted model over HTTP."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from string import Template

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import Capabilities, MemorySystem
from pytest_comem.memory.registry import SystemUnderTest

if find_spec("numpy") is None:
    pytest.skip("numpy is not installed: pytest-comem[rag]", allow_module_level=True)

NAMES = ("memorybank", "remem-single", "remem-iterative", "plugmem")
KEEPING_WORDS = NAMES[:3]
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
    "1.50",
    '{"a": [1, 2]}',
    "[]",
    "🙂 fine 👩‍👩‍👧",
    "שלום עולם",
    "{braces} $names %s",
    "a\x00b",
    "lone \ud800 half",
    "  two\n\nlines \t",
    "x" * 20_000,
    " ".join(["word"] * 4_000),
)


def ask(text: str, top_k: int = 5) -> Query:
    """Return ann's query."""
    return Query(text, ANN, (), "", top_k)


def told(memory: MemorySystem, *, day: int = 1) -> MemorySystem:
    """Return the memory after everything was said on one day."""
    for number, (entry_id, speaker, text) in enumerate(SAID):
        memory.ingest(Entry(entry_id, text, speaker, f"2026-03-{day:02}T08:{number:02}"))
    return memory


@pytest.fixture(params=NAMES)
def system(request: pytest.FixtureRequest, contacted: list[str], tmp_path: Path) -> SystemUnderTest:
    """One of the systems; no connection may leave the machine."""
    return system_called(request.param, root=tmp_path / "root")


def test_each_entry_is_recalled_by_its_own_words(system: SystemUnderTest) -> None:
    """First, with its id and its speaker."""
    for entry_id, speaker, text in SAID:
        with system.opened("one") as memory:
            first = told(memory).recall(ask(text)).items[0]
        assert (first.text, first.source_ids, first.speaker) == (text, (entry_id,), speaker)


def test_no_more_than_top_k_is_recalled_best_first(system: SystemUnderTest) -> None:
    """The limit holds from 0 on, and every item has a score, in descending order."""
    for top_k in (0, 1, 2, 9):
        with system.opened("one") as memory:
            items = told(memory).recall(ask("garden visit", top_k)).items
        assert len(items) <= top_k
        scores = [item.score for item in items if item.score is not None]
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == len(items)


def test_an_empty_memory_recalls_nothing(system: SystemUnderTest) -> None:
    """Asking before anything is said is no error."""
    with system.opened("one") as memory:
        assert memory.recall(ask("anything")).items == ()


def test_what_was_said_after_a_question_is_recalled_too(system: SystemUnderTest) -> None:
    """An entry can be found as soon as it is ingested."""
    with system.opened("one") as memory:
        for entry_id, speaker, text in SAID:
            memory.ingest(Entry(entry_id, text, speaker))
            assert memory.recall(ask(text)).items[0].source_ids == (entry_id,)


def play(system: SystemUnderTest, number: int) -> list[Recall]:
    """Return what an episode's questions recall; it goes over several days."""
    found = []
    with system.opened(f"episode {number}") as memory:
        for turn in range(24):
            text = f"Room {turn} of house {number} is let to Tenant {turn * number}. I like it."
            when = f"2026-03-{turn // 6 + 1:02}T08:{turn:02}"
            memory.ingest(Entry(f"{number}-{turn}", text, ANN if turn % 2 else BOB, when))
            if turn % 8 == 7:
                found.append(memory.recall(ask(f"Who lives in room {turn} of house {number}?", 9)))
    return found


def test_sixteen_at_once_are_like_one_after_another(system: SystemUnderTest) -> None:
    """Instances in threads do not see each other, and say the same as alone."""
    alone = [play(system, number) for number in range(16)]
    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(lambda number: play(system, number), range(16))) == alone
    for number, recalls in enumerate(alone):
        assert all(recall.items for recall in recalls)
        sources = {one for recall in recalls for item in recall.items for one in item.source_ids}
        assert {source.partition("-")[0] for source in sources} == {str(number)}


@pytest.mark.parametrize("text", ODD, ids=lambda text: ascii(text[:12]))
@pytest.mark.parametrize("name", KEEPING_WORDS)
def test_odd_texts_come_back_unchanged(
    name: str, text: str, contacted: list[str], tmp_path: Path
) -> None:
    """Whatever a text looks like, it is found by itself and returned as it was."""
    with system_called(name, root=tmp_path).opened("one") as memory:
        told(memory).ingest(Entry("odd", text, ANN, "2026-03-01T09:00"))
        first = memory.recall(ask(text)).items[0]
    assert (first.text, first.source_ids) == (text, ("odd",))


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_texts_without_a_word_do_no_harm(system: SystemUnderTest, text: str) -> None:
    """The others are recalled as before; to all but MemoryBank there is nothing to remember."""
    with system.opened("one") as memory:
        memory.ingest(Entry("blank", text, ANN))
        told(memory)
        found = [item.source_ids for item in memory.recall(ask(SAID[0][2])).items]
    assert found[0] == ("e0",)
    assert (("blank",) in found) is (system.info.name == "memorybank")


def test_nothing_is_written(
    system: SystemUnderTest, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They live in memory: no file anywhere."""
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    monkeypatch.chdir(cwd)
    with system.opened("one") as memory:
        told(memory).recall(ask("garden"))
    written = [path for place in (home, cwd, tmp_path / "root") for path in place.rglob("*")]
    assert [path for path in written if path.is_file()] == []


def test_capabilities_say_what_is_called(system: SystemUnderTest) -> None:
    """A model and an embedder; no deletion, no update, no separation of principals."""
    assert system.capabilities == Capabilities(
        verbatim=system.info.name != "plugmem",
        timestamps=system.info.name != "plugmem",
        needs_model=True,
        needs_embedder=True,
        recall_changes=system.info.name == "memorybank",
    )


def test_a_model_that_cannot_be_reached_is_the_providers_error(system: SystemUnderTest) -> None:
    """It is raised, not taken for nothing to remember."""

    class Nowhere:
        chat_url = embedding_url = "http://127.0.0.1:9/v1"
        chat_model = embedding_model = "none"
        api_key = "key-of-mine"

    setup = system.setup("one")
    setup.endpoint = Nowhere()
    memory = system.open(setup)
    with pytest.raises(InfrastructureError) as caught:
        told(told(memory), day=2).recall(ask("garden"))
    assert caught.value.type == "provider"
    assert "key-of-mine" not in str(caught.value)


def test_the_public_calls_run(system: SystemUnderTest, tmp_path: Path) -> None:
    """The source that counter-examples are printed with does what the system does."""
    calls = getattr(system.factory, "calls", None)
    assert calls is not None
    lines = [calls.preamble, Template(calls.open).substitute(m="m", directory=repr("unused"))]
    for variable, (_, speaker, text) in zip("abcd", SAID, strict=True):
        places = {"m": "m", "id": variable, "text": repr(text), "principal": repr(speaker.id)}
        lines.append(Template(calls.ingest).substitute(places, timestamp="None"))
    lines.append(Template(calls.recall).substitute(m="m", query=repr(SAID[2][2]), k="1"))
    lines += ["print(found)", Template(calls.close).substitute(m="m")]
    run = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert run.stdout.strip() == repr([SAID[2][2]])
