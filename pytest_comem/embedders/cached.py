"""Vectors kept by text: many episodes and systems embed the same turns and questions."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, final

from pytest_comem.embedders.base import Embedder

#: Texts whose vectors are kept (384 numbers each: about 150 MB at most).
KEPT: Final = 50_000


@final
class CachedEmbedder:
    """Another embedder, asked for each text once while the text is remembered."""

    def __init__(self, inner: Embedder, kept: int = KEPT) -> None:
        self._inner = inner
        self._kept = kept
        self._lock = threading.Lock()
        self._vectors: OrderedDict[str, list[float]] = OrderedDict()

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
            fresh = dict(zip(missing, self._inner.embed(missing), strict=True))
            known |= fresh
            with self._lock:
                self._vectors |= fresh
                while len(self._vectors) > self._kept:
                    self._vectors.popitem(last=False)
        return [list(known[text]) for text in texts]
