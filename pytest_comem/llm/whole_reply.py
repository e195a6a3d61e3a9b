"""Reading a reply that has to be one JSON object as a whole, as a judge's has.

What a judge looks at is hostile and the judge may quote it: an object found somewhere in the reply
could be the quoted one. Only what a reasoning model thinks aloud first is cut off, up to its first
end: where it quotes that as well, what is left is no object.
"""

from __future__ import annotations

import json
from typing import Any, Final, NoReturn

from pytest_comem.llm.objects import without_thoughts
from pytest_comem.llm.structured import UnreadableReply

_FENCE: Final = "```"


def whole_object(text: str) -> dict[str, Any]:
    """Return the one JSON object that a reply is, maybe in a code fence and behind thoughts.

    :raises UnreadableReply: where it is anything else; the problem never quotes the reply.
    """
    return _read_object(_unfenced(without_thoughts(text).strip()))


def _unfenced(text: str) -> str:
    """Return what stands in a code fence that is all there is, or *text* itself."""
    if len(text) < 2 * len(_FENCE) or not (text.startswith(_FENCE) and text.endswith(_FENCE)):
        return text
    label, newline, rest = text[len(_FENCE) : -len(_FENCE)].partition("\n")
    return rest if newline and label.strip().lower() in ("", "json") else text


def _read_object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text, object_pairs_hook=_distinct, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise UnreadableReply("it is not one JSON object and nothing else") from None
    if not isinstance(found, dict):
        raise UnreadableReply("it is JSON, but not an object")
    return found


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise UnreadableReply("a member is given more than once")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)
