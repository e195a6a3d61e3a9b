"""One value that a thread makes and another one waits for."""

from __future__ import annotations

import threading
from concurrent.futures import CancelledError

import pytest

from pytest_comem.engine.awaited import Awaited


def test_everybody_who_waits_gets_the_value() -> None:
    """Several threads wait before it is there; those who ask later need not wait."""
    awaited: Awaited[str] = Awaited()
    got: list[str] = []
    waiting = [threading.Thread(target=lambda: got.append(awaited.result())) for _ in range(3)]
    for thread in waiting:
        thread.start()
    assert not awaited.done()
    awaited.set_result("value")
    for thread in waiting:
        thread.join(10)
    assert [*got, awaited.result(timeout=0)] == ["value"] * 4
    assert awaited.done()


def test_what_is_given_up_is_told_to_those_who_wait() -> None:
    """Nobody waits for ever; a value that is there already stays."""
    awaited: Awaited[str] = Awaited()
    told: list[bool] = []

    def wait() -> None:
        with pytest.raises(CancelledError):
            awaited.result()
        told.append(True)

    thread = threading.Thread(target=wait)
    thread.start()
    awaited.cancel()
    thread.join(10)
    assert told
    with pytest.raises(CancelledError):
        awaited.result()
    there: Awaited[str] = Awaited()
    there.set_result("value")
    there.cancel()
    assert there.result() == "value"


def test_a_value_is_set_once() -> None:
    """A second one is refused, also after it was given up."""
    awaited: Awaited[str] = Awaited()
    awaited.set_result("value")
    with pytest.raises(RuntimeError):
        awaited.set_result("other")
    awaited = Awaited()
    awaited.cancel()
    with pytest.raises(RuntimeError):
        awaited.set_result("late")


def test_waiting_may_have_an_end() -> None:
    """It can be waited for again afterwards."""
    awaited: Awaited[str] = Awaited()
    with pytest.raises(TimeoutError):
        awaited.result(timeout=0.01)
    awaited.set_result("value")
    assert awaited.result(timeout=0.01) == "value"
