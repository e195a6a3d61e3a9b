"""Where a text holds what a judge looked for."""

from __future__ import annotations

import pytest

from pytest_comem.evaluators.patterns import ScannedText, hits
from pytest_comem.report.html.marks import places


@pytest.mark.parametrize(
    ("pattern", "text", "marked"),
    [
        ("blue house", "The Blue\n  House, blue housekeeper", ["Blue\n  House"]),
        (r"room \d+", "room 7 and Room 81", ["room 7", "Room 81"]),
        ("555-0186", "call 555-0186.", ["555-0186"]),
        ("+1 (555", "dial +1  (555 now", ["+1  (555"]),
        ("absent", "nothing", []),
        ("x*", "aaa", []),
        ("caf\u00e9", "\U0001f600 caf\u00e9", ["caf\u00e9"]),
    ],
)
def test_places_are_where_the_judge_finds_it(pattern: str, text: str, marked: list[str]) -> None:
    """Begins and ends enclose the value, counted in UTF-16 units as a browser counts."""
    flat = places(pattern, ScannedText(text))
    units = text.encode("utf-16-le")
    found = [
        units[2 * begin : 2 * end].decode("utf-16-le")
        for begin, end in zip(flat[::2], flat[1::2], strict=True)
    ]
    assert found[: len(marked)] == marked
    assert bool(found) <= hits(pattern, ScannedText(text))


def test_an_explosive_pattern_marks_nothing() -> None:
    """A pattern that takes for ever is given up, and the page goes on."""
    assert places(r"(a|a)*(a|a)*(a|a)*b\1x", ScannedText("a" * 40)) == []
    assert places(r"(x{900}){900}", ScannedText("x")) == []
