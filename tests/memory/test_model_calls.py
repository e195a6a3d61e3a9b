"""Real libraries' own model calls through the door: counted, recorded, and played again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scripted_transport import COST, ScriptedTransport

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings

#: Systems whose library calls a model, and a module that says whether it is installed.
LIBRARIES = {
    "mem0:extract": "mem0",
    "langmem:extract": "langmem",
    "memos:extract": "memos",
    "a-mem": "agentic_memory",
    "graphiti": "graphiti_core",
    "remem-single": "numpy",
    "plugmem": "numpy",
    "memorybank": "numpy",
}
PEOPLE = (Principal("ann", "owner"), Principal("bob", "guest"))
TEXTS = (
    "The garden visit is on Friday.",
    "The boiler was repaired by Hendrik.",
    "The garden budget covers one visit.",
    "The boiler room's code is 4711.",
    "Bread is baked on Sunday mornings.",
    "The garden visit was moved to Saturday.",
)
SAID = [
    Entry(f"e{number}", text, PEOPLE[number % 2], f"2024-01-0{number + 1}T10:00")
    for number, text in enumerate(TEXTS)
]
#: Without times a library may take the present.
UNTIMED = [Entry(entry.id, entry.text, entry.speaker) for entry in SAID]
#: What is recalled after each turn's entries, and what they cost.
Played = list[Any]

pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.parametrize(
        "name",
        [
            pytest.param(
                name,
                marks=pytest.mark.skipif(
                    find_spec(module) is None, reason=f"{module} is not installed"
                ),
            )
            for name, module in LIBRARIES.items()
        ],
    ),
]


class Nobody:
    """A transport that nothing may reach."""

    def chat(self, call: ChatCall) -> Completion:
        """Fail the test."""
        raise AssertionError("a model was called")

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Fail the test."""
        raise AssertionError("an embedder was called")

    def close(self) -> None:
        """Hold nothing."""


class Run:
    """One run of one system behind a door of its own."""

    def __init__(
        self,
        name: str,
        root: Path,
        transport: ScriptedTransport | Nobody,
        *,
        model: str = "openai/gpt",
        cassette: Cassette | None = None,
    ) -> None:
        self.door = Door(
            transport=lambda spec: transport, cassette=cassette, retries=RetryPolicy(retries=0)
        )
        embedder = HashEmbedder()
        endpoint = find_endpoint(embedder, model=model, api_base="", door=self.door)
        self._workshop = Workshop(root, embedder=embedder, endpoint=endpoint)
        (wanted,) = wanted_systems(Settings((name,)), Path("no-such-pyproject.toml"))
        self.system: SystemUnderTest = Catalogue({}, Path()).find(wanted, self._workshop)

    def play(self, part: str, entries: Sequence[Entry]) -> Played:
        """Return what an instance recalls, and what each operation cost."""
        meter = self.door.meter(part)
        played: Played = []
        try:
            with GuardedMemory(self.system, part, meter) as memory:
                for entry in entries:
                    meter.step = entry.id
                    memory.ingest(entry)
                    played.append(dict(meter.take()))
                for entry in entries[:2]:
                    found = memory.recall(Query(entry.text, PEOPLE[0], (), "", 5))
                    played.append([(item.text, item.source_ids) for item in found.items])
                played.append(dict(meter.take()))
        finally:
            meter.close()
        return played

    def play_all(self, threads: int) -> list[Played]:
        """Return what two instances say, with and without times, one after another or at once."""
        parts = [("one", SAID), ("other", UNTIMED)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(lambda part: self.play(*part), parts))

    def close(self) -> None:
        """End it."""
        self._workshop.close()
        self.door.close()


@pytest.fixture
def runs() -> Iterator[list[Run]]:
    """Runs, closed at the end."""
    made: list[Run] = []
    yield made
    for run in made:
        run.close()


def test_a_recorded_run_is_played_again(name: str, runs: list[Run], tmp_path: Path) -> None:
    """Every call is found, also by instances at once, and everything is as it was."""
    directory = tmp_path / "cassette"
    recording = Run(
        name,
        tmp_path / "recorded",
        ScriptedTransport(),
        cassette=Cassette(CassetteMode.RECORD, directory),
    )
    recorded = recording.play_all(1)
    recording.close()
    calls = recording.door.statistics.calls
    assert calls >= len(SAID)
    for threads in (1, 2):
        cassette = Cassette(CassetteMode.REPLAY, directory)
        replay = Run(name, tmp_path / f"replayed{threads}", Nobody(), cassette=cassette)
        runs.append(replay)
        assert replay.play_all(threads) == recorded
        assert (cassette.hits, cassette.misses) == (calls, 0)


def test_the_scripted_model_is_counted_alike(name: str, runs: list[Run], tmp_path: Path) -> None:
    """Without a key one sees how many calls and words a library spends, at no cost."""
    played = []
    for model, threads in (("openai/gpt", 1), ("scripted", 1), ("scripted", 2)):
        run = Run(name, tmp_path / f"{len(runs)}", ScriptedTransport(), model=model)
        runs.append(run)
        played.append(run.play_all(threads))
    through_the_door, scripted, at_once = played
    assert at_once == scripted
    for one, other in zip(through_the_door, scripted, strict=True):
        for seen, free in zip(one, other, strict=True):
            if isinstance(seen, dict):
                assert [(usage.calls, usage.tokens) for usage in seen.values()] == [
                    (usage.calls, usage.tokens) for usage in free.values()
                ]
                assert all(usage.cost == usage.calls * COST for usage in seen.values())
                assert all(usage.cost == 0 for usage in free.values())
            else:
                assert seen == free


def test_a_failed_call_is_an_error(name: str, runs: list[Run], tmp_path: Path) -> None:
    """Whatever the library makes of it, ingesting fails with the type of the call's failure."""
    transport = ScriptedTransport()
    run = Run(name, tmp_path, transport)
    runs.append(run)
    with GuardedMemory(run.system) as memory:
        memory.ingest(SAID[0])
        # Not one that a library would try again.
        transport.failing = Fault.CONTENT_FILTER
        with pytest.raises(ModelCallError) as caught:
            for entry in SAID[1:]:
                memory.ingest(entry)
            memory.recall(Query(TEXTS[0], PEOPLE[0], (), "", 5))
        transport.failing = None
        assert caught.value.kind is Fault.CONTENT_FILTER
        assert name in str(caught.value)
