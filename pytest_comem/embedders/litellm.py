"""Any provider's embedding model, through LiteLLM."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any, Final, final

from pytest_comem.errors import InfrastructureError, SettingsError

#: Texts of one call; providers allow about a hundred.
BATCH: Final = 64
_PROBE: Final = "dimensions"


@final
class LiteLLMEmbedder:
    """An embedding model called ``provider/model``; its key is where LiteLLM looks for it.

    :raises SettingsError: where LiteLLM is not installed.
    """

    def __init__(self, model: str) -> None:
        if find_spec("litellm") is None:
            raise SettingsError(
                f"--comem-embedder: {model} needs the package litellm; "
                "pip install 'pytest-comem[litellm]'"
            )
        self.name: Final = model
        self._lock = threading.Lock()

    @property
    def dimensions(self) -> int:
        """Length of a vector, found by embedding one word."""
        with self._lock:
            return self._dimensions

    @cached_property
    def _dimensions(self) -> int:
        return len(self._call([_PROBE])[0])

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order.

        :raises InfrastructureError: of type ``provider``.
        """
        batches = (texts[start : start + BATCH] for start in range(0, len(texts), BATCH))
        return [vector for batch in batches for vector in self._call(batch)]

    def _call(self, texts: Sequence[str]) -> list[list[float]]:
        # Providers refuse an empty text.
        given = [text or " " for text in texts]
        try:
            response = _litellm().embedding(model=self.name, input=given)
            rows = sorted(response.data, key=lambda row: int(row["index"]))
            vectors = [_unit(row["embedding"]) for row in rows]
        except Exception as error:
            raise self._failed(f"{type(error).__name__}: {error}") from error
        if len(vectors) != len(texts):
            raise self._failed(f"{len(vectors)} vectors came for {len(texts)} texts")
        return vectors

    def _failed(self, what: str) -> InfrastructureError:
        return InfrastructureError(f"the embedder {self.name} failed: {what}", type="provider")


_IMPORT: Final = threading.Lock()


def _litellm() -> Any:
    with _IMPORT:
        # Otherwise the import itself asks a public host for prices.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm

        litellm.telemetry = False
        litellm.suppress_debug_info = True
    return litellm


def _unit(vector: Sequence[float]) -> list[float]:
    numbers = [float(number) for number in vector]
    length = math.sqrt(math.fsum(number * number for number in numbers))
    return [number / length for number in numbers]
