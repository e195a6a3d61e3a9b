"""What an entry and a question cost as an episode grows: asking must not index anew."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import linear_regression, median
from typing import Final

from benchmarks.measure import Row, Wanted
from pytest_comem.core.entries import Entry, Query
from pytest_comem.datasets.governance import GovernanceEpisode
from pytest_comem.datasets.synthetic import generate
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.bm25 import BM25
from pytest_comem.memory.rag import Rag
from pytest_comem.memory.rag_governed import RagGoverned
from pytest_comem.memory.rag_policy import RagPolicy

LENGTHS: Final = (250, 500, 1000, 2000)
SYSTEMS: Final[dict[str, Callable[[], MemorySystem]]] = {
    "bm25": BM25,
    "rag": lambda: Rag(HashEmbedder()),
    "rag-policy": RagPolicy,
    "rag-governed": RagGoverned,
}
#: Questions asked in an episode, spread over it evenly, whatever its length.
_ASKED: Final = 50
_TOP_K: Final = 20


@dataclass(frozen=True, slots=True)
class Material:
    """One long conversation and questions about it."""

    entries: Sequence[Entry]
    queries: Sequence[Query]


def section(wanted: Wanted) -> Iterator[Row]:
    """Play growing episodes; exponents are slopes of a line through the logarithms.

    Of all entries of an episode together: 1 is linear. Of one question: 0 is constant, 1 linear.
    """
    material = long_conversation(max(LENGTHS))
    for name, make in SYSTEMS.items():
        found: dict[int, list[tuple[float, float]]] = {length: [] for length in LENGTHS}
        for number in range(wanted.repeats + 1):
            for length in LENGTHS:
                seconds = play(make(), material, length)
                if number:
                    found[length].append(seconds)
        entries = [median(entry for entry, _ in found[length]) for length in LENGTHS]
        asks = [median(ask for _, ask in found[length]) for length in LENGTHS]
        for length, all_entries, all_asks in zip(LENGTHS, entries, asks, strict=True):
            figures = {"entry_us": all_entries / length * 1e6, "ask_us": all_asks / _ASKED * 1e6}
            if length == max(LENGTHS):
                figures["entries_exponent"] = exponent(LENGTHS, entries)
                figures["asks_exponent"] = exponent(LENGTHS, asks)
            yield Row(f"{name}, {length} entries", figures)


def play(memory: MemorySystem, material: Material, length: int) -> tuple[float, float]:
    """Return the CPU seconds that all entries took, and all questions asked between them."""
    ingesting = asking = 0.0
    asked = 0
    for number, entry in enumerate(material.entries[:length], start=1):
        started = time.thread_time()
        memory.ingest(entry)
        ingesting += time.thread_time() - started
        while asked * length < number * _ASKED:
            query = material.queries[asked % len(material.queries)]
            started = time.thread_time()
            memory.recall(query)
            asking += time.thread_time() - started
            asked += 1
    return ingesting, asking


def exponent(lengths: Sequence[int], seconds: Sequence[float]) -> float:
    """Return the power of the length that the seconds grow with."""
    return linear_regression([math.log(x) for x in lengths], [math.log(y) for y in seconds]).slope


def long_conversation(length: int) -> Material:
    """Return fresh episodes of one domain, one after the other, with their questions."""
    episodes: tuple[GovernanceEpisode, ...] = ()
    while sum(len(episode.entries) for episode in episodes) < length:
        data = generate(2 * len(episodes) or 8, 0, domains=("medical",))
        episodes = data.episodes
    told = list(chain.from_iterable(episode.entries for episode in episodes))
    entries = [replace(entry, id=f"t{number}") for number, entry in enumerate(told)][:length]
    queries = [
        Query(
            text=checkpoint.question,
            requester=checkpoint.requester,
            relationships=episode.facts_about(checkpoint.requester.id),
            policy=data.policies[episode.domain],
            top_k=_TOP_K,
        )
        for episode in episodes
        for checkpoint in episode.checkpoints
    ]
    return Material(entries, queries[:_ASKED])
