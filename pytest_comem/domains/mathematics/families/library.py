"""All theorems of the library, by module, each after the lemmas that it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pytest_comem.domains.mathematics.families import (
    library_lists,
    library_numbers,
    library_programs,
    library_trees,
)
from pytest_comem.domains.mathematics.families.theorem import Theorem

LIBRARY: Final[Mapping[str, tuple[Theorem, ...]]] = {
    "Lists": library_lists.LISTS,
    "Trees": library_trees.TREES,
    "Folds": library_lists.FOLDS,
    "Queues": library_trees.QUEUES,
    "Sums": library_numbers.SUMS,
    "Powers": library_numbers.POWERS,
    "Parity": library_numbers.PARITY,
    "Binary": library_numbers.BINARY,
    "Exprs": library_programs.EXPRS,
    "Sorting": library_programs.SORTING,
    "Search": library_programs.SEARCH,
    "Functions": library_programs.FUNCTIONS,
}
