"""An embedder without a model: words and character triples hashed into a fixed number of bins.

Signed feature hashing. It knows nothing of meaning, but texts that share words are close, which is
enough to run a vector store honestly without a download, and it is the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, final

from pytest_comem.language.words import READ, STOP_WORDS, stem, words

DIMENSIONS: Final = 384
#: Weights of a word that says what a text is about, of any other word, and of a character triple.
_CONTENT: Final = 1.0
_FILLER: Final = 0.15
_TRIPLE: Final = 0.1


@final
class HashEmbedder:
    """Deterministic lexical vectors; only the first :data:`READ` characters of a text count."""

    name: Final = "hash-1"
    dimensions: Final = DIMENSIONS

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector a text."""
        return [_embed(text) for text in texts]


def _embed(text: str) -> list[float]:
    vector = [0.0] * DIMENSIONS
    for feature, weight in _features(text[:READ]):
        place, sign = _bin(feature)
        vector[place] += sign * weight
    length = math.sqrt(math.fsum(value * value for value in vector))
    if length == 0.0:
        # No text at all, or features that cancel out: a direction of its own.
        vector[0], length = 1.0, 1.0
    return [value / length for value in vector]


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in words(text):
        yield f"w{stem(word)}", _FILLER if word in STOP_WORDS else _CONTENT
    folded = f" {' '.join(text.lower().split())} "
    for start in range(len(folded) - 2):
        yield f"c{folded[start : start + 3]}", _TRIPLE


@lru_cache(maxsize=65_536)
def _bin(feature: str) -> tuple[int, int]:
    digest = blake2b(feature.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    number = int.from_bytes(digest, "big")
    return (number >> 1) % DIMENSIONS, 1 if number & 1 else -1
