from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest
from scripted_transport import COST, ScriptedTransport

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.outcomes import Usage
from pytest_comem.core.recall import Recall
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Setup, Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings

ANN = Principal("ann", "owner")
ENTRY = Entry("e0", "The door code is 4711.", ANN)
QUERY = Query("What is the code?", ANN, (), "", 5)


class Calling(MemorySystem):
    """Calls its model in every operation and goes on whatever comes of it."""

    swallows = True

    def __init__(self, setup: Setup) -> None:
        endpoint = setup.endpoint
        self._model = ChatClient(endpoint.chat_url, endpoint.chat_model, endpoint.api_key)
        self._ask("open")

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an instance."""
        return cls(setup)

    def ingest(self, entry: Entry) -> None:
        """Call the model."""
        self._ask(entry.text)

    def recall(self, query: Query) -> Recall:
        """Call the model and find nothing."""
        self._ask(query.text)
        return Recall()

    def close(self) -> None:
        """Call the model once more."""
        self._ask("close")

    def _ask(self, text: str) -> None:
        try:
            self._model.ask([{"role": "user", "content": text}])
        except InfrastructureError:
            if not self.swallows:
                raise


class Raising(Calling):
    """The same, raising what comes of it."""

    swallows = False


class Embedding(MemorySystem):
    """Embeds with the embedder it is handed, and goes on whatever comes of it."""

    swallows = True

    def __init__(self, setup: Setup) -> None:
        self._embedder = setup.embedder

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an instance."""
        return cls(setup)

    def ingest(self, entry: Entry) -> None:
        """Embed the entry."""
        try:
            self._embedder.embed([entry.text])
        except InfrastructureError:
            if not self.swallows:
                raise

    def recall(self, query: Query) -> Recall:
        """Find nothing."""
        return Recall()


class RaisingEmbedding(Embedding):
    """The same, raising what comes of it."""

    swallows = False


class DeadEmbedder:
    """An embedder whose provider does not answer."""

    name = "dead"
    dimensions = 3

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Fail."""
        raise ModelCallError("no vector", Fault.TIMEOUT)


@pytest.fixture
def transport() -> ScriptedTransport:
    """What carries the calls."""
    return ScriptedTransport()


@pytest.fixture
def door(transport: ScriptedTransport) -> Iterator[Door]:
    """The door of the run."""
    made = Door(transport=lambda model: transport, retries=RetryPolicy(retries=0))
    yield made
    made.close()


Make = Callable[[type[MemorySystem]], SystemUnderTest]


@pytest.fixture
def system(tmp_path: Path, door: Door) -> Iterator[Make]:
    """Makes a system of a class of this module."""
    embedder = HashEmbedder()
    endpoint = find_endpoint(embedder, model="openai/gpt", api_base="", door=door)
    workshop = Workshop(tmp_path, embedder=embedder, endpoint=endpoint)

    def make(kind: type[MemorySystem]) -> SystemUnderTest:
        (wanted,) = wanted_systems(Settings(("none",)), Path("no-such-pyproject.toml"))
        plain = Catalogue({}, Path()).find(wanted, workshop)
        return replace(plain, factory=kind, info=replace(plain.info, name="calling"))

    yield make
    workshop.close()


def test_calls_are_counted_by_phase(system: Make) -> None:
    """Opening and closing are part of ingesting; nothing is counted between the operations."""
    meter = Meter("one")
    with GuardedMemory(system(Calling), "one", meter) as memory:
        assert memory.meter is meter
        memory.ingest(ENTRY)
        assert meter.take() == {"ingest": Usage(tokens=2 * (1 + 5), calls=2, cost=2 * COST)}
        memory.recall(QUERY)
        assert meter.take() == {"recall": Usage(tokens=8, calls=1, cost=COST)}
        assert meter.phase == "other"
    assert meter.take() == {"ingest": Usage(tokens=2, calls=1, cost=COST)}


@pytest.mark.parametrize("kind", [Calling, Raising])
@pytest.mark.parametrize(
    ("operate", "what"),
    [
        (lambda memory: memory.ingest(ENTRY), "raised in ingest() at entry e0"),
        (lambda memory: memory.recall(QUERY), "raised in recall()"),
    ],
)
def test_a_failed_call_is_no_low_score(
    system: Make,
    transport: ScriptedTransport,
    kind: type[MemorySystem],
    operate: Callable[[GuardedMemory], Any],
    what: str,
) -> None:
    """Whether the library raises or swallows it, the operation fails with the call's own type."""
    with GuardedMemory(system(kind)) as memory:
        transport.failing = Fault.RATE_LIMIT
        with pytest.raises(ModelCallError) as caught:
            operate(memory)
        transport.failing = None
        operate(memory)
    assert (caught.value.type, caught.value.kind) == ("rate_limit", Fault.RATE_LIMIT)
    assert str(caught.value).startswith(f"memory system calling {what}: a model it calls failed: ")
    assert "it fails as told" in str(caught.value)


@pytest.mark.parametrize("kind", [Calling, Raising])
def test_opening_and_closing_too(
    system: Make, transport: ScriptedTransport, kind: type[MemorySystem], tmp_path: Path
) -> None:
    """A memory that could not be opened leaves nothing; one that could not be closed says so."""
    transport.failing = Fault.SERVER_ERROR
    with pytest.raises(ModelCallError, match="could not be opened"), GuardedMemory(system(kind)):
        pytest.fail("it was opened")
    transport.failing = None
    with (
        pytest.raises(ModelCallError, match=r"raised in close\(\)"),
        GuardedMemory(system(kind)) as memory,
    ):
        memory.ingest(ENTRY)
        transport.failing = Fault.SERVER_ERROR
    transport.failing = None
    with (
        pytest.raises(ModelCallError, match=r"raised in ingest\(\)"),
        GuardedMemory(system(kind)) as memory,
    ):
        transport.failing = Fault.SERVER_ERROR
        # Closing fails as well, and is not what went wrong first.
        memory.ingest(ENTRY)


def test_the_end_of_the_run_stays_what_it_is(
    system: Make, transport: ScriptedTransport, door: Door
) -> None:
    """One message for the whole run, of a type of its own, whichever memory hears it first."""
    with GuardedMemory(system(Calling)) as memory:
        transport.failing = Fault.AUTHENTICATION
        with pytest.raises(RunStopped) as caught:
            memory.ingest(ENTRY)
        assert door.stopped is not None
        assert str(caught.value) == str(door.stopped)
        memory.meter.take_failure()
        with pytest.raises(RunStopped):
            memory.recall(QUERY)
        asked = len(transport.calls)
        transport.failing = None
        with pytest.raises(RunStopped):
            memory.recall(QUERY)
        assert len(transport.calls) == asked
        memory._memory = None


@pytest.mark.parametrize("kind", [Embedding, RaisingEmbedding])
def test_an_embedder_that_is_handed_in(system: Make, kind: type[MemorySystem]) -> None:
    """Its failure is the operation's as well, swallowed or not."""
    found = system(kind)
    found.workshop.embedder = DeadEmbedder()
    with (
        GuardedMemory(found) as memory,
        pytest.raises(ModelCallError, match=r"calling raised in ingest.*: no vector") as caught,
    ):
        memory.ingest(ENTRY)
    assert caught.value.kind is Fault.TIMEOUT
