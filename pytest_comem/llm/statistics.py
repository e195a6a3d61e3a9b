"""What a run's calls came to, summed over threads and, at the end, over processes."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from typing import Any, final

from pytest_comem.core.outcomes import sum_of_costs
from pytest_comem.llm.faults import Fault


@final
class CallStatistics:
    """Counts of one process.

    :ivar calls: calls that a model answered.
    :ivar retries: failed attempts that were tried again, by type of fault.
    :ivar embedded: texts embedded by a model.
    :ivar embedding_tokens: tokens of these texts.
    :ivar embedding_cost: US dollars, or ``None`` as soon as a price is unknown.
    :ivar hits: calls answered by a cassette.
    :ivar misses: calls that a cassette did not hold.
    :ivar recorded: calls written to a cassette.
    :ivar peak: calls in flight at once to one provider, at most.
    :ivar unreported: processes that died without saying what they had called.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.calls = 0
        self.retries: Counter[str] = Counter()
        self.embedded = 0
        self.embedding_tokens = 0
        self.embedding_cost: float | None = 0.0
        self.hits = 0
        self.misses = 0
        self.recorded = 0
        self.peak = 0
        self.unreported = 0

    def called(self) -> None:
        """Count an answered call."""
        with self._lock:
            self.calls += 1

    def retried(self, kind: Fault) -> None:
        """Count a failed attempt that is tried again."""
        with self._lock:
            self.retries[str(kind)] += 1

    def embedded_texts(self, texts: int, tokens: int, cost: float | None) -> None:
        """Count one batch of embeddings."""
        with self._lock:
            self.embedded += texts
            self.embedding_tokens += tokens
            self.embedding_cost = sum_of_costs(self.embedding_cost, cost)

    def as_json(self) -> dict[str, Any]:
        """Return the counts as plain values, for the manifest and between processes."""
        with self._lock:
            return {
                "calls": self.calls,
                "retries": dict(sorted(self.retries.items())),
                "embedded": self.embedded,
                "embedding_tokens": self.embedding_tokens,
                "embedding_cost": self.embedding_cost,
                "hits": self.hits,
                "misses": self.misses,
                "recorded": self.recorded,
                "peak": self.peak,
                "unreported": self.unreported,
            }

    def merge(self, other: Mapping[str, Any]) -> None:
        """Add the counts of another process, as :meth:`as_json` gave them."""
        with self._lock:
            self.calls += other["calls"]
            self.retries.update(other["retries"])
            self.embedded += other["embedded"]
            self.embedding_tokens += other["embedding_tokens"]
            for name in ("hits", "misses", "recorded", "unreported"):
                setattr(self, name, getattr(self, name) + other[name])
            # Each process has limits of its own.
            self.peak += other["peak"]
            self.embedding_cost = sum_of_costs(self.embedding_cost, other["embedding_cost"])
