"""Stand-ins for ContextWeave: a memory that counts, and an agent that is watched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from threading import Lock

from systems import system_called, workshop

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.office.base import Shown, Trajectory, Workbench
from pytest_comem.office.offline_agent import OfflineAgent


class Counting(MemorySystem):
    """Recalls nothing, and counts what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.at: list[int] = []

    def ingest(self, entry: Entry) -> None:
        """Note the entry."""
        self.told.append(entry.id)

    def recall(self, query: Query) -> Recall:
        """Note when it is asked."""
        self.at.append(len(self.told))
        return Recall()


def system_of(make: Callable[[], MemorySystem], name: str = "own") -> SystemUnderTest:
    """Return a memory system that is made so."""
    none = system_called("none")
    return replace(none, factory=make, info=replace(none.info, name=name), workshop=workshop())


class Agent:
    """The offline agent, watched.

    :param before: called before it works.
    :param is_idle: it does nothing at all, so that its tasks are over at once.
    """

    name, version = "watched", "1"

    def __init__(
        self,
        before: Callable[[Shown, Workbench], None] = lambda *_: None,
        *,
        is_idle: bool = False,
    ) -> None:
        self._is_idle = is_idle
        self.runs: Counter[tuple[str, bool]] = Counter()
        self._before = before
        self._lock = Lock()

    def missing(self, shown: Shown) -> str | None:
        """Return nothing: it does every task."""
        return None

    def work(self, shown: Shown, bench: Workbench, meter: Meter) -> Trajectory:
        """Count the run, and let the offline agent do it."""
        with self._lock:
            self.runs[shown.task.task_id, bool(shown.passages)] += 1
        self._before(shown, bench)
        return Trajectory() if self._is_idle else OfflineAgent().work(shown, bench, meter)
