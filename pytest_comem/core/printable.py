"""Text from elsewhere as a terminal may have it."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return *text* with what moves a cursor, turns text around or is half a character escaped."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)
