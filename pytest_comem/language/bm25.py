"""An incremental BM25 index: add a passage, rank what is there so far.

Off-the-shelf indexes are built once over a finished corpus; an episode asks after nearly every
turn, and rebuilding for each question costs more than the whole budget of a run. The scores are
checked against a public library in the tests.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Final, final

#: Okapi BM25's constants as GateMem's ceilings use them (protocol, "Ceilings").
K1: Final = 1.5
B: Final = 0.75
FLOOR: Final = 0.25

_TOKEN: Final = re.compile(r"\w+")


def tokenize(text: str) -> list[str]:
    """Return the lower-cased word tokens of *text*."""
    return _TOKEN.findall(text.lower())


@final
class BM25Index:
    """Passages in the order they were added, ranked by Okapi BM25."""

    def __init__(self, k1: float = K1, b: float = B) -> None:
        self._k1 = k1
        self._b = b
        self._lengths: list[int] = []
        self._total_length = 0
        self._passages: defaultdict[str, list[int]] = defaultdict(list)
        # By number of passages, how many tokens stand in so many; a question need not count them.
        self._tokens_in = [0]
        # Most tokens stand once in a passage; only the others have a count.
        self._repeated: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, text: str) -> int:
        """Add a passage and return its number, counted from 0."""
        number = len(self._lengths)
        tokens = tokenize(text)
        self._lengths.append(len(tokens))
        self._total_length += len(tokens)
        tokens_in = self._tokens_in
        tokens_in.append(0)
        for token, count in Counter(tokens).items():
            passages = self._passages[token]
            tokens_in[len(passages)] -= 1
            passages.append(number)
            tokens_in[len(passages)] += 1
            if count > 1:
                self._repeated[token].append((number, count))
        return number

    def rank(
        self, query: str, top_k: int, *, keep: Callable[[int], bool] | None = None
    ) -> list[tuple[int, float]]:
        """Return the *top_k* best passages as ``(number, score)``, ties to the earlier one.

        Passages that share no token with the query score 0 and fill up the rank.

        :param keep: a filter on passage numbers; all when ``None``.
        """
        scores = self._scores(query)
        numbers = range(len(scores)) if keep is None else filter(keep, range(len(scores)))
        # Sorting keeps the order of equals, also when reversed.
        best = sorted(numbers, key=scores.__getitem__, reverse=True)[:top_k]
        return [(number, scores[number]) for number in best]

    def _scores(self, query: str) -> list[float]:
        size = len(self._lengths)
        scores = [0.0] * size
        if not size or not self._total_length:
            return scores
        mean = self._total_length / size
        norms = [self._k1 * (1 - self._b + self._b * length / mean) for length in self._lengths]
        singles = [1 / (1 + norm) for norm in norms]
        gain = self._k1 + 1
        floor = self._floor()
        for token, times in Counter(tokenize(query)).items():
            passages = self._passages.get(token)
            if passages is None:
                continue
            idf = self._inverse_frequency(len(passages))
            weight = times * gain * (idf if idf >= 0 else floor)
            for number in passages:
                scores[number] += weight * singles[number]
            for number, count in self._repeated.get(token, ()):
                scores[number] += weight * (count / (count + norms[number]) - singles[number])
        return scores

    def _inverse_frequency(self, found: int) -> float:
        return math.log((len(self._lengths) - found + 0.5) / (found + 0.5))

    def _floor(self) -> float:
        """Return the weight of a token in more than half of the passages.

        As usual in Okapi BM25, where its own would be negative: a quarter of the mean weight.
        """
        total = math.fsum(
            tokens * self._inverse_frequency(found)
            for found, tokens in enumerate(self._tokens_in)
            if found and tokens
        )
        return FLOOR * total / len(self._passages)
