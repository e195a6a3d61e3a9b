"""The run's embedder as mem0 takes it, and what mem0 would keep to itself when that fails.

Extracting, mem0 embeds what its model found all at once. Where that raises it tries text by text,
logs what still fails, and reports the rest as if it were all.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder


@final
class EmbeddingFailures:
    """The texts of one instance that could not be embedded; mem0 may embed on several threads."""

    def __init__(self) -> None:
        self._failures: dict[str, Exception] = {}
        self._lock = threading.Lock()

    def note(self, text: str, failure: Exception) -> None:
        """Remember that embedding *text* failed."""
        with self._lock:
            self._failures.setdefault(text, failure)

    def forget(self, text: str) -> None:
        """Embedding *text* worked, perhaps at the second attempt."""
        with self._lock:
            self._failures.pop(text, None)

    def clear(self) -> None:
        """Forget what an earlier call left; it raised then."""
        with self._lock:
            self._failures.clear()

    def raise_first(self) -> None:
        """Raise the first failure that was not made up for, once."""
        with self._lock:
            failures = list(self._failures.values())
            self._failures.clear()
        if failures:
            raise failures[0]


def embeddings(embedder: Embedder, failures: EmbeddingFailures) -> object:
    """Return *embedder* as the object that mem0's ``langchain`` provider takes.

    :param failures: is told of every text that could not be embedded.
    """
    from langchain.embeddings.base import Embeddings

    class OurEmbeddings(Embeddings):  # type: ignore[misc]
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [self.embed_query(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            try:
                (vector,) = embedder.embed([text])
            except Exception as failure:
                failures.note(text, failure)
                raise
            failures.forget(text)
            return vector

    return OurEmbeddings()
