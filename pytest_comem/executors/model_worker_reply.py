"""What a model says in one turn of a node's work: a tool to use, or the content it has made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

from pytest_comem.executors.domain import ToolSpec
from pytest_comem.llm.structured import UnreadableReply, read_object
from pytest_comem.llm.turns import ToolCall, tool_call_of
from pytest_comem.records.canonical import canonical, storable

SCHEMA_NAME: Final = "node_turn"
#: Ids of artifacts that are looked at in one reply.
_MOST_IDS: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class Finished:
    """The content that the model has made.

    :param consumed: what it says it rests on, each once; of any text.
    """

    content: Any
    consumed: tuple[str, ...]


Reply: TypeAlias = ToolCall | Finished


def reply_schema(
    tools: Sequence[ToolSpec], content: Mapping[str, Any], *, last: bool
) -> Mapping[str, Any]:
    """Return the JSON Schema of a reply.

    Every member is required and no other allowed, as providers that hold replies to a schema want.

    :param content: JSON Schema of the content.
    :param last: only the content will do.
    """
    usable = () if last else tools
    named: dict[str, Any] = {"type": "null"}
    arguments: dict[str, Any] = {"type": "null"}
    if usable:
        name = {"type": "string", "enum": [tool.name for tool in usable]}
        named = {"anyOf": [name, {"type": "null"}]}
        arguments = {"anyOf": [*(dict(tool.parameters) for tool in usable), {"type": "null"}]}
    given = {"anyOf": [dict(content), {"type": "null"}]} if usable else dict(content)
    members = {
        "tool": named,
        "arguments": arguments,
        "content": given,
        "consumed": {"type": "array", "items": {"type": "string"}},
    }
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def reader(*, last: bool) -> Callable[[str], Reply]:
    """Return what reads a reply; nothing is guessed.

    :param last: only the content will do.
    """

    def read(fields: Mapping[str, Any]) -> Reply:
        found = _reply_of(fields)
        if last and isinstance(found, ToolCall):
            raise UnreadableReply('no tool can be used any more, and "content" has to be given')
        return found

    return lambda text: read_object(text, read)


def _reply_of(fields: Mapping[str, Any]) -> Reply:
    if (call := tool_call_of(fields)) is not None:
        return ToolCall(call.tool, _kept(call.arguments, "arguments"))
    content = fields.get("content")
    if content is None:
        raise UnreadableReply('it has neither "tool" nor "content"')
    consumed = fields.get("consumed")
    ids = [] if consumed is None else consumed
    if not isinstance(ids, list) or not all(isinstance(each, str) for each in ids):
        raise UnreadableReply('"consumed" is no list of ids')
    return Finished(_kept(content, "content"), tuple(dict.fromkeys(ids[:_MOST_IDS])))


def _kept(value: Any, name: str) -> Any:
    """Return a value as a trace can hold it."""
    try:
        found = storable(value)
        canonical(found)
    except (ValueError, RecursionError):
        raise UnreadableReply(f'"{name}" holds what cannot be kept, or lies too deep') from None
    return found
