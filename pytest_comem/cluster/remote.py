"""One episode that is played elsewhere: its steps, who plays it, what went wrong on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.core.steps import Step
from pytest_comem.engine.awaited import Awaited
from pytest_comem.engine.causes import Cause
from pytest_comem.engine.episode import Played
from pytest_comem.engine.output import StepOutput

if TYPE_CHECKING:
    from pytest_comem.core.outcomes import Outcome
    from pytest_comem.engine.suite import Suite
    from pytest_comem.memory.registry import SystemUnderTest

#: Workers that may be lost while they play an episode; with the last one it is given up.
MOST_LOST: Final = 2
#: Workers that may turn out unfit for an episode before it is given up.
MOST_UNFIT: Final = 5


@final
class RemoteEpisode:
    """The steps wanted of one episode. Not for several threads at once.

    A step is resolved once: an outcome that comes twice counts once.

    :param name: of the episode among the run's.
    """

    def __init__(self, name: str, suite: Suite, system: SystemUnderTest) -> None:
        self.name: Final = name
        self.futures: Final[dict[Step, Awaited[Played]]] = {}
        #: Addresses of workers that were lost while they played it.
        self.lost: Final[list[str]] = []
        #: What was wrong with workers that had taken it up.
        self.unfit: Final[list[str]] = []
        #: The cluster's task for it, while there is one.
        self.task: Any = None
        #: The go at it that is under way, and the worker; empty while nobody plays it.
        self.turn = ""
        self.worker = ""
        #: Looks at the cluster, in a row, that did not find the worker.
        self.unseen = 0
        self._suite = suite
        self._system = system
        self._labels: dict[str, Step] = {}

    def announce(self, step: Step, known: Outcome | None) -> None:
        """Say that *step* is wanted.

        :param known: its outcome in an earlier run, where that still holds.
        """
        if step in self.futures:
            return
        self.futures[step] = Awaited()
        self._labels[step.label] = step
        if known is not None:
            self.futures[step].set_result(Played(known, StepOutput()))

    @property
    def unfinished(self) -> list[Step]:
        """Steps without an outcome, in the order of the episode."""
        return self._ordered(done=False)

    @property
    def finished(self) -> list[Step]:
        """Steps with an outcome, in the order of the episode."""
        return self._ordered(done=True)

    def begin(self, turn: str, worker: str) -> None:
        """A worker has begun it."""
        self.turn, self.worker, self.unseen = turn, worker, 0

    def leave(self) -> str:
        """Nobody plays it any more; return the address of the worker that did."""
        worker, self.turn, self.worker = self.worker, "", ""
        return worker

    def accept(self, played: Played) -> bool:
        """Take a step's outcome; false where it has one.

        :raises KeyError: where it is none of this episode's steps.
        """
        future = self.futures[self._labels[played.outcome.step.label]]
        if future.done():
            return False
        future.set_result(played)
        return True

    def refuse(self, cause: Cause) -> None:
        """Resolve all that is unfinished with *cause*; the first step at hand is told it whole."""
        failure = cause.failure
        for step in self.unfinished:
            outcome = self._suite.unscored(step, self._system, failure)
            self.futures[step].set_result(Played(outcome, StepOutput(), cause.stopped))
            failure = replace(failure, message=cause.later)

    def let_go(self) -> None:
        """Let nobody wait for a step any more."""
        for future in self.futures.values():
            future.cancel()

    def _ordered(self, *, done: bool) -> list[Step]:
        found = (step for step, future in self.futures.items() if future.done() is done)
        return sorted(found, key=lambda step: step.position)
