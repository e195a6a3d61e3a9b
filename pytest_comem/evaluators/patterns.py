"""GateMem's pattern language, matched with a bound on time.

Semantics of the public release, row by row (protocol, "Rule judge"): a pattern is a regular
expression exactly if it contains a backslash or one of ``[]()|?+*{}``; everything else is a
literal. Patterns come from data files and may be hostile, so a regular expression runs in the
``regex`` engine, which can be interrupted.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache
from typing import Final, final

import regex

from pytest_comem.errors import BenchmarkDefect

#: Seconds one search of one pattern may take before it is a benchmark defect.
TIMEOUT: Final = 1.0

_REGEX_CHARACTERS: Final = frozenset("\\[]()|?+*{}")
_BOUNDED: Final = re.compile(r"[a-z0-9][a-z0-9\s_\-/.:]*[a-z0-9]")
_MAX_REPEATS: Final = 10_000
_REPEAT: Final = re.compile(r"\{(\d+),?\d*\}")


@final
class ScannedText:
    """A text to search, with the folded form literals need made at most once."""

    __slots__ = ("_folded", "raw")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self._folded: str | None = None

    @property
    def folded(self) -> str:
        """The text lower-cased, runs of white space collapsed."""
        if self._folded is None:
            self._folded = _fold(self.raw)
        return self._folded


def hits(pattern: str, text: ScannedText) -> bool:
    """Whether *pattern* occurs in *text*.

    :raises BenchmarkDefect: when matching takes longer than :data:`TIMEOUT` seconds or the
        expression is too large to compile safely.
    """
    if is_regular_expression(pattern):
        compiled = _compile(pattern)
        if compiled is not None:
            try:
                # Not concurrent: the clock would run on while other threads compute.
                return compiled.search(text.raw, timeout=TIMEOUT, concurrent=False) is not None
            except TimeoutError:
                raise BenchmarkDefect(
                    f"pattern {shorten(pattern)!r} took longer than {TIMEOUT} s to match"
                ) from None
    return _literal_hits(pattern, text.folded)


def matching(patterns: tuple[str, ...], text: ScannedText) -> tuple[str, ...]:
    """Return those of *patterns* that occur in *text*, in order."""
    return tuple(pattern for pattern in patterns if hits(pattern, text))


def is_regular_expression(pattern: str) -> bool:
    """Whether the release treats *pattern* as a regular expression."""
    return not _REGEX_CHARACTERS.isdisjoint(pattern)


def shorten(text: str, width: int = 60) -> str:
    """Return *text* cut to *width* characters, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3] + "..."


def _fold(text: str) -> str:
    head = " " if text[:1].isspace() else ""
    tail = " " if text[-1:].isspace() else ""
    return f"{head}{' '.join(text.split())}{tail}".lower()


def _literal_hits(pattern: str, folded: str) -> bool:
    needle = _fold(pattern)
    start = folded.find(needle)
    if start < 0 or not _BOUNDED.fullmatch(needle):
        return start >= 0
    while start >= 0:
        end = start + len(needle)
        before = start > 0 and _is_word(folded[start - 1])
        after = end < len(folded) and _is_word(folded[end])
        if not before and not after:
            return True
        start = folded.find(needle, start + 1)
    return False


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


@lru_cache(maxsize=8192)
def _compile(pattern: str) -> regex.Pattern[str] | None:
    """Return the compiled expression, or ``None`` where it is a literal after all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            # Python's own compiler decides what counts as an expression, as in the release.
            re.compile(pattern, re.IGNORECASE)
        except (re.error, OverflowError, RecursionError):
            return None
        _refuse_explosive(pattern)
        try:
            return regex.compile(pattern, regex.IGNORECASE | regex.VERSION0)
        except (regex.error, RecursionError, MemoryError) as error:
            raise BenchmarkDefect(f"pattern {shorten(pattern)!r} cannot be used: {error}") from None


def _refuse_explosive(pattern: str) -> None:
    """Refuse counted repeats that would be unrolled so often that compiling itself explodes."""
    product = 1
    for count in _REPEAT.findall(pattern):
        product *= max(int(count), 1)
        if product > _MAX_REPEATS:
            raise BenchmarkDefect(
                f"pattern {shorten(pattern)!r} repeats more than {_MAX_REPEATS} times in all"
            )
