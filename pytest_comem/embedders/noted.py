"""An embedder whose failures are known to the engine, whatever a library makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from pytest_comem.embedders.base import Embedder
from pytest_comem.llm.faults import ModelCallError
from pytest_comem.llm.meter import Meter


@final
class NotedEmbedder:
    """Another embedder, as one memory instance has it.

    :param meter: is told of calls that failed for good: a library may catch the error, go on, and
        find less than it would have found.
    """

    def __init__(self, inner: Embedder, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    @property
    def name(self) -> str:
        """Name of the embedder behind."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text.

        :raises ModelCallError: where the call failed for good.
        """
        try:
            return self._inner.embed(texts)
        except ModelCallError as error:
            self._meter.fail(error)
            raise
