"""The scripted model's part for LangMem: each turn of the conversation is a memory, word for word.

LangMem offers its model one tool a schema, ``Memory`` without one, and shows what is already
remembered. A turn that is remembered already is not repeated, as the prompt asks.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest, ToolCall

_RECOGNIZED: Final = "You are a memory subroutine for an AI."
_TOOL: Final = "Memory"
_SESSION: Final = re.compile(r"<session_([0-9a-f-]{36})>\n(.*)\n</session_\1>", re.DOTALL)
#: The line LangChain prints above each message.
_TURN: Final = re.compile(r"^=+ [A-Z][A-Za-z]* Message =+\n(?:Name: [^\n]*\n)?\n", re.MULTILINE)


def answer(request: ChatRequest) -> ChatReply | None:
    """Return a call of ``Memory`` for each new turn, or ``None`` for another library's prompt."""
    remembered = request.text_of("system")
    session = _SESSION.search(request.text_of("user"))
    if _RECOGNIZED not in remembered or session is None:
        return None
    _, *turns = _TURN.split(session[2])
    texts = dict.fromkeys(turn.removesuffix("\n\n") for turn in turns if turn.strip())
    return ChatReply(
        tool_calls=tuple(
            ToolCall(_TOOL, {"content": text})
            for text in texts
            if repr({"content": text}) not in remembered
        )
    )
