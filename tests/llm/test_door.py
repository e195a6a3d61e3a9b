"""The one door: what becomes of a call, whatever happens to it."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pytest_comem.llm.budget import Budget
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.cassette import Cassette, CassetteMode
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError, ProviderFault, RunStopped
from pytest_comem.llm.retries import RetryPolicy

MODEL = ModelSpec("openai/m", "http://127.0.0.1:1/v1")
QUICK = RetryPolicy(retries=3, base=0.001)


class Transport:
    """Carries calls to a function, which answers or raises by the number of the attempt."""

    def __init__(self, act: Callable[[int], Completion]) -> None:
        self.act = act
        self.attempts = 0
        self.closed = False
        self._lock = threading.Lock()

    def chat(self, call: ChatCall) -> Completion:
        """Do what is scripted for this attempt."""
        with self._lock:
            self.attempts += 1
            attempt = self.attempts
        return self.act(attempt)

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Return the length of each text as its vector."""
        self.act(0)
        return Vectors([[float(len(text))] for text in texts], len(texts), 0.5)

    def close(self) -> None:
        """Note it."""
        self.closed = True


def said(tokens: int = 10, cost: float | None = 0.25) -> Completion:
    """Return a completion of so many tokens."""
    return Completion({"role": "assistant", "content": "yes"}, "stop", tokens - 1, 1, cost)


def failing(*kinds: Fault) -> Callable[[int], Completion]:
    """Return an act that fails with *kinds* in turn and succeeds afterwards."""

    def act(attempt: int) -> Completion:
        if attempt <= len(kinds):
            raise ProviderFault(kinds[attempt - 1], f"trouble {attempt}")
        return said()

    return act


def door_to(transport: Transport, *, budget: Budget | None = None) -> Door:
    """Return a door that is quick about retries."""
    return Door(lambda _: transport, retries=QUICK, budget=budget)


def call(text: str = "hello", *, probing: bool = False) -> ChatCall:
    """Return a call."""
    return ChatCall(MODEL, [{"role": "user", "content": text}], probing=probing)


def test_a_call_is_answered_and_counted_by_phase() -> None:
    """Tokens, cost and calls stand under the phase at hand; taking them begins anew."""
    door = door_to(Transport(lambda _: said()))
    meter = door.meter("part")
    with meter.during("answer"):
        assert door.chat(call(), meter).text == "yes"
        door.chat(call("again"), meter)
    with meter.during("judge"):
        door.chat(call(), meter)
    usage = meter.take()
    assert (usage["answer"].calls, usage["answer"].tokens, usage["answer"].cost) == (2, 20, 0.5)
    assert (usage["judge"].calls, usage["judge"].retries) == (1, 0)
    assert meter.take() == {}


def test_an_unknown_price_stays_unknown() -> None:
    """One call without a price makes the phase's cost unknown, never 0."""
    door = door_to(Transport(lambda attempt: said(cost=None if attempt == 2 else 0.1)))
    meter = door.meter("part")
    for _ in range(3):
        door.chat(call(), meter)
    assert meter.take()["other"].cost is None


@pytest.mark.parametrize("kind", [fault for fault in Fault if fault.transient])
def test_what_may_pass_is_tried_again(kind: Fault) -> None:
    """Transient faults cost retries, which are counted by type and on the step."""
    door = door_to(Transport(failing(kind, kind)))
    meter = door.meter("part")
    assert door.chat(call(), meter).text == "yes"
    assert meter.take()["other"].retries == 2
    assert door.statistics.as_json()["retries"] == {str(kind): 2}


def test_an_exhausted_call_says_what_it_was() -> None:
    """After the last retry the step's error names model, type, attempts and trouble."""
    transport = Transport(failing(*[Fault.RATE_LIMIT] * 9))
    door = door_to(transport)
    meter = door.meter("part")
    with pytest.raises(
        ModelCallError, match=r"openai/m failed: rate_limit: after 4 attempts: trouble 4"
    ) as caught:
        door.chat(call(), meter)
    assert transport.attempts == 4
    assert caught.value.type == "rate_limit"
    assert door.stopped is None


