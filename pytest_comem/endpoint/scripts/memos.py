"""The scripted model's part for MemOS: each turn of the conversation is a memory, word for word."""

from __future__ import annotations

import json
import re
from typing import Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest

_RECOGNIZED: Final = "You are a memory extraction expert."
#: The prompt has examples with a conversation of their own; this stands before the real one only.
_BEFORE: Final = "Always respond in the same language as the conversation.\n\nConversation:\n"
_AFTER: Final = "\n\nYour Output:"
_TURN: Final = re.compile(r"^(?:user|assistant|system):", re.MULTILINE)
#: Characters of a memory's title.
_TITLE: Final = 60


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the JSON that the extraction prompt asks for, or ``None`` for any other prompt."""
    prompt = request.text_of("user")
    _, found, rest = prompt.partition(_BEFORE)
    if not prompt.startswith(_RECOGNIZED) or not found:
        return None
    _, *turns = _TURN.split(rest.removesuffix(_AFTER))
    texts = [turn.removesuffix("\n") for turn in turns if turn.strip()]
    memories: list[dict[str, object]] = [
        {"key": text[:_TITLE], "memory_type": "UserMemory", "value": text, "tags": []}
        for text in texts
    ]
    return ChatReply(json.dumps({"memory list": memories, "summary": ""}))
