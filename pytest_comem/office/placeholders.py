"""Placeholders of a plan's texts, taken apart: ``{slot:NAME}`` and the like, nothing evaluated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

#: What stands before the colon.
KINDS: Final = ("slot", "date", "number", "value")


@final
@dataclass(frozen=True, slots=True)
class Placeholder:
    """One placeholder.

    :param body: what stands behind the colon, without the slot.
    :param slot: what stands behind ``|``, if anything.
    """

    kind: str
    body: str
    slot: str | None
    text: str


#: A text taken apart: literal texts and placeholders in order.
Parts: TypeAlias = list[str | Placeholder]


def parts_of(text: str) -> Parts:
    """Return a text taken apart.

    :raises ValueError: for a brace that is neither doubled nor part of a placeholder, saying which.
    """
    parts: Parts = []
    literal: list[str] = []
    at = 0
    while at < len(text):
        if text[at : at + 2] in ("{{", "}}"):
            literal.append(text[at])
            at += 2
        elif text[at] == "{":
            end = text.find("}", at)
            if end < 0:
                raise ValueError(f"{text[at : at + 40]!r} is not closed; write {{{{ for a brace")
            parts += ["".join(literal)] if literal else []
            literal = []
            parts.append(_placeholder(text[at : end + 1]))
            at = end + 1
        elif text[at] == "}":
            raise ValueError(f"a }} by itself at {text[max(0, at - 20) : at + 1]!r}; write }}}}")
        else:
            literal.append(text[at])
            at += 1
    return [*parts, *(["".join(literal)] if literal else [])]


def texts_of(value: Any) -> Iterator[str]:
    """Yield every string of an argument, names of members too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, member in value.items():
            yield from texts_of(name)
            yield from texts_of(member)
    elif isinstance(value, list | tuple):
        for member in value:
            yield from texts_of(member)


def _placeholder(text: str) -> Placeholder:
    kind, colon, body = text[1:-1].partition(":")
    if kind not in KINDS or not colon or not body:
        raise ValueError(
            f"{text[:60]!r} is no placeholder: there are {{slot:}}, {{date:}}, {{number:}} and "
            "{value:}; write {{ and }} for braces"
        )
    slot = None
    if kind in ("date", "number") and "|" in body:
        body, _, slot = body.partition("|")
    return Placeholder(kind, body, slot, text)
