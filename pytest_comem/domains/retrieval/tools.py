"""The tools of the domain, as capability tokens name them."""

from __future__ import annotations

from typing import Final

SEARCH: Final = "corpus_search"
OPEN: Final = "corpus_open"
