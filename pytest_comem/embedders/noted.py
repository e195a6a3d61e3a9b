"""An embedder whose failures are known to the engine, whatever a library makes of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from pytest_comem.embedders.base import Embedder
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter
from pytest_comem.secrets import without_secrets


@final
class NotedEmbedder:
    """Another embedder, as one memory instance has it.

    :param meter: is told of everything that failed for good: a library may catch the error, go on,
        and find less than it would have found.
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

        :raises Exception: whatever the embedder behind raises.
        """
        try:
            return self._inner.embed(texts)
        except Exception as error:
            self._meter.fail(self._as_failed_call(error))
            raise

    def _as_failed_call(self, error: Exception) -> ModelCallError:
        if isinstance(error, ModelCallError):
            return error
        what = without_secrets(f"{type(error).__name__}: {error}")
        return ModelCallError(f"the embedder {self.name} failed: {what}", Fault.SERVER_ERROR)
