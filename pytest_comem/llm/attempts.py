"""One call, tried until it succeeds or there is no point: room, budget, retries, and giving up."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeVar, final

from pytest_comem.llm.breaker import Breaker
from pytest_comem.llm.budget import Budget
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.retries import RetryPolicy
from pytest_comem.llm.statistics import CallStatistics
from pytest_comem.llm.stop import Stop
from pytest_comem.llm.throttle import Throttle

if TYPE_CHECKING:
    from pytest_comem.llm.transport import Transport

Result = TypeVar("Result")


@final
class Provider:
    """What is known about one provider: how much it takes, and whether it is there."""

    def __init__(self, concurrency: int, stop: Stop) -> None:
        self.throttle: Final = Throttle(concurrency)
        self.breaker: Final = Breaker()
        stop.tell(self.throttle.wake)


@final
class Attempts:
    """Carries calls to their providers; from any thread.

    :param transport: from a model to what carries its calls.
    :param provider: from a model to the name of its provider.
    :param concurrency: calls in flight to one provider, at most.
    """

    def __init__(
        self,
        transport: Callable[[ModelSpec], Transport],
        provider: Callable[[ModelSpec], str],
        *,
        concurrency: int,
        retries: RetryPolicy,
        budget: Budget,
        stop: Stop,
        statistics: CallStatistics,
    ) -> None:
        self._find_transport = transport
        self._provider_of = provider
        self._concurrency = concurrency
        self._retries = retries
        self._budget = budget
        self._stop = stop
        self._statistics = statistics
        self._lock = threading.Lock()
        self._transports: dict[tuple[str, str], Transport] = {}
        self._providers: dict[str, Provider] = {}

    @property
    def peak(self) -> int:
        """Calls that were in flight at once to one provider, at most."""
        with self._lock:
            return max((one.throttle.peak for one in self._providers.values()), default=0)

    def make(
        self, model: ModelSpec, key: str, send: Callable[[Transport], Result]
    ) -> tuple[Result, int]:
        """Return what *send* returned, and how many retries that took.

        :param key: of the call, from which its jitter follows.
        :raises ProviderFault: the last one, where the call failed for good.
        :raises RunStopped: where the run is over.
        """
        provider, transport = self._provider(model), self._transport(model)
        retries = 0
        while True:
            try:
                return self._once(provider, transport, send), retries
            except ProviderFault as fault:
                self._note(model, provider, fault)
                wait = self._retries.wait(fault, retries + 1, key)
                if wait is None:
                    raise self._last(model, provider, fault, retries + 1) from fault
                retries += 1
                self._statistics.retried(fault.kind)
                # Not while holding room: other calls may go on.
                self._stop.wait(wait)

    def close(self) -> None:
        """Let connections go."""
        with self._lock:
            transports = list(self._transports.values())
        for transport in transports:
            transport.close()

    def _once(
        self, provider: Provider, transport: Transport, send: Callable[[Transport], Result]
    ) -> Result:
        throttle = provider.throttle
        with throttle.slot(self._stop.goes_on):
            if self._stop.goes_on() and (spent := self._budget.reached()) is not None:
                raise self._stop.now(spent, Fault.BUDGET)
            self._stop.check()
            started = throttle.now()
            try:
                result = send(transport)
            except ProviderFault as fault:
                if fault.kind is Fault.RATE_LIMIT:
                    # Nobody else waits for longer than a call of its own would.
                    pause = fault.retry_after or 0.0
                    throttle.refused(started, pause if pause <= self._retries.patience else None)
                raise
        throttle.succeeded()
        provider.breaker.succeeded()
        return result

    def _note(self, model: ModelSpec, provider: Provider, fault: ProviderFault) -> None:
        if fault.kind is not Fault.CONNECTION:
            provider.breaker.answered()
        elif provider.breaker.unreachable():
            where = f" at {model.api_base}" if model.api_base else ""
            raise self._stop.now(
                f"the model {model.name} cannot be reached{where}: {fault}", fault.kind
            )

    def _last(
        self, model: ModelSpec, provider: Provider, fault: ProviderFault, attempts: int
    ) -> Exception:
        """Return what a call comes to that is not tried again."""
        if not fault.kind.transient:
            return fault
        tried = f"after {attempts} attempts: {fault}" if attempts > 1 else str(fault)
        if provider.breaker.exhausted():
            return self._stop.now(
                f"too many calls of {model.name} failed in a row: {fault.kind}: {tried}",
                fault.kind,
            )
        return ProviderFault(fault.kind, tried)

    def _provider(self, model: ModelSpec) -> Provider:
        name = self._provider_of(model)
        with self._lock:
            if name not in self._providers:
                self._providers[name] = Provider(self._concurrency, self._stop)
            return self._providers[name]

    def _transport(self, model: ModelSpec) -> Transport:
        key = (model.name, model.api_base)
        with self._lock:
            if key not in self._transports:
                self._transports[key] = self._find_transport(model)
            return self._transports[key]
