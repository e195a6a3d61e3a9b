"""A growing table of vectors with exact nearest neighbours, the same whatever else it holds.

The score of a row must not depend on how many other rows there are: a matrix product is blocked
by shape, so the last bits of a row's score would move as the memory grows and equal texts could
come apart. Products summed along each row in one fixed order cost little more at this size.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

#: Rows of a fresh table; it doubles from there.
_ROWS: Final = 64
#: Rows scored at once, which bounds the memory a query takes.
_BLOCK: Final = 4096


@final
class VectorTable:
    """Unit vectors in the order they came, kept in single precision, compared in double.

    :param dimensions: length of a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self._table: NDArray[np.float32] = np.zeros((_ROWS, dimensions), dtype=np.float32)
        self._used = 0

    def append(self, vector: Sequence[float]) -> None:
        """Add a row at the end."""
        if self._used == len(self._table):
            self._table = np.concatenate([self._table, np.zeros_like(self._table)])
        self._table[self._used] = vector
        self._used += 1

    def replace(self, number: int, vector: Sequence[float]) -> None:
        """Put another vector in place of row *number*."""
        self._table[number] = vector

    def remove(self, numbers: Sequence[int]) -> None:
        """Take rows out; later ones move up."""
        kept = np.delete(self._table[: self._used], numbers, axis=0)
        self._table[: len(kept)] = kept
        self._used = len(kept)

    def nearest(
        self, vector: Sequence[float], numbers: Sequence[int], count: int
    ) -> list[tuple[int, float]]:
        """Return the *count* rows among *numbers* nearest to *vector*, with their cosines.

        :param numbers: rows to consider, ascending; of equally near ones the earlier comes first.
        """
        # The question is rounded like the rows, so that a text is exactly as near to itself.
        wanted = np.asarray(vector, dtype=np.float32).astype(np.float64)
        candidates = np.asarray(numbers, dtype=np.intp)
        scores: NDArray[np.float64] = np.empty(len(candidates), dtype=np.float64)
        for start in range(0, len(candidates), _BLOCK):
            rows = self._table[candidates[start : start + _BLOCK]].astype(np.float64)
            rows *= wanted
            rows.sum(axis=1, out=scores[start : start + _BLOCK])
        order = np.argsort(-scores, kind="stable")[: max(count, 0)]
        return [(int(candidates[place]), float(scores[place])) for place in order]