@pytest.mark.parametrize("kind", [Fault.CONTENT_FILTER, Fault.CONTEXT_TOO_LONG])
def test_a_refusal_of_one_request_is_its_own_steps_trouble(kind: Fault) -> None:
    """It is not tried again, and the run goes on."""
    transport = Transport(failing(kind))
    door = door_to(transport)
    meter = door.meter("part")
    with meter.during("answer"), pytest.raises(ModelCallError) as caught:
        door.chat(call(), meter)
    assert not isinstance(caught.value, RunStopped)
    assert transport.attempts == 1
    assert door.chat(call(), meter).text == "yes"


@pytest.mark.parametrize("kind", [Fault.AUTHENTICATION, Fault.BAD_REQUEST])
def test_what_every_call_would_meet_ends_the_run(kind: Fault) -> None:
    """One refused answer, and no further call is made by anyone."""
    transport = Transport(failing(kind))
    door = door_to(transport)
    meter = door.meter("part")
    with meter.during("answer"), pytest.raises(RunStopped, match="trouble 1"):
        door.chat(call(), meter)
    with pytest.raises(RunStopped, match="trouble 1"):
        door.chat(call("another"), door.meter("elsewhere"))
    assert transport.attempts == 1
    assert "openai/m" in str(door.stopped)


def test_a_librarys_bad_request_is_its_episodes_trouble() -> None:
    """What a memory library sends is not what every step sends."""
    door = door_to(Transport(failing(Fault.BAD_REQUEST)))
    meter = door.meter("part")
    with meter.during("ingest"), pytest.raises(ModelCallError) as caught:
        door.chat(call(), meter)
    assert not isinstance(caught.value, RunStopped)
    assert door.stopped is None


def test_a_probing_call_may_be_refused() -> None:
    """Whoever finds out what a provider takes is told, and nobody else is troubled."""
    door = door_to(Transport(failing(Fault.BAD_REQUEST)))
    meter = door.meter("part")
    with meter.during("answer"), pytest.raises(ModelCallError) as caught:
        door.chat(call(probing=True), meter)
    assert caught.value.kind is Fault.BAD_REQUEST
    assert door.stopped is None


def test_a_provider_that_is_gone_ends_the_run() -> None:
    """Five calls in a row that fail for good are enough."""
    transport = Transport(failing(*[Fault.SERVER_ERROR] * 1000))
    door = door_to(transport)
    kinds = []
    for number in range(7):
        with pytest.raises(ModelCallError) as caught:
            door.chat(call(str(number)), door.meter("part"))
        kinds.append(type(caught.value))
    assert kinds == [ModelCallError] * 4 + [RunStopped] * 3
    assert transport.attempts == 5 * 4


def test_a_budget_ends_the_run_within_one_call_for_each_thread_in_flight() -> None:
    """Threads that were inside when the bound was reached finish; nobody enters after it."""
    threads, bound = 8, 200
    transport = Transport(lambda _: said(tokens=10))
    door = door_to(transport, budget=Budget(max_tokens=bound))

    def episode(number: int) -> int:
        meter = door.meter(str(number))
        made = 0
        while True:
            try:
                door.chat(call(f"{number} {made}"), meter)
            except RunStopped:
                return made
            made += 1

    with ThreadPoolExecutor(threads) as pool:
        made = sum(pool.map(episode, range(threads)))
    assert made == transport.attempts
    assert bound <= 10 * made <= bound + 10 * threads
    assert door.stopped is not None
    assert door.stopped.kind is Fault.BUDGET
    assert "--comem-max-tokens 200" in str(door.stopped)


def test_what_is_paid_for_counts_whatever_becomes_of_its_recording(tmp_path: Path) -> None:
    """A call whose recording fails is an error of its step, and no gift of the provider."""
    cassette = Cassette(CassetteMode.RECORD, tmp_path / "c")
    budget = Budget(max_tokens=10)
    door = Door(lambda _: Transport(lambda _: said(10)), cassette=cassette, budget=budget)
    meter = door.meter("part")
    (tmp_path / "c").rmdir()
    with pytest.raises(ModelCallError, match="cannot be written"):
        door.chat(call(), meter)
    assert meter.take()["other"].tokens == 10
    assert door.statistics.calls == 1
    assert budget.reached() is not None


