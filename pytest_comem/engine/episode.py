"""One episode on a daemon thread: its steps in order, one future a step, and an end in any case."""

from __future__ import annotations

import threading
from bisect import insort
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.awaited import Awaited
from pytest_comem.engine.causes import Cause, cause_of, is_broken
from pytest_comem.engine.hanging import place_of_thread, silence
from pytest_comem.engine.output import StepOutput, ThreadOutput
from pytest_comem.engine.side_by_side import Work
from pytest_comem.engine.suite import Suite
from pytest_comem.engine.watchdog import Watch, Watchdog
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.faults import RunStopped
from pytest_comem.memory.registry import SystemUnderTest


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
@dataclass(frozen=True, slots=True)
class Shared:
    """What all episodes of a run have in common.

    :param output: keeps what their threads print apart.
    :param ended: why nothing more is asked in this run, or ``None``.
    :param finished: called once an episode, when its place is free.
    :param watchdog: notices what takes too long.
    :param step_timeout: seconds a step may take, and closing the memory after the last one.
    :param episode_timeout: seconds an episode may take, or ``None``.
    """

    output: ThreadOutput
    ended: Callable[[], RunStopped | None]
    finished: Callable[[], None]
    watchdog: Watchdog
    step_timeout: float
    episode_timeout: float | None


@final
class WantedSteps:
    """The steps of an episode as its suite takes them up, one by one.

    A suite that works on several steps at once hands over what it has finished before it asks for
    a step that nobody wants yet (:meth:`is_ready`).
    """

    def __init__(self, episode: Episode) -> None:
        self._episode = episode

    def __iter__(self) -> WantedSteps:
        return self

    def __next__(self) -> Step:
        """Return the next step, waiting until it is wanted."""
        return self._episode.take_up()

    def is_ready(self) -> bool:
        """Whether the next step, or the end, comes without waiting."""
        return self._episode.has_next()

    def begun(self, step: Step, work: Work[Outcome]) -> None:
        """Say that a step is done elsewhere: it stands once done, whatever this thread hangs in."""
        self._episode.begun(step, work)

    def waits_for_room(self) -> None:
        """Say that from now on this thread waits for its turn, which no limit of time counts."""
        self._episode.waits_for_room()

    def waits_for(self, step: Step) -> None:
        """Say that from now on this thread waits for a step that was begun."""
        self._episode.waits_for(step)


class _LeftEarly(Exception):
    """The run is over before all wanted steps were: nothing is to be looked into any more."""


