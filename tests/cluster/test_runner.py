"""What the run makes of what a cluster tells it, in whatever order that comes."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass
from functools import partial
from time import monotonic, sleep
from typing import Any

import made_outcomes
import pytest
from systems import system_called

from pytest_comem.cluster.messages import Message, played_to_plain
from pytest_comem.cluster.runner import ClusterRunner
from pytest_comem.core.outcomes import Failure, Outcome
from pytest_comem.core.steps import Step
from pytest_comem.engine.episode import Played
from pytest_comem.engine.output import StepOutput
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault

SYSTEM = system_called("none")
OUTCOMES = {number: made_outcomes.made(number, True) for number in range(3)}
STEPS = [OUTCOMES[number].step for number in range(3)]
FIT = {"code": "1"}
ONE, TWO = "tcp://10.0.0.1:1", "tcp://10.0.0.2:2"


class Unscoring:
    """The part of a suite that a run of tasks needs."""

    name = "gatemem"

    def unscored(self, step: Step, system: object, failure: Failure) -> Outcome:
        """Return the step's outcome without a verdict."""
        return made_outcomes.made(step.position, None, failure=failure)


@dataclass
class Task:
    """A task of a cluster."""

    key: str
    status: str = "pending"

    def release(self) -> None:
        """Need it no more."""


class Desk:
    """Stands where a cluster is: keeps what is handed in, and passes on what a test says."""

    address = "tcp://10.0.0.9:8786"
    fingerprint = FIT

    def __init__(self) -> None:
        self.inbox: queue.SimpleQueue[Message | Exception] = queue.SimpleQueue()
        self.submitted: list[set[str]] = []
        self.answers: dict[str, Message] = {}
        self.cancelled: list[Task] = []
        self.there = {ONE: 1, TWO: 1}

    def submit(self, episode: str, workers: Any = ()) -> Task:
        """Take an episode."""
        self.submitted.append(set(workers))
        return Task(f"key-{len(self.submitted)}")

    def answer(self, turn: str, message: Message) -> None:
        """Keep an answer."""
        self.answers[turn] = message

    def say(self, kind: str, **more: Any) -> None:
        """Pass on a message."""
        self.inbox.put({"kind": kind, "episode": "0", **more})

    def received(self) -> list[Message]:
        """Return the next message, or raise the next error."""
        found = self.inbox.get()
        if isinstance(found, Exception):
            raise found
        return [found]

    def workers(self) -> dict[str, int]:
        """Return who is there."""
        return dict(self.there)

    def cancel(self, tasks: list[Task]) -> None:
        """Note what is not wanted any more."""
        self.cancelled += tasks

    def begun(self, turn: str, worker: str, code: str = "1") -> Message:
        """Begin the episode on a worker, and return what it is answered."""
        self.say("begun", turn=turn, worker=worker, fingerprint={"code": code})
        until(lambda: turn in self.answers)
        return self.answers[turn]

    def plays(self, turn: str, *numbers: int) -> None:
        """Tell outcomes of steps."""
        played = [played_to_plain(Played(OUTCOMES[n], StepOutput())) for n in numbers]
        self.say("played", turn=turn, worker=ONE, played=played)

    def ends(self, turn: str, **more: Any) -> None:
        """End a go at the episode."""
        self.say("end", turn=turn, worker=ONE, **more)


def until(what: Callable[[], Any]) -> Any:
    """Return what *what* does as soon as that is something."""
    deadline = monotonic() + 60
    while not (found := what()):
        assert monotonic() < deadline
        sleep(0.001)
    return found


def is_handed_in(desk: Desk, times: int) -> bool:
    """Whether the episode has been handed in so often."""
    return len(desk.submitted) == times


@pytest.fixture
def desk() -> Desk:
    """A place where a cluster would be."""
    return Desk()


@pytest.fixture
def door() -> Door:
    """The door of the run."""
    return Door()


@pytest.fixture
def runner(desk: Desk, door: Door) -> Iterator[ClusterRunner]:
    """A runner of one episode of three steps, all demanded."""
    steps: Any = [(step, Unscoring(), SYSTEM) for step in STEPS]
    place: Any = desk
    found = ClusterRunner(steps, cluster=place, door=door, known={})
    found.demand(STEPS)
    yield found
    found.stop()


def test_what_is_known_is_not_sent(desk: Desk, door: Door) -> None:
    """Steps of an earlier run are only named; an episode of nothing else is not handed in."""
    steps: Any = [(step, Unscoring(), SYSTEM) for step in STEPS]
    place: Any = desk
    runner = ClusterRunner(steps, cluster=place, door=door, known={STEPS[0]: OUTCOMES[0]})
    runner.demand(STEPS)
    answer = desk.begun("a", ONE)
    assert answer == {
        "play": [STEPS[1].label, STEPS[2].label],
        "known": [STEPS[0].label],
    }
    runner.stop()
    idle = Desk()
    place = idle
    known = {OUTCOMES[number].step: OUTCOMES[number] for number in range(3)}
    runner = ClusterRunner(steps, cluster=place, door=door, known=known)
    runner.demand(STEPS)
    assert runner.result(STEPS[2]).outcome == OUTCOMES[2]
    assert idle.submitted == []
    runner.stop()


