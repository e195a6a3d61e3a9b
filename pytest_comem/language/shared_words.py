"""How many words texts have in common, without comparing each with each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import chain
from typing import final


@final
class SharedWords:
    """Sets of words by number, in the order they were added."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, list[int]] = defaultdict(list)
        self._next = 0

    def add(self, words: frozenset[str]) -> None:
        """Add a set under the next number, counted from 0."""
        for word in words:
            self._numbers[word].append(self._next)
        self._next += 1

    def with_any(self, words: Iterable[str]) -> Counter[int]:
        """Return, by number, how many of *words* a set holds; those with none are left out."""
        numbers = self._numbers
        return Counter(chain.from_iterable(numbers[word] for word in words if word in numbers))
