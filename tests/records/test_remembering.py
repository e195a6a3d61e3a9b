"""The bounded memory of results of pure work."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from time import sleep

import pytest

from pytest_comem.errors import InfrastructureError
from pytest_comem.records.remembering import Remembered


def test_the_same_work_is_done_once() -> None:
    """By content: the order of an object's fields makes no other work, another value does."""
    known, made = Remembered[int](10), count()
    asked = ({"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 3})
    assert [known.get(parts, lambda: next(made)) for parts in asked] == [0, 0, 1]


def test_what_was_asked_for_longest_ago_is_forgotten() -> None:
    """No more than the bound is kept."""
    known, made = Remembered[str](2), list[str]()

    def ask(name: str) -> None:
        def work() -> str:
            made.append(name)
            return name

        assert known.get(name, work) == name

    for name in ("a", "b", "a", "c", "a", "b"):
        ask(name)
    assert made == ["a", "b", "c", "b"]
    with pytest.raises(ValueError, match="keeps nothing"):
        Remembered[int](0)


def test_what_breaks_is_tried_again() -> None:
    """An infrastructure failure is never remembered."""
    known = Remembered[str](2)

    def broken() -> str:
        raise InfrastructureError("gone", type="sandbox")

    with pytest.raises(InfrastructureError):
        known.get("x", broken)
    assert known.get("x", lambda: "well") == "well"


def test_threads_wait_for_each_other() -> None:
    """Work that several ask for at once is done by one of them."""
    known, made, start = Remembered[int](5), list[int](), Barrier(4)

    def work() -> int:
        sleep(0.02)
        made.append(1)
        return 7

    def ask() -> int:
        start.wait()
        return known.get("x", work)

    with ThreadPoolExecutor(4) as pool:
        found = [each.result() for each in [pool.submit(ask) for _ in range(4)]]
    assert found == [7] * 4
    assert made == [1]
