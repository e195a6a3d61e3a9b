"""Turns of a model that works with tools: a reply is one JSON object that uses a tool or ends."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

from pytest_comem.llm.structured import UnreadableReply


@final
@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool that the model wants to use."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def text(self) -> str:
        """The call as the model is shown it again."""
        return json.dumps(
            {"tool": self.tool, "arguments": dict(self.arguments)}, ensure_ascii=False
        )


def tool_call_of(fields: Mapping[str, Any]) -> ToolCall | None:
    """Return the call that a reply's ``tool`` and ``arguments`` make; ``None`` without a tool.

    Arguments that are left out or null are none.

    :raises UnreadableReply: where one of them has another form.
    """
    tool = fields.get("tool")
    if tool is None:
        return None
    if not isinstance(tool, str) or not tool.strip():
        raise UnreadableReply('"tool" is neither the name of a tool nor null')
    arguments = fields.get("arguments")
    if arguments is not None and not isinstance(arguments, Mapping):
        raise UnreadableReply('"arguments" is no object')
    return ToolCall(tool.strip(), arguments or {})
