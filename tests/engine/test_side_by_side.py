"""Work on a bounded number of threads."""

from __future__ import annotations

import threading

import pytest

from pytest_comem.engine.side_by_side import SideBySide


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