def test_a_second_begin_asks_only_for_the_rest(desk: Desk, runner: ClusterRunner) -> None:
    """What a lost worker had told stays; an outcome that comes twice counts once."""
    desk.begun("a", ONE)
    desk.plays("a", 0)
    answer = desk.begun("b", TWO)
    assert answer["play"] == [STEPS[1].label, STEPS[2].label]
    # The one that was believed dead is heard of once more.
    desk.plays("a", 0, 1)
    desk.plays("b", 1, 2)
    desk.ends("b")
    assert [runner.result(step).outcome for step in STEPS] == [OUTCOMES[n] for n in range(3)]
    assert runner.books.statistics.unreported == 1


def test_a_third_begin_is_none(desk: Desk, runner: ClusterRunner) -> None:
    """After two losses the open steps are errors that name the workers; nothing is asked again."""
    desk.begun("a", ONE)
    desk.plays("a", 0)
    desk.begun("b", TWO)
    assert desk.begun("c", ONE) == {}
    first, second = (runner.result(step).outcome.failure for step in STEPS[1:])
    assert first is not None
    assert second is not None
    assert (first.type, second.type) == ("worker", "worker")
    assert ONE in first.message
    assert TWO in first.message
    assert second.message.startswith("not asked, because")
    assert runner.result(STEPS[0]).outcome == OUTCOMES[0]


def test_workers_that_vanish_are_missed(desk: Desk, runner: ClusterRunner) -> None:
    """Where nobody begins again, two looks at the cluster tell that a worker is lost."""
    desk.begun("a", ONE)
    desk.begun("b", TWO)
    desk.there.clear()
    failure = runner.result(STEPS[0]).outcome.failure
    assert failure is not None
    assert failure.type == "worker"


def test_a_task_that_dask_gives_up_is_handed_in_once_more(
    desk: Desk, runner: ClusterRunner
) -> None:
    """A cluster that allows no failures leaves the second try to the run."""
    desk.begun("a", ONE)
    desk.say("settled", key="key-1", status="error", died=True, problem="KilledWorker: it died")
    until(lambda: len(desk.submitted) == 2)
    assert len(desk.begun("b", TWO)["play"]) == 3
    # News of the first task is old by now.
    desk.say("settled", key="key-1", status="error", died=True, problem="KilledWorker: it died")
    desk.plays("b", 0, 1, 2)
    assert runner.result(STEPS[2]).outcome == OUTCOMES[2]
    assert len(desk.submitted) == 2


def test_an_unfit_worker_is_passed_by(desk: Desk, runner: ClusterRunner) -> None:
    """An episode that a late worker cannot play goes to the others; it is an error without any."""
    assert desk.begun("a", ONE, code="2") == {}
    until(lambda: len(desk.submitted) == 2)
    assert desk.submitted[1] == {TWO}
    desk.say("begun", turn=None, worker=TWO, problem="there is no data")
    failure = runner.result(STEPS[0]).outcome.failure
    assert failure is not None
    assert (failure.type, f"{TWO}: there is no data" in failure.message) == ("worker", True)


def test_a_task_that_cannot_be_run_is_not_tried_for_ever(desk: Desk, runner: ClusterRunner) -> None:
    """Where workers cannot even take the task, its steps are errors after a few tries."""
    for number in range(1, 6):
        until(partial(is_handed_in, desk, number))
        desk.say(
            "settled", key=f"key-{number}", status="error", died=False, problem="ImportError: no"
        )
    failure = runner.result(STEPS[0]).outcome.failure
    assert failure is not None
    assert "ImportError: no" in failure.message


def test_a_broken_task_is_an_error(desk: Desk, runner: ClusterRunner) -> None:
    """What goes wrong in ours on a worker is the harness' and names the worker."""
    desk.begun("a", ONE)
    desk.ends("a", problem="KeyError: 'x'")
    failure = runner.result(STEPS[0]).outcome.failure
    assert failure is not None
    assert (failure.type, ONE in failure.message) == ("harness", True)


def test_a_worker_can_end_the_run(desk: Desk, runner: ClusterRunner, door: Door) -> None:
    """A refused key there ends the run here: open steps are passed over, tasks are cancelled."""
    desk.begun("a", ONE)
    desk.plays("a", 0)
    desk.ends("a", ended=["the model refused us", "authentication"])
    assert runner.result(STEPS[1]).stopped
    assert not runner.result(STEPS[0]).stopped
    assert door.stopped is not None
    assert door.stopped.kind is Fault.AUTHENTICATION
    assert [task.key for task in desk.cancelled] == ["key-1"]


def test_a_lost_scheduler_ends_the_run(desk: Desk, runner: ClusterRunner, door: Door) -> None:
    """Whoever waits is let go with one reason."""
    desk.begun("a", ONE)
    desk.inbox.put(OSError("connection lost"))
    assert runner.result(STEPS[0]).stopped
    assert f"the scheduler at {desk.address} was lost" in str(door.stopped)


def test_stopping_lets_everybody_go(desk: Desk, runner: ClusterRunner) -> None:
    """After a stop nobody waits, and the cluster's tasks are not wanted."""
    runner.stop()
    with pytest.raises(CancelledError):
        runner.result(STEPS[0])
    assert [task.key for task in desk.cancelled][:1] == ["key-1"]
