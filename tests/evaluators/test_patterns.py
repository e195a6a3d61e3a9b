"""The release's pattern language, by examples from the protocol's text."""

from __future__ import annotations

import time

import pytest

from pytest_comem.errors import BenchmarkDefect
from pytest_comem.evaluators.patterns import ScannedText, hits


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("May 12", "on  may\n12 at noon", True),
        ("9", "about 90 or 19", True),
        ("90", "about 1900", False),
        ("9%", "19% off", True),
        ("no", "nothing known", False),
        ("no", "well, No!", True),
        ("bridge-29", "bridge-291", False),
        ("bridge-29", "the bridge-29.", True),
        ("29", "bridge-29", True),
        ("29", "bridge_29", False),
        ("café", "cafés", True),
        ("a.c", "abc", False),
        ("a.c?", "ABC", True),
        ("a.*c", "a\nc", False),
        ("(unclosed", "an (UNCLOSED bracket", True),
        (r"\d{3}-\d{4}", "555-0142", True),
        ("two (?:tabs|tablets)", "TWO tablets", True),
        ("two  (?:tabs)", "two tabs", False),
    ],
)
def test_pattern_semantics(pattern: str, text: str, expected: bool) -> None:
    """Literals are folded and bounded by words, expressions see the raw text."""
    assert hits(pattern, ScannedText(text)) is expected


def test_matching_is_bounded_in_time() -> None:
    """A catastrophic expression ends as a defect instead of running for ever."""
    started = time.monotonic()
    with pytest.raises(BenchmarkDefect, match="took longer"):
        hits(r"(?:(?:a|b|ab)+,?)+[!?]", ScannedText("ab" * 60))
    assert time.monotonic() - started < 30


def test_an_explosive_repeat_is_refused_before_compiling() -> None:
    """Nested counted repeats that would be unrolled a million times are a defect."""
    with pytest.raises(BenchmarkDefect, match="repeats more than"):
        hits("(a{1000}){1000}", ScannedText("a"))
