"""How many calls are in flight."""

from __future__ import annotations

import threading

from pytest_comem.llm.throttle import START, Throttle


class Clock:
    """Time that stands still until it is told."""

    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.time


def yes() -> bool:
    """The run goes on."""
    return True


def test_it_starts_moderate_and_doubles_in_a_round_trip() -> None:
    """As many successes as calls in flight double the limit, up to the most."""
    throttle = Throttle(80)
    for expected in (2 * START, 4 * START, 80):
        for _ in range(throttle.limit):
            throttle.succeeded()
        assert throttle.limit == expected


def test_a_refusal_halves_it_once_for_calls_that_were_in_flight_together() -> None:
    """Sixteen refusals of one burst halve the limit once, a later one again."""
    clock = Clock()
    throttle = Throttle(64, start=32, clock=clock)
    sent = clock.time
    clock.time += 1
    for _ in range(16):
        throttle.refused(sent, None)
    assert throttle.limit == 16
    sent = clock.time + 0.5
    clock.time += 1
    throttle.refused(sent, None)
    assert throttle.limit == 8


def test_after_a_refusal_it_grows_by_one_in_a_round_trip() -> None:
    """Careful growth, so that the limit settles below what was too much."""
    throttle = Throttle(64, start=32, clock=Clock())
    throttle.refused(200.0, None)
    assert throttle.limit == 16
    for _ in range(16):
        throttle.succeeded()
    assert throttle.limit == 16
    throttle.succeeded()
    assert throttle.limit == 17


def test_it_never_goes_below_one() -> None:
    """Whatever is refused, one call at a time stays allowed."""
    clock = Clock()
    throttle = Throttle(4, clock=clock)
    for _ in range(20):
        clock.time += 1
        throttle.refused(clock.time, None)
        clock.time += 1
    assert throttle.limit == 1


def test_no_more_than_the_limit_are_in_flight() -> None:
    """With room for two, of twenty threads that all want in never three are inside."""
    throttle = Throttle(2, start=2)
    looked, leave = threading.Semaphore(0), threading.Event()
    entered: list[bool] = []

    def looking() -> bool:
        looked.release()
        return True

    def call() -> None:
        with throttle.slot(looking) as inside:
            entered.append(inside)
            leave.wait(10)

    threads = [threading.Thread(target=call) for _ in range(20)]
    for thread in threads:
        thread.start()
    # Nobody leaves before everybody has looked for room.
    assert all(looked.acquire(timeout=10) for _ in threads)
    leave.set()
    for thread in threads:
        thread.join(10)
    assert entered == [True] * 20
    assert throttle.peak == 2
    assert throttle.in_flight == 0


def test_whoever_waits_leaves_when_the_run_ends() -> None:
    """A call without room does not outlive the run."""
    throttle = Throttle(1)
    going = threading.Event()
    going.set()
    left: list[bool] = []

    def call() -> None:
        with throttle.slot(going.is_set) as entered:
            left.append(entered)

    with throttle.slot(yes):
        thread = threading.Thread(target=call)
        thread.start()
        going.clear()
        throttle.wake()
        thread.join(10)
    assert left == [False]


def test_a_pause_holds_everyone() -> None:
    """While the provider wants a pause nobody enters; afterwards they do."""
    clock = Clock()
    throttle = Throttle(8, clock=clock)
    throttle.refused(clock.time, 30.0)
    asked = iter([True, False])
    with throttle.slot(lambda: next(asked)) as entered:
        assert not entered
    clock.time += 31.0
    with throttle.slot(yes) as entered:
        assert entered
