from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self

import pytest
from systems import workshop
from toy_memories import ALL, Rude, Toy

from pytest_comem.contract.journal import Call, OutOfOrder, Step
from pytest_comem.contract.performer import Performer
from pytest_comem.core.entries import Entry
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup

TEXTS = [[f"The door code is {word}."] for word in ("bakudo", "dozolo", "fugato", "gatuba")]


def in_threads(toy: type[Toy], root: Path) -> Sequence[Any]:
    """Return what goes wrong where a class is told texts in threads."""
    make: Any = toy
    info = SystemInfo("toy", "1", "", False, 20)
    performer = Performer(SystemUnderTest(info, ALL, make, {}, workshop(root), "toy"))
    try:
        return performer.perform(Step(Call.THREADS, "m", {"texts": TEXTS}))
    finally:
        performer.close()


def opening_that(fail: Callable[[], None]) -> type[Toy]:
    """Return a class whose third instance does something when it is opened."""
    numbers = itertools.count(1)

    class Failing(Toy):
        @classmethod
        def open(cls, setup: Setup) -> Self:
            if next(numbers) == 3:
                fail()
            return super().open(setup)

    return Failing


def test_all_write_at_once_and_lose_nothing(tmp_path: Path) -> None:
    """Every thread has its memory open before the first writes."""
    opened: list[int] = []
    seen: list[int] = []

    class Counts(Toy):
        @classmethod
        def open(cls, setup: Setup) -> Self:
            opened.append(threading.get_ident())
            return super().open(setup)

        def ingest(self, entry: Entry) -> None:
            seen.append(len(opened))
            super().ingest(entry)

    assert in_threads(Counts, tmp_path) == []
    assert seen == [4] * 4


def test_a_memory_that_does_not_open_is_the_only_one_named(tmp_path: Path) -> None:
    """The others, which waited for it, do not hide the cause."""

    def fail() -> None:
        raise Rude("no third")

    assert in_threads(opening_that(fail), tmp_path) == ["raised Rude: no third"]


@pytest.mark.parametrize("part", ["provider", "adapter"])
def test_only_what_the_adapter_raises_is_the_librarys(tmp_path: Path, part: str) -> None:
    """Trouble around the library is an error of the run in threads as well."""

    def fail() -> None:
        raise InfrastructureError("no answer", type=part)

    if part == "adapter":
        assert in_threads(opening_that(fail), tmp_path) == ["raised InfrastructureError: no answer"]
    else:
        with pytest.raises(OutOfOrder, match="no answer"):
            in_threads(opening_that(fail), tmp_path)
