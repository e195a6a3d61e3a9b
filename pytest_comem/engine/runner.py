"""Many episodes at once, each in order, on daemon threads; one future a step.

The main thread belongs to pytest. It *demands* steps (all at the start, or one by one where a run
may stop early or a scheduler hands out work) and waits for their futures. An episode's thread
takes its demanded steps in order, so that only wanted steps are asked, and dies with the process:
Ctrl-C never waits for a library. One that hangs is abandoned when its time is up.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from types import MappingProxyType
from typing import Final, Protocol, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import RunKey, Step
from pytest_comem.engine.episode import Episode, Played, Shared
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.suite import Suite
from pytest_comem.engine.watchdog import Watchdog
from pytest_comem.llm.faults import RunStopped
from pytest_comem.memory.registry import SystemUnderTest

__all__ = ["CLOSING_TIME", "EpisodeRunner", "Played", "Runner"]

#: Seconds a stopping run waits, in all, for memories to be closed.
CLOSING_TIME: Final = 1.0


class Runner(Protocol):
    """What plays a run's steps, here or elsewhere."""

    def demand(self, steps: Sequence[Step]) -> None:
        """Say that *steps* will be asked for."""

    def result(self, step: Step) -> Played:
        """Return the played *step*, waiting for it.

        :raises CancelledError: where the runner was stopped before.
        """

    def stop(self) -> None:
        """Ask no more steps, and give memories a moment to close."""


@final
class EpisodeRunner:
    """Plays the episodes of a run.

    :param steps: the wanted steps, in the order of the items.
    :param concurrency: episodes at once; a step someone waits for is never held back by it.
    :param ended: why nothing more is asked in this run, or ``None``.
    :param step_timeout: seconds a step may take, ingestion included; then its episode is
        abandoned, and this step and the episode's later ones are infrastructure errors.
    :param episode_timeout: the same of a whole episode, or ``None``.
    :param known: outcomes of an earlier run that still hold; these steps are not asked again, and
        an episode that has no others is not played.
    """

    def __init__(
        self,
        steps: Sequence[tuple[Step, Suite, SystemUnderTest]],
        *,
        concurrency: int,
        output: ThreadOutput,
        ended: Callable[[], RunStopped | None],
        step_timeout: float = 3600.0,
        episode_timeout: float | None = None,
        known: Mapping[Step, Outcome] = MappingProxyType({}),
    ) -> None:
        self._concurrency = concurrency
        self._lock = threading.RLock()
        self._waiting: deque[Episode] = deque()
        self._running = 0
        self._stopped = False
        self._watchdog = Watchdog()
        self._episodes: dict[RunKey, Episode] = {}
        shared = Shared(
            output, ended, self._finished, self._watchdog, step_timeout, episode_timeout
        )
        for step, suite, system in steps:
            if step.run not in self._episodes:
                self._episodes[step.run] = Episode(suite, system, shared)
            self._episodes[step.run].announce(step, known.get(step))

    def demand(self, steps: Sequence[Step]) -> None:
        """Say that *steps* will be asked for; their episodes start as room allows."""
        with self._lock:
            for step in steps:
                episode = self._episodes[step.run]
                if episode.demand(step) and not episode.queued:
                    episode.queued = True
                    self._waiting.append(episode)
            self._fill()

    def result(self, step: Step, timeout: float | None = None) -> Played:
        """Return the played *step*, waiting for it.

        :param timeout: seconds to wait; without end when not given.
        :raises KeyError: where the step was not announced.
        :raises TimeoutError: where it has not been played in time.
        :raises CancelledError: where the runner was stopped before.
        """
        episode = self._episodes[step.run]
        future = episode.futures[step]
        if not future.done():
            self.demand([step])
            with self._lock:
                if episode in self._waiting:
                    self._waiting.remove(episode)
                    self._start(episode)
        return future.result(timeout)

    def stop(self) -> None:
        """Ask no more steps, and give memories a moment to close."""
        with self._lock:
            self._stopped = True
            self._waiting.clear()
        self._watchdog.stop()
        deadline = monotonic() + CLOSING_TIME
        for episode in self._episodes.values():
            episode.close()
        for episode in self._episodes.values():
            if episode.thread is not None:
                episode.thread.join(max(0.0, deadline - monotonic()))
            episode.let_go()

    def _fill(self) -> None:
        while self._waiting and self._running < self._concurrency and not self._stopped:
            self._start(self._waiting.popleft())

    def _start(self, episode: Episode) -> None:
        self._running += 1
        episode.start()

    def _finished(self) -> None:
        with self._lock:
            self._running -= 1
            self._fill()
