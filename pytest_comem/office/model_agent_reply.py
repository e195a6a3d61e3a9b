"""What a model says in one turn of an office task: a tool to use, or that it is finished."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, final

from pytest_comem.llm.structured import UnreadableReply, read_object
from pytest_comem.llm.turns import ToolCall, tool_call_of
from pytest_comem.office.operations import OperationInfo
from pytest_comem.records.canonical import storable

SCHEMA_NAME: Final = "office_turn"


@final
@dataclass(frozen=True, slots=True)
class Ended:
    """The model says that it is finished.

    :param reply: its last words.
    """

    reply: str


Turn: TypeAlias = ToolCall | Ended


def turn_schema(tools: Sequence[OperationInfo]) -> Mapping[str, Any]:
    """Return the JSON Schema of a reply; every member is required and no other allowed."""
    members: dict[str, Any] = {
        "tool": {
            "anyOf": [
                {"type": "string", "enum": [tool.name for tool in tools]},
                {"type": "null"},
            ]
        },
        "arguments": {"anyOf": [*(dict(tool.parameters) for tool in tools), {"type": "null"}]},
        "finished": {"type": "boolean"},
        "reply": {"type": ["string", "null"]},
    }
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def read_turn(text: str) -> Turn:
    """Return what a reply says; members that are left out are null, and nothing is guessed.

    :raises UnreadableReply: where it neither uses a tool nor ends, or does both.
    """
    return read_object(text, _turn_of)


def _turn_of(fields: Mapping[str, Any]) -> Turn:
    call = tool_call_of(fields)
    finished = fields.get("finished")
    if finished is not None and not isinstance(finished, bool):
        raise UnreadableReply('"finished" is neither true nor false')
    if call is not None:
        if finished:
            raise UnreadableReply('it uses a tool and says "finished"; do one of both')
        return ToolCall(_kept(call.tool, "tool"), _kept(call.arguments, "arguments"))
    if not finished:
        raise UnreadableReply('it neither names a "tool" nor says that it is "finished"')
    reply = fields.get("reply")
    if reply is not None and not isinstance(reply, str):
        raise UnreadableReply('"reply" is no text')
    return Ended(_kept(reply or "", "reply"))


def _kept(value: Any, name: str) -> Any:
    """Return a value as files and messages can hold it."""
    try:
        return storable(value)
    except (ValueError, RecursionError):
        raise UnreadableReply(f'"{name}" lies too deep') from None
