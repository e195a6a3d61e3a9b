"""Work on a bounded number of threads."""

from __future__ import annotations

import threading

import pytest

from pytest_comem.engine.side_by_side import SideBySide
from pytest_comem.errors import InfrastructureError


def test_work_is_done_at_once_up_to_the_bound() -> None:
    """Two wait for each other on two threads; a third begins when one of them is through."""
    pool = SideBySide(2)
    meeting = threading.Barrier(2, timeout=20)
    release = threading.Event()
    first = pool.begin(meeting.wait)
    second = pool.begin(lambda: (meeting.wait(), release.wait(20)))
    assert first.result() in (0, 1)
    assert pool.begin(lambda: "third").result() == "third"
    assert not second.is_done()
    release.set()
    second.result()


def test_never_more_than_the_bound_at_once() -> None:
    """Twenty pieces of work on three threads."""
    lock, running, most = threading.Lock(), 0, 0

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        threading.Event().wait(0.002)
        with lock:
            running -= 1

    pool = SideBySide(3)
    for one in [pool.begin(work) for _ in range(20)]:
        one.result()
    assert 1 <= most <= 3


def test_what_work_raises_is_raised_where_it_is_asked_for() -> None:
    """Also what is no ordinary error; the thread goes on with the next."""
    pool = SideBySide(1)

    def leave() -> None:
        raise SystemExit("enough")

    broken = pool.begin(leave)
    assert pool.begin(lambda: 1).result() == 1
    with pytest.raises(SystemExit, match="enough"):
        broken.result()


def test_what_is_given_up_is_not_begun() -> None:
    """Work that waits is taken back; its neighbours are done."""
    pool, release, begun = SideBySide(1), threading.Event(), []
    first = pool.begin(lambda: release.wait(20))
    second, third = pool.begin(lambda: begun.append(2)), pool.begin(lambda: begun.append(3))
    pool.give_up(second)
    release.set()
    first.result()
    third.result()
    assert begun == [3]


def test_what_is_abandoned_leaves_its_place() -> None:
    """Who waits for it is told so, the next begins, and its thread ends when it comes to."""
    pool, release, begun = SideBySide(1), threading.Event(), threading.Event()

    def hang() -> str:
        begun.set()
        release.wait(20)
        return "late"

    hung = pool.begin(hang)
    after = pool.begin(lambda: "after")
    assert begun.wait(20)
    hung.abandon()
    hung.abandon()
    assert after.result() == "after"
    with pytest.raises(InfrastructureError, match="it was abandoned"):
        hung.result()
    release.set()
    assert hung.thread
    hung.thread.join(20)
    assert not hung.thread.is_alive()
    assert hung.outcome() is None
    assert pool.begin(lambda: "again").result() == "again"


def test_what_is_done_cannot_be_abandoned() -> None:
    """Its result stays, and no place is counted twice."""
    pool = SideBySide(1)
    work = pool.begin(lambda: 1)
    assert work.result() == 1
    work.abandon()
    assert work.result() == 1
    meeting = threading.Barrier(2)
    alone = [pool.begin(lambda: meeting.wait(0.2)) for _ in range(2)]
    for one in alone:
        with pytest.raises(threading.BrokenBarrierError):
            one.result()


def test_a_closed_pool_begins_nothing() -> None:
    """What waits is refused, and so is what comes later; what has begun is waited for."""
    pool, release, begun = SideBySide(1), threading.Event(), threading.Event()

    def finish() -> None:
        begun.set()
        release.wait(20)

    first = pool.begin(finish)
    waiting = pool.begin(lambda: "never")
    assert begun.wait(20)
    threading.Timer(0.05, release.set).start()
    pool.close(20)
    assert first.is_done()
    for refused in (waiting, pool.begin(lambda: "never")):
        with pytest.raises(InfrastructureError, match="the run is over"):
            refused.result()
