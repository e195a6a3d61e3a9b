"""The one door: every call of a model goes through here, whoever makes it.

A call is answered by the cassette where that holds it. Otherwise it is carried to the provider,
counted and recorded. What cannot get better by going on ends the run: one message instead of an
error for every step.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn, final

from pytest_comem.errors import ComemError
from pytest_comem.llm.attempts import Attempts
from pytest_comem.llm.budget import Budget
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec
from pytest_comem.llm.cassette_entry import scrubbed
from pytest_comem.llm.faults import Fault, ModelCallError, ProviderFault, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.llm.statistics import CallStatistics
from pytest_comem.llm.stop import Stop

if TYPE_CHECKING:
    from pytest_comem.llm.cassette import Cassette
    from pytest_comem.llm.transport import Transport

#: Calls in flight to one provider, at most.
CONCURRENCY: Final = 64
#: Phases in which the request is a library's own, so that a bad one is only its step's trouble.
_OF_LIBRARIES: Final = ("ingest", "recall")


@final
class Door:
    """Makes the calls of one process, from any thread.

    :param transport: from a model to what carries its calls; the package's own when not given.
    :param cassette: recordings, or ``None``.
    :param budget: what the run may spend.
    :param retries: how often and when to try again.
    :param concurrency: calls in flight to one provider, at most.
    """

    def __init__(
        self,
        transport: Callable[[ModelSpec], Transport] | None = None,
        *,
        cassette: Cassette | None = None,
        budget: Budget | None = None,
        retries: RetryPolicy | None = None,
        concurrency: int = CONCURRENCY,
    ) -> None:
        self._cassette = cassette
        self._budget = budget or Budget()
        self._stop = Stop()
        self._statistics = CallStatistics()
        self._attempts = Attempts(
            transport or _own_transport,
            _own_provider if transport is None else _plain_provider,
            concurrency=concurrency,
            retries=retries or RetryPolicy(),
            budget=self._budget,
            stop=self._stop,
            statistics=self._statistics,
        )

    @property
    def stopped(self) -> RunStopped | None:
        """Why no further call is made, or ``None``."""
        return self._stop.error

    @property
    def statistics(self) -> CallStatistics:
        """What this process' calls came to so far."""
        found = self._statistics
        if self._cassette is not None:
            found.hits = self._cassette.hits
            found.misses = self._cassette.misses
            found.recorded = self._cassette.recorded
        found.peak = self._attempts.peak
        return found

    def end(self, message: str, kind: Fault) -> RunStopped:
        """End the run for a reason that another process has, and return the error to raise."""
        return self._stop.now(message, kind)

    def charge(self, who: str, tokens: int, cost: float | None) -> None:
        """Count what another process has spent; where a bound is reached, the run is ended.

        :param who: has made the calls, in messages.
        """
        problem = self._budget.spend(who, tokens, cost) or self._budget.reached()
        if problem is not None:
            self._stop.now(problem, Fault.BUDGET)

    def meter(self, part: str, repeat: int = 0) -> Meter:
        """Return a meter for one memory instance, whose calls are recorded under *part*."""
        recording = self._cassette.part(part) if self._cassette is not None else None
        return Meter(part, recording, repeat)

    def finish(self, meter: Meter) -> None:
        """Complete the recording of *meter*'s part; where that cannot be done, the run is ended."""
        try:
            meter.close()
        except (OSError, ComemError) as error:
            self._stop.now(f"the recording of {meter.part} was lost: {error}", Fault.CASSETTE)

    def chat(self, call: ChatCall, meter: Meter) -> Completion:
        """Return the completion of *call*, made for *meter*'s instance.

        :raises ModelCallError: where it failed for good.
        :raises RunStopped: where the run is over.
        """
        occurrence = meter.occurrence(call.key)
        replayed = self._replayed(call, meter, occurrence)
        return replayed if replayed is not None else self._live(call, meter, occurrence)

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order.

        Vectors are shared by all episodes of a run, so their cost is the run's and no step's.

        :raises ModelCallError: where it failed for good.
        :raises RunStopped: where the run is over.
        """
        cassette = self._cassette
        found = [cassette.find_vector(model.name, text) if cassette else None for text in texts]
        missing = [text for text, vector in zip(texts, found, strict=True) if vector is None]
        fresh = iter(self._embed_live(model, missing) if missing else ())
        return [next(fresh) if vector is None else vector for vector in found]

    def close(self) -> None:
        """Make no further call, finish the cassette, and let connections go.

        Where the cassette cannot be finished, :attr:`stopped` says so: what was played stays.
        """
        self._stop.over()
        if self._cassette is not None:
            try:
                self._cassette.close()
            except (OSError, ComemError) as error:
                self._stop.now(f"a recording was lost: {error}", Fault.CASSETTE)
        self._budget.close()
        self._attempts.close()

    def _replayed(self, call: ChatCall, meter: Meter, occurrence: int) -> Completion | None:
        if meter.recording is None:
            return None
        recorded = meter.recording.find(
            call, occurrence=occurrence, repeat=meter.repeat, step=meter.step, phase=meter.phase
        )
        if recorded is None:
            return None
        if recorded.failure is not None:
            self._give_up(call, meter, recorded.failure)
        assert recorded.completion is not None
        self._count(meter, recorded.completion, recorded.retries)
        return recorded.completion

    def _live(self, call: ChatCall, meter: Meter, occurrence: int) -> Completion:
        completion: Completion | None = None
        failure: ModelCallError | None = None
        retries = 0
        step, phase = meter.step, meter.phase
        try:
            answered, retries = self._attempts.make(
                call.model, call.key, lambda transport: transport.chat(call)
            )
        except ProviderFault as fault:
            failure = ModelCallError(str(fault), fault.kind)
        else:
            # A server may repeat the key it was sent.
            completion = replace(answered, message=scrubbed(answered.message))
            # Before it is recorded: it is paid for, whatever becomes of that.
            self._statistics.called()
            self._count(meter, completion, retries)
            self._spend(
                call.model, completion.input_tokens + completion.output_tokens, completion.cost
            )
        if meter.recording is not None:
            # As a replay will give it.
            completion = meter.recording.record(
                call,
                occurrence=occurrence,
                repeat=meter.repeat,
                step=step,
                phase=phase,
                completion=completion,
                failure=failure,
                retries=retries,
            )
        if completion is None:
            assert failure is not None
            self._give_up(call, meter, failure)
        return completion

    def _embed_live(self, model: ModelSpec, texts: Sequence[str]) -> list[list[float]]:
        try:
            found, _ = self._attempts.make(
                model, f"{model.name}:{texts[0]}", lambda transport: transport.embed(model, texts)
            )
        except ProviderFault as fault:
            if fault.kind in (Fault.BAD_REQUEST, Fault.AUTHENTICATION):
                raise self._stop.now(
                    f"the embedder {model.name} refused us: {fault}", fault.kind
                ) from fault
            raise _failed("embedder", model, str(fault), fault.kind) from fault
        vectors = [list(vector) for vector in found.vectors]
        if len(vectors) != len(texts):
            what = f"{len(vectors)} vectors came for {len(texts)} texts"
            raise _failed("embedder", model, what, Fault.SERVER_ERROR)
        self._statistics.embedded_texts(len(texts), found.input_tokens, found.cost)
        self._spend(model, found.input_tokens, found.cost)
        if self._cassette is not None:
            # As a replay will give them: of 32 bits.
            return self._cassette.record_vectors(model.name, texts, vectors)
        return vectors

    def _give_up(self, call: ChatCall, meter: Meter, failure: ModelCallError) -> NoReturn:
        """Raise what a call comes to that failed for good."""
        name, kind = call.model.name, failure.kind
        if call.probing and kind is Fault.BAD_REQUEST:
            raise failure
        if kind is Fault.AUTHENTICATION:
            raise self._stop.now(f"the model {name} refused us: {failure}", kind) from failure
        if kind is Fault.BAD_REQUEST and meter.phase not in _OF_LIBRARIES:
            raise self._stop.now(
                f"the model {name} refused a request: {failure}", kind
            ) from failure
        raise _failed("model", call.model, str(failure), kind) from failure

    def _count(self, meter: Meter, completion: Completion, retries: int) -> None:
        tokens = completion.input_tokens + completion.output_tokens
        meter.add(tokens=tokens, cost=completion.cost, retries=retries)

    def _spend(self, model: ModelSpec, tokens: int, cost: float | None) -> None:
        problem = self._budget.spend(model.name, tokens, cost)
        if problem is not None:
            self._stop.now(problem, Fault.BUDGET)


def _failed(part: str, model: ModelSpec, what: str, kind: Fault) -> ModelCallError:
    return ModelCallError(f"the {part} {model.name} failed: {kind}: {what}", kind)


def _own_transport(model: ModelSpec) -> Transport:
    from pytest_comem.llm.transport import find_transport

    return find_transport(model)


def _own_provider(model: ModelSpec) -> str:
    from pytest_comem.llm.transport import provider_of

    return provider_of(model)


def _plain_provider(model: ModelSpec) -> str:
    return model.api_base or model.name
