"""The interface of an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Embedder(Protocol):
    """Turns texts into unit vectors; the same text always into the same one, from any thread."""

    @property
    def name(self) -> str:
        """Name and version; part of every outcome's key."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector of Euclidean length 1 a text, in order.

        :raises InfrastructureError: where a provider broke.
        """
