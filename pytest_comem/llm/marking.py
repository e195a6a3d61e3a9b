"""Marks around texts from outside in a prompt, such as files, memories and what tools say.

A text between two marked lines cannot end its block: the mark occurs in none of it.
"""

from __future__ import annotations

from itertools import count
from typing import Final

from pytest_comem.core.hashing import stable_hash

_LENGTH: Final = 10


def marker_of(*texts: str) -> str:
    """Return a mark that occurs in none of *texts*, the same for the same texts."""
    for number in count():
        marker = stable_hash([number, *texts])[:_LENGTH]
        if not any(marker in text for text in texts):
            return marker
    raise AssertionError("unreachable")


def marked(name: str, text: str) -> str:
    """Return *text* between two lines that name it and hold a mark of its own."""
    marker = marker_of(text)
    return f"--- begin {name} {marker} ---\n{text}\n--- end {name} {marker} ---"


def clipped(text: str, most: int) -> str:
    """Return the first *most* characters of a text, saying how many more there are."""
    left = len(text) - most
    return f"{text[:most]} ... ({left:,} characters left out)" if left > 0 else text
