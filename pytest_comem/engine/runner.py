"""Many episodes at once, each in order, on daemon threads; one future a step.

The main thread belongs to pytest. It *demands* steps (all at the start, or one by one where a run
may stop early or a scheduler hands out work) and waits for their futures. An episode's thread
takes its demanded steps in order, so that only wanted steps are asked, and dies with the process:
Ctrl-C never waits for a library.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from time import monotonic
from typing import Final, final

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import RunKey, Step
from pytest_comem.engine.output import StepOutput, ThreadOutput
from pytest_comem.engine.suite import Suite
from pytest_comem.errors import ComemError, InfrastructureError
from pytest_comem.llm.faults import RunStopped
from pytest_comem.memory.registry import SystemUnderTest

#: Seconds a stopping run waits, in all, for memories to be closed.
CLOSING_TIME: Final = 1.0


@final
@dataclass(frozen=True, slots=True)
class Played:
    """A step that has been played: its outcome, and what its thread printed and logged.

    :param stopped: it was not asked, because the whole run was ended.
    """

    outcome: Outcome
    output: StepOutput
    stopped: bool = False


@final
class EpisodeRunner:
    """Plays the episodes of a run.

    :param steps: the wanted steps, in the order of the items.
    :param concurrency: episodes at once; a step someone waits for is never held back by it.
    :param ended: why nothing more is asked in this run, or ``None``.
    """

    def __init__(
        self,
        steps: Sequence[tuple[Step, Suite, SystemUnderTest]],
        *,
        concurrency: int,
        output: ThreadOutput,
        ended: Callable[[], RunStopped | None],
    ) -> None:
        self._concurrency = concurrency
        self._output = output
        self._lock = threading.RLock()
        self._waiting: deque[_Episode] = deque()
        self._running = 0
        self._stopped = False
        self._episodes: dict[RunKey, _Episode] = {}
        for step, suite, system in steps:
            if step.run not in self._episodes:
                self._episodes[step.run] = _Episode(suite, system, self._finished, output, ended)
            self._episodes[step.run].futures.setdefault(step, Future())

    def demand(self, steps: Sequence[Step]) -> None:
        """Say that *steps* will be asked for; their episodes start as room allows."""
        with self._lock:
            for step in steps:
                episode = self._episodes[step.run]
                if episode.demand(step) and not episode.queued:
                    episode.queued = True
                    self._waiting.append(episode)
            self._fill()

    def result(self, step: Step) -> Played:
        """Return the played *step*, waiting for it.

        :raises KeyError: where the step was not announced.
        """
        episode = self._episodes[step.run]
        future = episode.futures[step]
        if not future.done():
            self.demand([step])
            with self._lock:
                if episode.thread is None and not self._stopped:
                    self._waiting.remove(episode)
                    self._start(episode)
        return future.result()

    def stop(self) -> None:
        """Ask no more steps, and give memories a moment to close."""
        with self._lock:
            self._stopped = True
            self._waiting.clear()
        deadline = monotonic() + CLOSING_TIME
        for episode in self._episodes.values():
            episode.close()
        for episode in self._episodes.values():
            if episode.thread is not None:
                episode.thread.join(max(0.0, deadline - monotonic()))

    def _fill(self) -> None:
        while self._waiting and self._running < self._concurrency and not self._stopped:
            self._start(self._waiting.popleft())

    def _start(self, episode: _Episode) -> None:
        self._running += 1
        episode.start()

    def _finished(self) -> None:
        with self._lock:
            self._running -= 1
            self._fill()


@final
class _Episode:
    """One episode's thread, the steps demanded of it, and their futures."""

    def __init__(
        self,
        suite: Suite,
        system: SystemUnderTest,
        finished: Callable[[], None],
        output: ThreadOutput,
        ended: Callable[[], RunStopped | None],
    ) -> None:
        self.futures: dict[Step, Future[Played]] = {}
        self.thread: threading.Thread | None = None
        self.queued = False
        self._suite = suite
        self._system = system
        self._finished = finished
        self._output = output
        self._ended = ended
        self._change = threading.Condition()
        self._demanded: deque[Step] = deque()
        self._known: set[Step] = set()
        self._closed = False
        self._current: Step | None = None
        self._failure: Failure | None = None
        self._stopped = False

    def demand(self, step: Step) -> bool:
        """Add *step* to what will be asked; false where it already was."""
        with self._change:
            if step in self._known:
                return False
            self._known.add(step)
            self._demanded.append(step)
            self._change.notify()
            return True

    def start(self) -> None:
        self.thread = threading.Thread(target=self._run, name="comem-episode", daemon=True)
        self.thread.start()

    def close(self) -> None:
        with self._change:
            self._closed = True
            self._change.notify()

    def _next(self) -> Step | None:
        with self._change:
            while not self._demanded and not self._closed and len(self._known) < len(self.futures):
                self._change.wait()
            self._current = None if self._closed or not self._demanded else self._demanded.popleft()
            return self._current

    def _steps(self) -> Iterator[Step]:
        while (step := self._next()) is not None:
            if (error := self._ended()) is not None:
                raise error
            yield step

    def _run(self) -> None:
        with self._output.of_this_thread() as output:
            try:
                # Closing the generator before its last step closes the memory in this thread.
                for outcome in self._suite.play(self._steps(), self._system):
                    self._resolve(outcome.step, outcome, output.take())
            except BaseException as error:
                self._failure = _failure_of(error)
                self._stopped = isinstance(error, RunStopped)
                self._fail_the_rest(output.take())
            finally:
                self._finished()

    def _fail_the_rest(self, output: StepOutput) -> None:
        """Resolve the step at hand and, as they are demanded, all later ones with the cause."""
        failure = self._failure
        assert failure is not None
        first = True
        step = self._current or self._next()
        while step is not None:
            if not self.futures[step].done():
                told = failure if first else _inherited(failure)
                outcome = self._suite.unscored(step, self._system, told)
                self._resolve(step, outcome, output if first else StepOutput())
                first = False
            step = self._next()

    def _resolve(self, step: Step, outcome: Outcome, output: StepOutput) -> None:
        self.futures[step].set_result(Played(outcome, output, self._stopped))


def _failure_of(error: BaseException) -> Failure:
    if isinstance(error, InfrastructureError):
        return Failure(Attribution.INFRASTRUCTURE, error.type, str(error))
    if isinstance(error, ComemError):
        return Failure(Attribution.INFRASTRUCTURE, "harness", str(error))
    message = f"pytest-comem itself broke: {type(error).__name__}: {error}"
    return Failure(Attribution.INFRASTRUCTURE, "harness", message)


def _inherited(failure: Failure) -> Failure:
    message = f"not asked, because an earlier call of this episode failed: {failure.message}"
    return Failure(failure.attribution, failure.type, message)
