"""What stands behind the server's chats: a chat of ours, or a model through the door."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Final, final

from pytest_comem.endpoint.callers import Caller
from pytest_comem.endpoint.chat import Chat
from pytest_comem.endpoint.wire import chat_reply, read_chat_request

SCRIPTED: Final = "scripted"


class ServedModel(ABC):
    """Completes requests in OpenAI's JSON shapes; called from many threads.

    :ivar name: what the list of models calls it.
    """

    name: str

    @abstractmethod
    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Return the completion of a request's *body*.

        :param identity: a text for this request, from which ids are made.
        :param caller: who asks, or ``None`` at the address without a token.
        :raises BadRequestError: where the request cannot be understood.
        :raises ModelCallError: where the call failed for good.
        """


@final
class ServedChat(ServedModel):
    """A chat of ours. Its calls count like any other's: words for tokens, at no cost."""

    name = SCRIPTED

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Return what the chat says."""
        request = read_chat_request(body)
        completion = chat_reply(request, self._chat.complete(request), identity)
        if caller is not None:
            caller.meter.add(tokens=completion["usage"]["total_tokens"], cost=0.0)
        return completion
