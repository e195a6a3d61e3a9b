"""Graphiti's own parts, put together for one instance; importing this imports the library."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, final

import kuzu
from graphiti_core import Graphiti
from graphiti_core.cross_encoder.client import CrossEncoderClient
from graphiti_core.driver.driver import GraphProvider
from graphiti_core.driver.kuzu_driver import KuzuDriver
from graphiti_core.embedder.client import EmbedderClient
from graphiti_core.errors import NodeNotFoundError
from graphiti_core.graph_queries import get_fulltext_indices
from graphiti_core.llm_client.config import LLMConfig
from graphiti_core.llm_client.openai_generic_client import OpenAIGenericClient
from graphiti_core.nodes import EpisodeType
from graphiti_core.search.search_config import (
    EdgeReranker,
    EdgeSearchConfig,
    EdgeSearchMethod,
    SearchConfig,
)

from pytest_comem.memory.clock import stated_time
from pytest_comem.memory.graphiti import CACHE, MIN_SIMILARITY, THREADS

if TYPE_CHECKING:
    from pytest_comem.core.entries import Entry
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup

#: The time of entries that have none that can be read; the library wants one.
_SOME_TIME: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LAST_TIME: Final = datetime(9999, 1, 1, tzinfo=UTC)
_ALL: Final = 1_000_000


@final
class Graph:
    """One graph with an event loop of its own, used by one thread.

    :param setup: gives directory, embedder and model.
    """

    def __init__(self, setup: Setup) -> None:
        self._loop = asyncio.Runner()
        self._driver = _driver(str(setup.directory / "graph.kuzu"))
        endpoint = setup.endpoint
        self._model = OpenAIGenericClient(
            LLMConfig(
                api_key=endpoint.api_key,
                model=endpoint.chat_model,
                small_model=endpoint.chat_model,
                base_url=endpoint.chat_url,
            )
        )
        self._graphiti = Graphiti(
            graph_driver=self._driver,
            llm_client=self._model,
            embedder=RunEmbedder(setup.embedder),
            cross_encoder=NoCrossEncoder(),
        )
        self._loop.run(self._index())

    def add(self, entry: Entry) -> str:
        """Add an episode and return the library's id of it."""
        result = self._loop.run(
            self._graphiti.add_episode(
                name=entry.id,
                episode_body=f"{entry.speaker.id}: {entry.text}",
                source_description=entry.kind or "dialogue",
                reference_time=_time(entry.timestamp),
                source=EpisodeType.message,
            )
        )
        return str(result.episode.uuid)

    def search(self, text: str, count: int) -> list[tuple[str, float, list[str]]]:
        """Return facts, best first, each with its score and the ids of its episodes."""
        config = SearchConfig(
            edge_config=EdgeSearchConfig(
                search_methods=[EdgeSearchMethod.bm25, EdgeSearchMethod.cosine_similarity],
                reranker=EdgeReranker.rrf,
                sim_min_score=MIN_SIMILARITY,
            ),
            limit=count,
        )
        found = self._loop.run(self._graphiti.search_(text, config))
        return [
            (edge.fact, float(score), list(edge.episodes))
            for edge, score in zip(found.edges, found.edge_reranker_scores, strict=True)
        ]

    def episodes(self) -> list[tuple[str, str]]:
        """Return id and content of every episode, in the order of their times."""
        found = self._loop.run(self._graphiti.retrieve_episodes(_LAST_TIME, last_n=_ALL))
        return [(episode.uuid, episode.content) for episode in found]

    def remove(self, episode: str) -> bool:
        """Remove an episode; return whether there was one."""
        try:
            self._loop.run(self._graphiti.remove_episode(episode))
        except NodeNotFoundError:
            return False
        return True

    def close(self) -> None:
        """Close model, database and event loop."""
        self._loop.run(self._model.client.close())
        self._loop.run(self._graphiti.close())
        self._driver.client.close()
        self._driver.db.close()
        self._loop.close()

    async def _index(self) -> None:
        # The driver's own build_indices_and_constraints() does nothing for Kuzu.
        for query in get_fulltext_indices(GraphProvider.KUZU):
            await self._driver.execute_query(query)


@final
class RunEmbedder(EmbedderClient):  # type: ignore[misc]
    """The run's embedder, as Graphiti takes it."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def create(
        self, input_data: str | list[str] | Iterable[int] | Iterable[Iterable[int]]
    ) -> list[float]:
        """Return the vector of one text."""
        text = input_data if isinstance(input_data, str) else next(iter(input_data))
        (vector,) = self._embedder.embed([str(text)])
        return vector

    async def create_batch(self, input_data_list: list[str]) -> list[list[float]]:
        """Return one vector a text."""
        return self._embedder.embed(input_data_list)


@final
class NoCrossEncoder(CrossEncoderClient):  # type: ignore[misc]
    """Stands where the library would otherwise make a client of a service elsewhere."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        """Never called: the search fuses ranks."""
        raise NotImplementedError


def _driver(path: str) -> Any:
    warnings.filterwarnings("ignore", "The Kuzu backend is deprecated")
    # It takes no settings of a database, so the one it makes gives way to ours.
    driver = KuzuDriver()
    driver.client.close()
    driver.db.close()
    driver.db = kuzu.Database(path, buffer_pool_size=CACHE, max_num_threads=THREADS)
    driver.setup_schema()
    driver.client = kuzu.AsyncConnection(driver.db, max_concurrent_queries=1)
    # The library compares it with the group of an episode, and its Kuzu driver never sets it.
    driver._database = ""
    return driver


def _time(timestamp: str | None) -> datetime:
    stated = stated_time(timestamp) or _SOME_TIME
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)
