"""Graphiti (``graphiti-core``) on Kuzu: a model turns each turn into entities and dated facts.

What is handed over are facts, each with the turns it stands on. Nothing can be stored without a
model; the turns themselves are kept, and listed, but never searched.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import (
    Capabilities,
    MemorySystem,
    OptionValue,
    Package,
    UnknownEntryError,
)

if TYPE_CHECKING:
    from pytest_comem.memory.graphiti_library import Graph
    from pytest_comem.memory.setup import Setup

#: Similarity from which on a fact is found: the library's 0.6 would leave out what every other
#: system may hand over.
MIN_SIMILARITY: Final = -1.0
#: Cache of a database, in bytes, at most. Kuzu's own is four fifths of the machine's memory, for
#: each of the databases open at once; and where it is full, Kuzu 0.11 raises or crashes.
CACHE: Final = 1 << 32
#: Threads of a database: one, so that equally good facts keep one order.
THREADS: Final = 1


@final
class Graphiti(MemorySystem):
    """An episode an entry; the facts nearest to the question, by words and by meaning."""

    capabilities: ClassVar[Capabilities] = Capabilities(
        deletes=True,
        lists=True,
        verbatim=False,
        timestamps=True,
        needs_model=True,
        needs_embedder=True,
    )
    packages = (
        Package("graphiti-core", "graphiti", ">=0.31.2,<0.32"),
        Package("kuzu", "graphiti", ">=0.11.3"),
    )
    fixed: ClassVar[Mapping[str, OptionValue]] = {
        "search methods": "bm25 and cosine similarity, of facts",
        "reranker": "reciprocal rank fusion",
        "cross encoder": "none",
        "sim_min_score": MIN_SIMILARITY,
        "search limit": "top-k",
        "kuzu buffer_pool_size": CACHE,
        "kuzu max_num_threads": THREADS,
    }
    # A full buffer pool of Kuzu's can end the process it is in.
    own_process = True

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._episodes: dict[str, str] = {}
        self._entries: dict[str, Entry] = {}

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Switch telemetry off."""
        os.environ["GRAPHITI_TELEMETRY_ENABLED"] = "false"

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty graph in the set-up's directory."""
        # Where a project turns warnings into errors, the library's own would end the import.
        warnings.filterwarnings("ignore", "Support for class-based `config`")
        from pytest_comem.memory.graphiti_library import Graph

        return cls(Graph(setup))

    def ingest(self, entry: Entry) -> None:
        """Add an episode: the model finds entities and facts, which are merged into the graph."""
        episode = self._graph.add(entry)
        self._episodes[entry.id] = episode
        self._entries[episode] = entry

    def recall(self, query: Query) -> Recall:
        """Return the best facts, also those the library has marked as no longer true."""
        return Recall(
            tuple(
                RecallItem(fact, score, self._ids(episodes), self._speaker(episodes))
                for fact, score, episodes in self._graph.search(query.text, query.top_k)
            )
        )

    def entries(self) -> Sequence[RecallItem]:
        """Return every turn as the library keeps it, with its speaker in front."""
        return [
            RecallItem(text, None, self._ids([episode]), self._speaker([episode]))
            for episode, text in self._graph.episodes()
        ]

    def delete(self, entry_id: str) -> None:
        """Remove an episode and the facts that stand on it alone.

        :raises UnknownEntryError: where there is no such episode.
        """
        if not self._graph.remove(self._episodes.get(entry_id, entry_id)):
            raise UnknownEntryError(entry_id)

    def close(self) -> None:
        """Close the database and the connections to the model."""
        self._graph.close()

    def _ids(self, episodes: Sequence[str]) -> tuple[str, ...]:
        return tuple(self._entries[episode].id for episode in episodes if episode in self._entries)

    def _speaker(self, episodes: Sequence[str]) -> Principal | None:
        """Return who said it, where it was one."""
        said = {self._entries[episode].speaker for episode in episodes if episode in self._entries}
        return said.pop() if len(said) == 1 else None
