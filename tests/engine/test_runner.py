"""Episodes on threads: what is asked when, and what becomes of steps when something hangs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from dataclasses import replace
from time import monotonic
from typing import Any

import made_outcomes
import pytest
from systems import system_called

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.runner import CLOSING_TIME, EpisodeRunner, Played
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.registry import SystemUnderTest

SYSTEM = system_called("none")
#: Longer than any test; whatever hangs is let go at the end of its test.
LONG = 600.0


def step(number: int, episode: str = "one") -> Step:
    """Return a step of an episode."""
    return Step("scripted", "none", "medical", episode, f"{episode}_{number}", number)


class ScriptedSuite:
    """Plays what it is told at each step; a key ``close:EPISODE`` is for the end of an episode."""

    name = "scripted"
    parameter = "checkpoint"
    holds_whole = False

    def __init__(self, script: Mapping[str, Callable[[], object]] | None = None) -> None:
        self.script = script or {}
        self.happened: list[str] = []

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return nothing: tests say which steps there are."""
        return ()

    def close(self) -> None:
        """Share nothing."""

    def play(
        self, steps: Iterable[Step], system: SystemUnderTest, known: Container[Step] = ()
    ) -> Iterator[Outcome]:
        """Note every step, do what is told and yield a passing outcome."""
        episode = ""
        try:
            for one in steps:
                episode = one.episode
                self.happened.append(f"{'known ' if one in known else ''}{one.id}")
                self.script.get(one.id, lambda: None)()
                if one not in known:
                    yield made(one)
        finally:
            self.happened.append(f"close {episode}")
            self.script.get(f"close:{episode}", lambda: None)()

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return an outcome without a verdict."""
        return replace(made(step), verdict=None, failure=failure)

    def key(self, step: Step, system: SystemUnderTest) -> str:
        """Return the step's label."""
        return step.label

    def describe(self) -> dict[str, Any]:
        """Return nothing."""
        return {}


def made(step: Step) -> Outcome:
    """Return a passing outcome of *step*."""
    return replace(made_outcomes.made(step.position, True), step=step)


def raises(message: str) -> Callable[[], object]:
    """Return a call that raises an adapter's error."""

    def call() -> object:
        raise InfrastructureError(message, type="adapter")

    return call


@pytest.fixture
def hang() -> Iterator[threading.Event]:
    """An event that nobody sets before the end of the test."""
    event = threading.Event()
    yield event
    event.set()


def runner(suite: ScriptedSuite, *steps: Step, **more: Any) -> EpisodeRunner:
    """Return a runner for *steps*."""
    settings: dict[str, Any] = {"concurrency": 1, "ended": lambda: None, "step_timeout": LONG}
    return EpisodeRunner(
        [(one, suite, SYSTEM) for one in steps], output=ThreadOutput(), **settings | more
    )


def told(played: Played) -> str:
    """Return the type and the message of an infrastructure error, or ``passed``."""
    failure = played.outcome.failure
    if failure is None:
        assert played.outcome.passed
        return "passed"
    assert failure.attribution is Attribution.INFRASTRUCTURE
    assert played.outcome.verdict is None
    return f"{failure.type}: {failure.message}"


def test_a_step_that_hangs_is_abandoned_with_its_episode(hang: threading.Event) -> None:
    """Earlier steps stand, later ones name the cause, and the next episode gets the place."""
    suite = ScriptedSuite({"one_1": hang.wait})
    steps = [*(step(number) for number in range(3)), step(0, "two")]
    run = runner(suite, *steps, step_timeout=0.3)
    run.demand(steps)
    results = [told(run.result(one)) for one in steps]
    assert results[0] == results[3] == "passed"
    message = "step one_1 took longer than 0.3 s (--comem-step-timeout); it was abandoned in "
    assert results[1].startswith(f"timeout: {message}")
    assert results[2].startswith(f"timeout: not asked, because {message}")
    run.stop()


def test_late_results_of_an_abandoned_thread_are_ignored(hang: threading.Event) -> None:
    """What an abandoned thread still does changes no outcome, and its memory is closed."""
    closed = threading.Event()
    suite = ScriptedSuite({"one_0": hang.wait, "close:one": closed.set})
    run = runner(suite, step(0), step(1), step_timeout=0.1)
    run.demand([step(0)])
    first = run.result(step(0))
    hang.set()
    assert closed.wait(10)
    assert run.result(step(0)) is first
    assert told(run.result(step(1))).startswith("timeout: not asked, because step one_0 took")
    assert suite.happened == ["one_0", "close one"]
    run.stop()


