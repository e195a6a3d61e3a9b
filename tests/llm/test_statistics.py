"""Sums over threads and processes."""

from __future__ import annotations

from pytest_comem.llm.faults import Fault
from pytest_comem.llm.statistics import CallStatistics


def test_two_processes_add_up() -> None:
    """Counts add, retries by type, and a price unknown to one is unknown to both."""
    one, other = CallStatistics(), CallStatistics()
    one.called()
    one.retried(Fault.TIMEOUT)
    one.embedded_texts(2, 20, 0.5)
    other.called()
    other.retried(Fault.TIMEOUT)
    other.retried(Fault.RATE_LIMIT)
    other.embedded_texts(3, 30, None)
    one.merge(other.as_json())
    found = one.as_json()
    assert found["calls"] == 2
    assert found["retries"] == {"rate_limit": 1, "timeout": 2}
    assert (found["embedded"], found["embedding_tokens"]) == (5, 50)
    assert found["embedding_cost"] is None


def test_workers_recordings_and_peaks_add_up() -> None:
    """Each process has recordings and limits of its own."""
    one, other = CallStatistics(), CallStatistics()
    one.hits, one.misses, one.recorded, one.peak = 1, 2, 3, 4
    other.hits, other.misses, other.recorded, other.peak = 10, 20, 30, 40
    one.merge(other.as_json())
    found = one.as_json()
    names = ("hits", "misses", "recorded", "peak")
    assert tuple(found[name] for name in names) == (11, 22, 33, 44)