@final
class Episode:
    """The steps wanted of one episode, those demanded so far, and the thread that plays them.

    A step is resolved once, whatever happens to the thread: an abandoned one is left alone, and
    what it still does changes nothing. The outcome of the last wanted step is kept back until the
    memory has been closed, because what goes wrong there must not go unnoticed.
    """

    def __init__(self, suite: Suite, system: SystemUnderTest, shared: Shared) -> None:
        self.futures: dict[Step, Awaited[Played]] = {}
        self.thread: threading.Thread | None = None
        self.queued = False
        self._suite = suite
        self._system = system
        self._shared = shared
        self._change = threading.Condition()
        self._known: list[Step] = []
        self._known_ahead: deque[Step] = deque()
        self._demanded: set[Step] = set()
        self._queue: deque[Step] = deque()
        #: Announced steps that no thread has taken up.
        self._left: set[Step] = set()
        #: Taken up and without an outcome, in the order they were taken.
        self._at_hand: dict[Step, None] = {}
        #: Those of them that other threads work on.
        self._elsewhere: dict[Step, Work[Outcome]] = {}
        self._held: Outcome | None = None
        self._cause: Cause | None = None
        self._told = False
        self._closed = False
        #: The thread is through or abandoned; what it does no longer counts.
        self._over = False
        self._has_place = True
        self._turn = 0
        self._watch: Watch | None = None
        self._episode_watch: Watch | None = None
        self._printed: Callable[[], StepOutput] = StepOutput
        self._silence: Callable[[], None] = lambda: None

    def announce(self, step: Step, known: Outcome | None) -> None:
        """Say that *step* is wanted; before the first demand.

        :param known: its outcome in an earlier run, where that still holds.
        """
        if step in self.futures:
            return
        self.futures[step] = Awaited()
        if known is None:
            self._left.add(step)
        else:
            self.futures[step].set_result(Played(known, StepOutput()))
            insort(self._known, step, key=lambda one: one.position)

    def demand(self, step: Step) -> bool:
        """Add *step* to what will be asked; false where nothing is to be done for it."""
        with self._change:
            if step in self._demanded or self.futures[step].done():
                return False
            self._demanded.add(step)
            if self._cause is not None:
                self._refuse(step, self._cause)
                return False
            self._queue.append(step)
            self._change.notify_all()
            return True

    def start(self) -> None:
        """Begin to play what is demanded."""
        self._known_ahead.extend(self._known)
        self.thread = threading.Thread(target=self._run, name="comem-episode", daemon=True)
        self.thread.start()

    def close(self) -> None:
        """Ask nothing more; the thread closes its memory."""
        with self._change:
            self._closed = True
            self._change.notify_all()

    def let_go(self) -> None:
        """Let nobody wait for a step any more."""
        with self._change:
            self._over = True
            for future in self.futures.values():
                future.cancel()

    def _run(self) -> None:
        with self._shared.output.of_this_thread() as buffers:
            self._printed = buffers.take
            self._silence = lambda: silence(buffers)
            self._limit_episode()
            try:
                known = frozenset(self._known)
                # Closing the generator before its last step closes the memory in this thread.
                for outcome in self._suite.play(WantedSteps(self), self._system, known):
                    self._accept(outcome)
                self._complete()
            except _LeftEarly:
                pass
            except BaseException as error:
                self._break(cause_of(error))
            finally:
                self._leave()

    def take_up(self) -> Step:
        """Return the step to take up next, waiting until it is wanted.

        :raises StopIteration: where none comes any more.
        """
        step = self._next()
        if step is None:
            if self._left:
                raise _LeftEarly
            raise StopIteration
        if (error := self._shared.ended()) is not None:
            raise error
        self._limit_step(step)
        return step

    def has_next(self) -> bool:
        """Whether :meth:`take_up` would not wait."""
        with self._change:
            return bool(self._queue) or not self._left or self._closed

    def begun(self, step: Step, work: Work[Outcome]) -> None:
        """Note what another thread works on."""
        with self._change:
            self._elsewhere[step] = work

    def waits_for_room(self) -> None:
        """Count no time: what hangs in other episodes has its own limit."""
        self._limit(None)

    def waits_for(self, step: Step) -> None:
        """Give a step that was begun its time."""
        self._limit_step(step)

    def _next(self) -> Step | None:
        """Return the step to take up next, waiting for it; ``None`` where none comes any more.

        Known ones come before a demanded one that they precede, so that the memory hears
        everything in the order of an uninterrupted run.
        """
        with self._change:
            while not self._queue and self._left and not self._closed:
                self._change.wait()
            if self._closed or not self._queue:
                return None
            ahead = self._known_ahead
            if ahead and ahead[0].position < self._queue[0].position:
                return ahead.popleft()
            step = self._queue.popleft()
            self._left.discard(step)
            self._at_hand[step] = None
            return step

    def _accept(self, outcome: Outcome) -> None:
        with self._change:
            if self._over:
                return
            self._limit(None)
            self._at_hand.pop(outcome.step, None)
            self._elsewhere.pop(outcome.step, None)
            if self._left or self._at_hand:
                self._resolve(outcome.step, Played(outcome, self._printed()))
                if self._at_hand:
                    self._limit_step(next(iter(self._at_hand)))
            else:
                self._held = outcome
                self._limit(f"closing the memory after step {outcome.step.id}")

    def _complete(self) -> None:
        """Resolve the last step, now that the memory is closed."""
        with self._change:
            if self._over:
                return
            if self._held is not None:
                self._resolve(self._held.step, Played(self._held, self._printed()))
            elif not self._closed:
                what = f"the suite {self._suite.name} left its episode before the last step"
                raise InfrastructureError(what, type="harness")

    def _break(self, cause: Cause) -> None:
        """Resolve the step at hand and, as they are demanded, all later ones with *cause*."""
        with self._change:
            if self._over or self._cause is not None:
                return
            held = self._held
            if held is not None and (cause.stopped or is_broken(held)):
                # The run's end is no fault of this step, and the first cause says more.
                self._resolve(held.step, Played(held, self._printed()))
            self._cause = cause
            at_hand = [held.step] if held is not None else []
            for step in [*at_hand, *self._at_hand, *self._queue]:
                if not self.futures[step].done():
                    self._refuse(step, cause)
            self._queue.clear()

    def _refuse(self, step: Step, cause: Cause) -> None:
        failure, output = cause.failure, StepOutput()
        if self._told:
            begun = f"not finished, because {failure.message}"
            failure = replace(failure, message=begun if step in self._elsewhere else cause.later)
        else:
            output = self._printed()
        self._told = True
        if self._held is not None and self._held.step == step:
            # What it cost is still true: only the verdict goes.
            outcome = replace(self._held, verdict=None, failure=failure)
        else:
            outcome = self._suite.unscored(step, self._system, failure)
        self._resolve(step, Played(outcome, output, cause.stopped))

    def _resolve(self, step: Step, played: Played) -> None:
        if not self.futures[step].done():
            self.futures[step].set_result(played)

    def _limit_step(self, step: Step) -> None:
        self._limit(f"step {step.id}", step)

    def _limit(self, what: str | None, step: Step | None = None) -> None:
        """End what is at hand, and give *what* its time; ``None`` for nothing.

        :param step: that *what* is, where it is one.
        """
        with self._change:
            self._turn += 1
            if self._watch is not None:
                self._watch.end()
                self._watch = None
            if what is not None and not self._over:
                seconds, turn = self._shared.step_timeout, self._turn
                told = f"{what} took longer than {seconds:g} s (--comem-step-timeout)"
                self._watch = self._shared.watchdog.watch(
                    seconds, lambda: self._abandon(told, turn, step)
                )

    def _limit_episode(self) -> None:
        seconds = self._shared.episode_timeout
        if seconds is not None:
            told = f"its episode took longer than {seconds:g} s (--comem-episode-timeout)"
            self._episode_watch = self._shared.watchdog.watch(seconds, lambda: self._abandon(told))

    def _abandon(self, told: str, turn: int | None = None, step: Step | None = None) -> None:
        """Leave the thread alone and go on without it.

        :param turn: of what took too long; it may have been done in the meantime.
        :param step: that took too long, where it is known.
        """
        with self._change:
            if self._over or turn not in (None, self._turn):
                return
            self._take_what_is_done()
            if step is not None and step in self._at_hand:
                self._at_hand = {step: None, **self._at_hand}
            work = self._elsewhere.get(step) if step is not None else None
            thread = self.thread if work is None else work.thread
            told = f"{told}; it was abandoned{place_of_thread(thread)}"
            failure = Failure(Attribution.INFRASTRUCTURE, "timeout", told)
            self._break(Cause(failure, f"not asked, because {told}"))
            self._over = True
            for left in self._elsewhere.values():
                left.abandon()
            self._silence()
            self.close()
        self._leave()

    def _take_what_is_done(self) -> None:
        """Resolve what other threads have done: it does not depend on what this one hangs in."""
        for step, work in self._elsewhere.items():
            if step in self._at_hand and (outcome := work.outcome()) is not None:
                del self._at_hand[step]
                self._resolve(step, Played(outcome, StepOutput()))

    def _leave(self) -> None:
        """Give the place to the next episode, once."""
        with self._change:
            self._over = True
            self._limit(None)
            if self._episode_watch is not None:
                self._episode_watch.end()
            had_place, self._has_place = self._has_place, False
        if had_place:
            self._shared.finished()
