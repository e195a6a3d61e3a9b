"""The scripted model's part for remem."""

from __future__ import annotations

from pytest_comem.endpoint.chat import ChatReply, ChatRequest


def answer(request: ChatRequest) -> ChatReply | None:
    """Return the reply to one of the library's own prompts, or ``None`` for any other."""
    return None