@pytest.mark.parametrize("kind", list(Fault))
def test_only_failures_that_last_are_recorded(tmp_path: Path, kind: Fault) -> None:
    """What time or a key can mend is asked anew by a replay."""
    transport = Transport(failing(*[kind] * 4))
    cassette = Cassette(CassetteMode.RECORD, tmp_path)
    door = Door(lambda _: transport, cassette=cassette, retries=QUICK)
    meter = door.meter("part")
    with meter.during("ingest"), pytest.raises(ModelCallError, match="trouble"):
        door.chat(call(), meter)
    lasting = {Fault.CONTENT_FILTER, Fault.CONTEXT_TOO_LONG, Fault.BAD_REQUEST, Fault.UNPARSABLE}
    assert cassette.recorded == (kind in lasting)
    door.finish(meter)


def test_waiting_for_a_retry_ends_with_the_run() -> None:
    """Nobody sleeps through the end: a wait of minutes is cut short."""
    refused = threading.Event()

    def act(attempt: int) -> Completion:
        if attempt == 1:
            refused.set()
            raise ProviderFault(Fault.RATE_LIMIT, "wait", retry_after=100.0)
        raise ProviderFault(Fault.AUTHENTICATION, "no such key")

    door = door_to(Transport(act))
    errors: list[Exception] = []

    def patient() -> None:
        try:
            door.chat(call("one"), door.meter("one"))
        except ModelCallError as error:
            errors.append(error)

    thread = threading.Thread(target=patient)
    thread.start()
    assert refused.wait(10)
    door.close()
    thread.join(10)
    assert not thread.is_alive()
    assert isinstance(errors[0], RunStopped)


def test_a_provider_that_asks_for_an_hour_ends_the_run() -> None:
    """Such a call fails at once, and the others do not wait that hour for it."""

    def act(attempt: int) -> Completion:
        raise ProviderFault(Fault.RATE_LIMIT, "come back later", retry_after=3600.0)

    transport = Transport(act)
    door = door_to(transport)
    for number in range(6):
        with pytest.raises(ModelCallError) as caught:
            door.chat(call(str(number)), door.meter("part"))
    assert isinstance(caught.value, RunStopped)
    assert transport.attempts == 5


def test_vectors_are_the_runs_and_counted_there() -> None:
    """Embedding counts texts, tokens and cost once for the run."""
    door = door_to(Transport(lambda _: said()))
    assert door.embed(MODEL, ["a", "bcd"]) == [[1.0], [3.0]]
    assert door.embed(MODEL, []) == []
    found = door.statistics.as_json()
    assert (found["embedded"], found["embedding_tokens"], found["embedding_cost"]) == (2, 2, 0.5)


def test_a_refused_embedding_ends_the_run() -> None:
    """Every step would meet it."""

    def act(attempt: int) -> Completion:
        raise ProviderFault(Fault.AUTHENTICATION, "no such key")

    door = door_to(Transport(act))
    with pytest.raises(RunStopped, match="no such key"):
        door.embed(MODEL, ["a"])


def test_a_recording_lost_at_the_end_takes_nothing_else_along(tmp_path: Path) -> None:
    """The reason is there to be told, and connections are let go."""
    transport = Transport(lambda _: said())
    door = Door(lambda _: transport, cassette=Cassette(CassetteMode.RECORD, tmp_path / "c"))
    door.embed(MODEL, ["a"])
    shutil.rmtree(tmp_path / "c")
    door.close()
    assert transport.closed
    assert "a recording was lost: the cassette" in str(door.stopped)


def test_closing_lets_connections_go_and_is_no_early_end() -> None:
    """After the regular end nothing is called, and nothing says that the run was ended early."""
    transport = Transport(lambda _: said())
    door = door_to(transport)
    meter = door.meter("part")
    door.chat(call(), meter)
    door.close()
    assert transport.closed
    assert door.stopped is None
    with pytest.raises(RunStopped, match="the run is over"):
        door.chat(call(), meter)
