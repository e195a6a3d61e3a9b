"""JSON objects in what a model says, whatever stands around them.

Models put objects into code fences, explain themselves before and after, and some think aloud
first. None of that does harm here. What stands in an object is not repaired: half an object, or one
with values that JSON does not have, is none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, NoReturn

#: Characters looked at; far more than any reply that was asked for.
LONGEST: Final = 200_000
#: Opening braces tried as the beginning of an object.
_BRACES: Final = 20
_THOUGHTS: Final = ("<think>", "</think>")


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of *text* in order, none from within another.

    Behind an object with a value that JSON does not have nothing is looked for. Of a key that is
    given twice the last value counts. What a reasoning model thinks aloud at the
    beginning is passed over.
    """
    text = without_thoughts(text[:LONGEST])
    start = text.find("{")
    for _ in range(_BRACES):
        if start < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, start)
        except json.JSONDecodeError as error:
            # On from where it broke: what had been read is a part of a broken object, not a reply.
            end = max(error.pos, start + 1)
        except (ValueError, RecursionError):
            return
        else:
            yield value
        start = text.find("{", end)


def without_thoughts(text: str) -> str:
    """Return *text* without what a reasoning model thinks aloud at the beginning, its first block.

    Of thoughts without an end nothing is left.
    """
    begin, end = _THOUGHTS
    if text.lstrip().startswith(begin):
        _, found, rest = text.partition(end)
        return rest if found else ""
    return text


def _number(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


#: Raw line breaks in texts are let through, as models forget to escape them.
_DECODER: Final = json.JSONDecoder(strict=False, parse_float=_number, parse_constant=_refuse)
