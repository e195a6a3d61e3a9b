"""Steps of one episode that are being done at once, handed over in the order they were begun."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.episode import WantedSteps
from pytest_comem.engine.side_by_side import SideBySide, Work


@final
class InFlight:
    """What an episode has begun and not handed over; used by the episode's thread.

    :param pool: does the work.
    :param wanted: where the steps come from; where it is an episode's own, that episode is told
        what is done elsewhere, and for what its thread waits.
    """

    def __init__(self, pool: SideBySide, wanted: Iterator[Step]) -> None:
        self._pool = pool
        self._wanted = wanted if isinstance(wanted, WantedSteps) else None
        self._begun: deque[tuple[Step, Work[Outcome]]] = deque()

    def begin(self, step: Step, do: Callable[[], Outcome]) -> None:
        """Have a step done as soon as there is room."""
        work = self._pool.begin(do)
        self._begun.append((step, work))
        if self._wanted is not None:
            self._wanted.begun(step, work)

    def due(self) -> Iterator[Outcome]:
        """Yield what is handed over before another step is taken up."""
        while self._begun and (self._begun[0][1].is_done() or self._is_time()):
            yield self._first()

    def rest(self) -> Iterator[Outcome]:
        """Yield everything else, waiting for it."""
        while self._begun:
            yield self._first()

    def give_up(self) -> None:
        """Do not begin what nobody waits for any more."""
        for _, work in self._begun:
            self._pool.give_up(work)

    def _is_time(self) -> bool:
        is_idle = self._wanted is not None and not self._wanted.is_ready()
        return is_idle or len(self._begun) > self._pool.most

    def _first(self) -> Outcome:
        step, work = self._begun[0]
        if self._wanted is not None and not work.is_done():
            self._wanted.waits_for_room()
            work.wait_for_room()
            self._wanted.waits_for(step)
        try:
            return work.result()
        finally:
            self._begun.popleft()
