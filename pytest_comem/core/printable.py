"""Text from elsewhere as a terminal may have it."""

from __future__ import annotations


def printable(text: str, *, keep: str = "") -> str:
    """Return *text* with what moves a cursor, turns text around or is half a character escaped.

    :param keep: characters that stay as they are, such as line breaks.
    """
    return "".join(one if one.isprintable() or one in keep else ascii(one)[1:-1] for one in text)
