"""Things that take too long."""

from __future__ import annotations

import threading

from pytest_comem.engine.watchdog import Watchdog

LONG = 3600.0


def test_what_takes_too_long_is_called_back_once() -> None:
    """The callback comes from another thread, and only once."""
    dog = Watchdog()
    called: list[str] = []
    done = threading.Event()

    def expired() -> None:
        called.append(threading.current_thread().name)
        done.set()

    watch = dog.watch(0.01, expired)
    assert done.wait(10)
    watch.expire()
    dog.stop()
    assert called == ["comem-watchdog"]
    assert watch.is_over


def test_what_is_done_does_not_expire() -> None:
    """An ended watch is silent, also when its time comes afterwards."""
    dog = Watchdog()
    called: list[str] = []
    ended = dog.watch(0.05, lambda: called.append("ended"))
    ended.end()
    later = threading.Event()
    dog.watch(0.1, later.set)
    assert later.wait(10)
    assert called == []
    dog.stop()


def test_the_shortest_comes_first_whenever_it_was_asked_for() -> None:
    """A watch asked for later with less time does not wait for an earlier one."""
    dog = Watchdog()
    order: list[str] = []
    both = threading.Semaphore(0)

    def note(name: str) -> None:
        order.append(name)
        both.release()

    dog.watch(LONG, lambda: note("never"))
    dog.watch(0.2, lambda: note("second"))
    dog.watch(0.01, lambda: note("first"))
    assert both.acquire(timeout=10)
    assert both.acquire(timeout=10)
    dog.stop()
    assert order == ["first", "second"]


def test_many_ended_watches_are_forgotten() -> None:
    """What is done costs nothing when the next one is looked at."""
    dog = Watchdog()
    for _ in range(1000):
        dog.watch(0.05, lambda: None).end()
    woken = threading.Event()
    dog.watch(0.1, woken.set)
    assert woken.wait(10)
    assert len(dog._watches) == 0
    dog.stop()