def test_an_abandoned_thread_prints_to_nobody(hang: threading.Event) -> None:
    """What was printed before is the step's; what comes afterwards is kept nowhere."""
    output, closed = ThreadOutput(), threading.Event()

    def talk() -> None:
        assert output.buffers is not None
        output.buffers.stdout.write("before")
        hang.wait()
        output.buffers.stdout.write("after")
        kept.append(output.buffers.take().stdout)

    kept: list[str] = []
    suite = ScriptedSuite({"one_0": talk, "close:one": closed.set})
    run = EpisodeRunner(
        [(step(0), suite, SYSTEM)],
        concurrency=1,
        output=output,
        ended=lambda: None,
        step_timeout=0.2,
    )
    assert run.result(step(0)).output.stdout == "before"
    hang.set()
    assert closed.wait(10)
    assert kept == [""]
    run.stop()


def test_an_episode_has_its_own_time(hang: threading.Event) -> None:
    """An episode that takes too long is abandoned where it is, whatever its steps may take."""
    suite = ScriptedSuite({"one_1": hang.wait})
    steps = [step(0), step(1), step(2)]
    run = runner(suite, *steps, episode_timeout=0.3)
    run.demand(steps)
    results = [told(run.result(one)) for one in steps]
    assert results[0] == "passed"
    message = "its episode took longer than 0.3 s (--comem-episode-timeout)"
    assert results[1].startswith(f"timeout: {message}")
    assert results[2].startswith(f"timeout: not asked, because {message}")
    run.stop()


def test_time_between_steps_is_no_steps_time() -> None:
    """A step's time begins when its thread takes it up, not when the one before was done."""
    run = runner(ScriptedSuite(), step(0), step(1), step(2), step_timeout=0.3)
    assert told(run.result(step(0))) == "passed"
    threading.Event().wait(0.6)
    assert told(run.result(step(1))) == "passed"
    run.stop()


@pytest.mark.parametrize("fault", ["raises", "hangs"])
def test_a_memory_that_cannot_be_closed_breaks_the_last_step(
    fault: str, hang: threading.Event
) -> None:
    """The last step's verdict goes, the earlier ones stand, and the place is free again."""
    call = raises("cannot close") if fault == "raises" else hang.wait
    suite = ScriptedSuite({"close:one": call})
    steps = [step(0), step(1), step(0, "two")]
    run = runner(suite, *steps, step_timeout=0.3)
    run.demand(steps)
    results = [told(run.result(one)) for one in steps]
    assert results[0] == results[2] == "passed"
    expected = {
        "raises": "adapter: cannot close",
        "hangs": "timeout: closing the memory after step one_1 took longer than 0.3 s",
    }
    assert results[1].startswith(expected[fault])
    assert run.result(step(1)).outcome.reply == made(step(1)).reply
    run.stop()


def test_the_last_step_waits_for_the_close_also_one_by_one() -> None:
    """A memory is closed before its last step is resolved, however steps are demanded."""
    suite = ScriptedSuite({"close:one": raises("cannot close")})
    run = runner(suite, step(0), step(1))
    assert told(run.result(step(0))) == "passed"
    assert told(run.result(step(1))) == "adapter: cannot close"
    run.stop()


def test_after_an_error_later_steps_name_it_as_they_are_demanded() -> None:
    """The first step after a cause has the cause, later ones say that they were not asked."""
    suite = ScriptedSuite({"one_0": raises("it broke")})
    run = runner(suite, step(0), step(1), step(2))
    later = "adapter: not asked, because an earlier call of this episode failed: it broke"
    assert [told(run.result(step(number))) for number in range(3)] == [
        "adapter: it broke",
        later,
        later,
    ]
    run.stop()


def test_a_suite_that_leaves_early_lets_nobody_wait() -> None:
    """A suite that ends without an outcome for a step is an error of the harness."""

    class LeavesEarly(ScriptedSuite):
        def play(
            self, steps: Iterable[Step], system: SystemUnderTest, known: Container[Step] = ()
        ) -> Iterator[Outcome]:
            yield made(next(iter(steps)))

    run = runner(LeavesEarly(), step(0), step(1), step(2))
    run.demand([step(0), step(1), step(2)])
    assert told(run.result(step(0))) == "passed"
    assert told(run.result(step(1))).startswith("harness: the suite scripted left its episode")
    assert told(run.result(step(2))).startswith("harness: not asked")
    run.stop()


