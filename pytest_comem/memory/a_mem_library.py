"""A-MEM's own parts, put together for one instance; importing this imports the library.

The library takes neither an embedder nor a base URL. Its embedding function is looked up in a
module when an instance is made, and its model is an attribute of every instance.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final, final

import agentic_memory.retrievers
import numpy as np
from agentic_memory.llm_controller import BaseLLMController, LLMController
from agentic_memory.memory_system import AgenticMemorySystem
from chromadb import EmbeddingFunction
from chromadb.utils.embedding_functions import register_embedding_function
from openai import OpenAI

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.memory.setup import Setup

#: Instances are made one at a time, because the embedding function is looked up in a module.
_making: Final = threading.Lock()


def open_library(setup: Setup, failures: FailureLog, *, analyze: bool) -> Any:
    """Return the library's memory on *setup*'s directory.

    :param failures: is told what calling the model raises.
    :param analyze: whether a model describes and links notes.
    """
    key = setup.endpoint.api_key
    with _making:
        original = agentic_memory.retrievers.SentenceTransformerEmbeddingFunction
        agentic_memory.retrievers.SentenceTransformerEmbeddingFunction = lambda model_name: (
            RunEmbedding(setup.embedder)
        )
        try:
            memory = AgenticMemorySystem(
                llm_backend="openai",
                llm_model=setup.endpoint.chat_model,
                api_key=key,
                storage_path=str(setup.directory.resolve()),
            )
        finally:
            agentic_memory.retrievers.SentenceTransformerEmbeddingFunction = original
    controller: LLMController = memory.llm_controller
    controller.llm.client.close()
    if analyze:
        controller.llm.client = OpenAI(api_key=key, base_url=setup.endpoint.chat_url)
        controller.llm = WatchedModel(controller.llm, failures)
    else:
        controller.llm = NoModel()
    return memory


@final
class FailureLog:
    """Remembers what the library swallows."""

    def __init__(self) -> None:
        self._first: Exception | None = None

    def note(self, failure: Exception) -> None:
        """Remember the first failure since the last one was raised."""
        self._first = self._first or failure

    def raise_first(self) -> None:
        """Raise what was noted, once."""
        first, self._first = self._first, None
        if first is not None:
            raise first


@final
class WatchedModel(BaseLLMController):  # type: ignore[misc]
    """The library's own controller, and a note of each call that failed."""

    def __init__(self, controller: Any, failures: FailureLog) -> None:
        self._controller = controller
        self._failures = failures

    def get_completion(
        self, prompt: str, response_format: Any = None, temperature: float = 1.0
    ) -> str:
        """Return what the model says; the library catches what this raises."""
        try:
            reply: str = self._controller.get_completion(prompt, response_format, temperature)
        except Exception as error:
            self._failures.note(error)
            raise
        return reply

    def close(self) -> None:
        """Close the connections."""
        self._controller.client.close()


@final
class NoModel(BaseLLMController):  # type: ignore[misc]
    """Describes nothing and links nothing."""

    def get_completion(
        self, prompt: str, response_format: Any = None, temperature: float = 1.0
    ) -> str:
        """Return the reply that leaves a note and its neighbours as they are."""
        return '{"should_evolve": false}'

    def close(self) -> None:
        """Do nothing: there is no connection."""


@final
@register_embedding_function
class RunEmbedding(EmbeddingFunction[Any]):  # type: ignore[misc]
    """The run's embedder, as Chroma takes it.

    :param embedder: ``None`` where Chroma only reads a stored configuration.
    """

    def __init__(self, embedder: Embedder | None = None) -> None:
        self._embedder = embedder

    def __call__(self, input: Any) -> Any:
        """Return one vector a text."""
        if self._embedder is None:
            raise RuntimeError("this embedding function was read from a file; it has no embedder")
        return [np.array(vector, np.float32) for vector in self._embedder.embed(list(input))]

    @staticmethod
    def name() -> str:
        """Name in stored configurations."""
        return "comem_run_embedder"

    def default_space(self) -> Any:
        """Return the distance, the same as of the embedding function this one stands for."""
        return "cosine"

    def get_config(self) -> dict[str, Any]:
        """Return what is stored with the collection."""
        return {}

    @staticmethod
    def build_from_config(config: dict[str, Any]) -> RunEmbedding:
        """Return a stand-in; the embedder itself is not stored."""
        return RunEmbedding()
