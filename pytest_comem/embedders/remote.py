"""The run's embedder, seen from another process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from pytest_comem.embedders.posting import Poster


@final
class RemoteEmbedder:
    """Asks an OpenAI-compatible server for vectors; from any thread.

    Numbers travel as decimal text, so that a vector arrives exactly as the server has it.

    :param base_url: ending in ``/v1``.
    :param model: to ask for there; also this embedder's name.
    :param dimensions: length of a vector.
    """

    def __init__(self, base_url: str, model: str, dimensions: int, api_key: str) -> None:
        self.name: Final = model
        self.dimensions: Final = dimensions
        self._poster = Poster(
            f"{base_url.rstrip('/')}/embeddings", api_key, part=f"embedder {model}"
        )

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text, in order.

        :raises InfrastructureError: where the server fails or answers with something else.
        """
        if not texts:
            return []
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        reply = self._poster.post(body)
        try:
            rows = sorted(reply["data"], key=lambda row: int(row["index"]))
            vectors = [[float(number) for number in row["embedding"]] for row in rows]
        except (LookupError, TypeError, ValueError) as error:
            raise self._poster.failed(f"no embeddings in the reply: {error!r}") from error
        if [len(vector) for vector in vectors] != [self.dimensions] * len(texts):
            raise self._poster.failed(
                f"{len(texts)} vectors of {self.dimensions} numbers were expected, and "
                f"{len(vectors)} came, of {sorted({len(vector) for vector in vectors})} numbers"
            )
        return vectors
