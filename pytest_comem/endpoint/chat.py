"""Chat requests and replies, as far as a memory library's own calls need them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, final


@final
@dataclass(frozen=True, slots=True)
class Message:
    """One message; *text* is the text parts of its content joined by newlines."""

    role: str
    text: str


@final
@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request for a chat completion.

    :param model: name asked for.
    :param messages: in order.
    :param tools: definitions of tools offered, as sent.
    :param response_format: as sent, or ``None``.
    """

    model: str
    messages: tuple[Message, ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    response_format: Mapping[str, Any] | None = None

    def text_of(self, role: str) -> str:
        """Return the messages of one role, joined by newlines."""
        return "\n".join(message.text for message in self.messages if message.role == role)


@final
@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of an offered tool."""

    name: str
    arguments: Mapping[str, Any]


@final
@dataclass(frozen=True, slots=True)
class ChatReply:
    """What a model says: text, or calls of tools."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = field(default=())


class Chat(Protocol):
    """Something that completes chats; called from many threads."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply to *request*."""
