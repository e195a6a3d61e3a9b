"""Vectors kept by text: many episodes and systems embed the same turns and questions."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, final

from pytest_comem.embedders.base import Embedder

#: Numbers kept, of eight bytes each: 160 MB, or 52,000 vectors of 384.
KEPT: Final = 20_000_000


@final
class CachedEmbedder:
    """Another embedder, asked for each text once while the text is remembered.

    :param kept: numbers kept; the oldest vectors go first.
    """

    def __init__(self, inner: Embedder, kept: int = KEPT) -> None:
        self._inner = inner
        self._kept = kept
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, array[float]] = OrderedDict()

    @property
    def name(self) -> str:
        """Name of the embedder behind."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._inner.dimensions

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text; the lists are the caller's own."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            # Two threads may embed the same text at once; both get the same vector.
            vectors = [array("d", vector) for vector in self._inner.embed(missing)]
            fresh = dict(zip(missing, vectors, strict=True))
            known |= fresh
            with self._lock:
                self._vectors |= fresh
                while len(self._vectors) * len(vectors[0]) > self._kept:
                    self._vectors.popitem(last=False)
        return [list(known[text]) for text in texts]