def test_an_episode_of_known_steps_is_not_played() -> None:
    """Known outcomes are there from the start, the same objects."""
    suite = ScriptedSuite()
    known = {step(number): made(step(number)) for number in range(2)}
    run = runner(suite, *known, known=known)
    run.demand(list(known))
    assert all(run.result(one).outcome is known[one] for one in known)
    run.stop()
    assert suite.happened == []


@pytest.mark.parametrize("at_once", [True, False])
def test_known_steps_are_taken_in_their_place(at_once: bool) -> None:
    """The memory is brought past known steps before the next one is asked, and no further."""
    suite = ScriptedSuite()
    steps = [step(number) for number in range(6)]
    known = {steps[number]: made(steps[number]) for number in (0, 2, 3, 5)}
    run = runner(suite, *steps, known=known)
    if at_once:
        run.demand(steps)
    assert all(told(run.result(one)) == "passed" for one in steps)
    run.stop()
    assert suite.happened == [
        "known one_0", "one_1", "known one_2", "known one_3", "one_4", "close one",
    ]  # fmt: skip


def test_what_breaks_leaves_known_steps_alone() -> None:
    """A failure on the way to a known step is the next unknown one's."""
    suite = ScriptedSuite({"one_1": raises("it broke")})
    steps = [step(number) for number in range(4)]
    known = {one: made(one) for one in steps[:2]}
    run = runner(suite, *steps, known=known)
    run.demand(steps)
    assert [told(run.result(one)).split(",")[0] for one in steps] == [
        "passed",
        "passed",
        "adapter: it broke",
        "adapter: not asked",
    ]
    run.stop()


@pytest.mark.parametrize("where", ["idle", "step", "close"])
def test_the_end_waits_for_nothing(where: str, hang: threading.Event) -> None:
    """A stopping run gives memories a moment, whatever hangs or was never demanded."""
    script = {"step": {"one_1": hang.wait}, "close": {"close:one": hang.wait}}.get(where, {})
    suite = ScriptedSuite(script)
    run = runner(suite, step(0), step(1), step(2), step(0, "two"))
    assert told(run.result(step(0))) == "passed"
    if where == "step":
        run.demand([step(1)])
    started = monotonic()
    run.stop()
    assert monotonic() - started < CLOSING_TIME + 2
    with pytest.raises(CancelledError):
        run.result(step(2))
    with pytest.raises(CancelledError):
        run.result(step(0, "two"))


class NoticingSuite(ScriptedSuite):
    """Yields its last outcome again, with a notice, before the memory is closed."""

    def play(
        self, steps: Iterable[Step], system: SystemUnderTest, known: Container[Step] = ()
    ) -> Iterator[Outcome]:
        """Play as usual, then notice something."""
        last: Step | None = None
        for one in steps:
            last = one
            yield made(one)
        assert last is not None
        self.happened.append("noticed")
        self.script.get("notice", lambda: None)()
        yield replace(made(last), notice="it was quiet")
        self.script.get("close", lambda: None)()


def test_a_last_outcome_that_is_yielded_again_counts() -> None:
    """Earlier outcomes are as they were."""
    suite = NoticingSuite()
    steps = [step(0), step(1)]
    run = runner(suite, *steps)
    run.demand(steps)
    assert [run.result(one).outcome.notice for one in steps] == [None, "it was quiet"]
    run.stop()


@pytest.mark.parametrize("where", ["notice", "close"])
def test_a_hang_after_the_last_step_falls_under_its_time_limit(
    where: str, hang: threading.Event
) -> None:
    """It is an error of the last step, before or after something was noticed."""
    run = runner(NoticingSuite({where: hang.wait}), step(0), step(1), step_timeout=0.3)
    run.demand([step(0), step(1)])
    assert told(run.result(step(0))) == "passed"
    assert told(run.result(step(1))).startswith("timeout: closing the memory after step one_1 took")
    run.stop()


def test_an_episode_that_is_left_early_is_not_looked_into() -> None:
    """A run that ends before its last step has no use for what comes after that."""
    suite = NoticingSuite()
    run = runner(suite, step(0), step(1))
    assert told(run.result(step(0))) == "passed"
    run.stop()
    assert suite.happened == []
