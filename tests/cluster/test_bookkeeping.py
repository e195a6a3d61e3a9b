"""What workers have called is counted where the run was started."""

from __future__ import annotations

from typing import Any

import made_outcomes

from pytest_comem.cluster.bookkeeping import Bookkeeping
from pytest_comem.core.outcomes import Usage
from pytest_comem.llm.budget import Budget
from pytest_comem.llm.door import Door
from pytest_comem.llm.statistics import CallStatistics


def calls(number: int, tokens: int = 0) -> dict[str, Any]:
    """Return what a process reports."""
    found = CallStatistics()
    for _ in range(number):
        found.called()
    found.embedded_texts(1, tokens, 0.0)
    return found.as_json()


def test_the_latest_report_of_a_process_counts() -> None:
    """Processes add up; of one process only the last report counts, whatever comes when."""
    books = Bookkeeping(Door(), replayed=False)
    books.report("a", 2, calls(5))
    books.report("a", 1, calls(3))
    books.report("b", 1, calls(2))
    books.lost.add("tcp://10.0.0.1:1")
    assert (books.statistics.calls, books.statistics.unreported) == (7, 1)


def test_a_bound_is_kept_over_all_workers() -> None:
    """Calls of steps and embeddings add up to a bound; words and replayed calls cost nothing."""
    door = Door(budget=Budget(max_tokens=100))
    books = Bookkeeping(door, replayed=False)
    books.add(made_outcomes.made(1, True, usage={"answer": Usage(tokens=500)}))
    replayed = Bookkeeping(door, replayed=True)
    replayed.add(made_outcomes.made(1, True, usage={"answer": Usage(tokens=500, calls=1)}))
    books.add(made_outcomes.made(2, True, usage={"answer": Usage(tokens=60, calls=1)}))
    books.report("a", 1, calls(1, tokens=30))
    books.report("a", 2, calls(1, tokens=30))
    assert door.stopped is None
    books.report("b", 1, calls(1, tokens=10))
    assert "100 of --comem-max-tokens 100" in str(door.stopped)


def test_an_unknown_price_ends_a_run_that_has_a_bound() -> None:
    """What nobody can price cannot be kept under a bound."""
    door = Door(budget=Budget(max_cost=1.0))
    usage = {"answer": Usage(tokens=1, calls=1, cost=None)}
    Bookkeeping(door, replayed=False).add(made_outcomes.made(1, True, usage=usage))
    assert "price" in str(door.stopped)
