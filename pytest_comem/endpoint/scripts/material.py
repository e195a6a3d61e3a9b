"""What the prompts of our own memory systems hold: a task in the first line, material as JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest

#: Writes the reply to one task from its material.
Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")


def answer_task(request: ChatRequest, answers: Mapping[str, Answer]) -> ChatReply | None:
    """Return the reply of the task that the request's first line names, or ``None``.

    :param answers: what to reply with, by the first line of a prompt.
    """
    if len(request.messages) != 2 or request.messages[0].role != "system":
        return None
    answer = answers.get(request.messages[0].text.partition("\n")[0])
    if answer is None:
        return None
    material = json.loads(request.messages[1].text)
    return ChatReply(json.dumps(answer(material), ensure_ascii=False))


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, word for word."""
    return [part for part in _SENTENCE_END.split(text.strip()) if part]
