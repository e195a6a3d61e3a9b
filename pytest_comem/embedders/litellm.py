"""Any provider's embedding model, called through the door like every other model."""

from __future__ import annotations

import math
import threading
from array import array
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.faults import Fault, ModelCallError

if TYPE_CHECKING:
    from pytest_comem.llm.door import Door

#: Texts of one call; providers allow about a hundred.
BATCH: Final = 64
_PROBE: Final = "dimensions"


@final
class LiteLLMEmbedder:
    """An embedding model called ``provider/model``; its key is where LiteLLM looks for it.

    Making one checks nothing and imports nothing heavy: recorded vectors need no LiteLLM.

    :param door: counts, retries and records its calls.
    """

    def __init__(self, model: str, door: Door) -> None:
        self.name: Final = model
        self._spec = ModelSpec(model)
        self._door = door
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of a vector, found by embedding one word."""
        with self._lock:
            return self._dimensions

    @cached_property
    def _dimensions(self) -> int:
        return len(self.embed([_PROBE])[0])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order.

        :raises ModelCallError: where a call failed for good; its type says in which way.
        """
        # Providers refuse an empty text.
        given = [text or " " for text in texts]
        batches = (given[start : start + BATCH] for start in range(0, len(given), BATCH))
        vectors = (vector for batch in batches for vector in self._door.embed(self._spec, batch))
        return [self._unit(vector) for vector in vectors]

    def _unit(self, vector: Sequence[float]) -> list[float]:
        # To the precision in which vectors are recorded, so that a replay has the same ones.
        numbers = array("f", vector).tolist()
        length = math.sqrt(math.fsum(number * number for number in numbers))
        if not length:
            raise ModelCallError(
                f"the embedder {self.name} failed: it returned a vector of length 0",
                Fault.SERVER_ERROR,
            )
        return [number / length for number in numbers]
