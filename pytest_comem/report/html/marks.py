"""Where a text holds what a judge looked for, so that a reader sees it at once."""

from __future__ import annotations

import warnings
from functools import lru_cache
from typing import Final

import regex

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.evaluators.patterns import ScannedText, hits, is_regular_expression

#: Seconds that finding all places of one pattern in one text may take.
_TIMEOUT: Final = 0.5
#: Places shown of one pattern in one text; more tell nothing new.
_MOST: Final = 50


def places(pattern: str, text: ScannedText) -> list[int]:
    """Return where *pattern* occurs in *text*: begin and end of each place, one after the other.

    Counted as JavaScript counts, in UTF-16 units. Nothing where the judge would not find it either,
    or where looking takes too long.
    """
    try:
        if not hits(pattern, text):
            return []
        expression = _expression(pattern)
        found = expression.finditer(text.raw, timeout=_TIMEOUT, concurrent=False)
        spans = [match.span() for match, _ in zip(found, range(_MOST), strict=False)]
    except (BenchmarkDefect, TimeoutError, regex.error, RecursionError, MemoryError):
        return []
    return [_units(text.raw, place) for span in spans if span[0] < span[1] for place in span]


@lru_cache(maxsize=8192)
def _expression(pattern: str) -> regex.Pattern[str]:
    flags = regex.IGNORECASE | regex.VERSION0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if is_regular_expression(pattern):
            try:
                return regex.compile(pattern, flags)
            except regex.error:
                # The judge takes it for a literal, too.
                pass
        # As the judge has it: any white space for white space, no matter which letter case.
        return regex.compile(r"\s+".join(map(regex.escape, pattern.split())), flags)


def _units(text: str, place: int) -> int:
    """Return *place* in UTF-16 units: characters beyond the first 65,536 are two."""
    head = text[:place]
    return place if head.isascii() else place + sum(one > "\uffff" for one in head)
