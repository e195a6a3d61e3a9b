"""What workers have called and spent, as far as they have told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.llm.statistics import CallStatistics

if TYPE_CHECKING:
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.llm.door import Door

#: Who has called, where a price is unknown.
_CALLER: Final = "a model that workers called"


@final
class Bookkeeping:
    """Calls of all workers of a run, charged to the door of the process that started it.

    :param door: ends the run where a bound is reached.
    :param replayed: calls are answered by recordings and cost nothing.
    """

    def __init__(self, door: Door, *, replayed: bool) -> None:
        self._door = door
        self._replayed = replayed
        self._processes: dict[str, tuple[int, dict[str, Any]]] = {}
        #: Addresses of workers that were lost; what they called since they last told is not known.
        self.lost: Final[set[str]] = set()

    def add(self, outcome: Outcome) -> None:
        """Charge what a step's calls came to."""
        for usage in outcome.usage.values():
            # Without calls, words stand for tokens.
            if usage.calls and not self._replayed:
                self._door.charge(_CALLER, usage.tokens, usage.cost)

    def report(self, process: str, number: int, calls: dict[str, Any]) -> None:
        """Take what a process has called so far; its latest report counts.

        :param number: of the report among the process' own.
        """
        before, known = self._processes.get(process, (0, CallStatistics().as_json()))
        if number <= before:
            return
        self._processes[process] = (number, calls)
        # Embeddings are no step's.
        tokens = calls["embedding_tokens"] - known["embedding_tokens"]
        if tokens > 0:
            cost = calls["embedding_cost"]
            fresh = None if cost is None else cost - (known["embedding_cost"] or 0.0)
            self._door.charge(_CALLER, tokens, fresh)

    @property
    def statistics(self) -> CallStatistics:
        """What all of it came to so far."""
        found = CallStatistics()
        for _, calls in self._processes.values():
            found.merge(calls)
        found.unreported += len(self.lost)
        return found
