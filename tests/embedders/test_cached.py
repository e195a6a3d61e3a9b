from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from pytest_comem.embedders.cached import CachedEmbedder
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.errors import InfrastructureError


class Counting:
    """Remembers what it was asked."""

    name = "counting"
    dimensions = 2

    def __init__(self) -> None:
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the length of each text."""
        self.asked.append(list(texts))
        if "break" in texts:
            raise InfrastructureError("broken", type="provider")
        return [[float(len(text)), 0.1] for text in texts]


def test_each_text_is_asked_for_once() -> None:
    """Only what is not known goes to the embedder behind, once, in order."""
    inner = Counting()
    cached = CachedEmbedder(inner)
    assert cached.embed(["a", "bb", "a"]) == [[1, 0.1], [2, 0.1], [1, 0.1]]
    assert cached.embed(["ccc", "bb"]) == [[3, 0.1], [2, 0.1]]
    assert cached.embed(["a"]) == [[1, 0.1]]
    assert cached.embed([]) == []
    assert inner.asked == [["a", "bb"], ["ccc"]]
    assert (cached.name, cached.dimensions) == ("counting", 2)


def test_vectors_belong_to_the_caller() -> None:
    """A library that changes its vector changes no other's."""
    cached = CachedEmbedder(Counting())
    first, twin = cached.embed(["a", "a"])
    first[0] = 99.0
    assert twin == cached.embed(["a"])[0] == [1, 0.1]


def test_numbers_are_exact() -> None:
    """What comes out of the cache is what the embedder said, to the last bit."""
    cached = CachedEmbedder(HashEmbedder())
    assert cached.embed(["x y z"]) == cached.embed(["x y z"]) == HashEmbedder().embed(["x y z"])


def test_the_oldest_go_first() -> None:
    """Memory is bounded, by numbers, and a batch larger than the bound is still answered."""
    inner = Counting()
    cached = CachedEmbedder(inner, kept=4)
    assert len(cached.embed(["a", "b", "c"])) == 3
    cached.embed(["b", "c"])
    assert len(inner.asked) == 1
    cached.embed(["a"])
    assert inner.asked[1:] == [["a"]]


def test_errors_are_not_kept() -> None:
    """A text whose embedding failed is asked for again."""
    inner = Counting()
    cached = CachedEmbedder(inner)
    for _ in range(2):
        with pytest.raises(InfrastructureError):
            cached.embed(["break"])
    assert len(inner.asked) == 2


def test_threads_at_once_get_the_same() -> None:
    """Many threads that evict each other's texts all get right vectors."""
    cached = CachedEmbedder(Counting(), kept=20)
    texts = ["x" * (number % 37) for number in range(2_000)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: cached.embed([text])[0][0], texts))
    assert found == [len(text) for text in texts]
