from __future__ import annotations

import pytest

from pytest_comem.contract.telling import describe, shown
from pytest_comem.core.printable import printable


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("plain é 漢字 🤖", "ValueError: plain é 漢字 🤖"),
        ("\x1b[31mred\x07", "ValueError: \\x1b[31mred\\x07"),
        ("\x9b31m \u202eabc", "ValueError: \\x9b31m \\u202eabc"),
        ("lone \ud800", "ValueError: lone \\ud800"),
        ("one\ttwo\rthree\nfour", "ValueError: one two three ..."),
        ("", "ValueError"),
    ],
)
def test_a_message_can_be_shown_anywhere(message: str, told: str) -> None:
    """No terminal escape and nothing that cannot be encoded gets through."""
    assert describe(ValueError(message)) == told
    told.encode("utf-8")


def test_a_long_message_is_cut() -> None:
    """Libraries put whole documents into messages."""
    assert len(describe(ValueError("\x00" * 9_000))) <= 310


def test_line_breaks_stay_where_there_are_lines() -> None:
    """The last words of a process are several lines."""
    assert printable("one\n\x1btwo", keep="\n") == "one\n\\x1btwo"


def test_what_was_read_is_shown_short() -> None:
    """Five of many, and how many there are."""
    assert shown(["\x1b"] * 7) == "['\\x1b', '\\x1b', '\\x1b', '\\x1b', '\\x1b', ... 7 in all]"
