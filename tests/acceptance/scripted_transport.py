"""A transport behind a real door that answers as the scripted model does, or fails."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from hashlib import blake2b
from typing import final

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.endpoint.wire import chat_reply, read_chat_request
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.faults import Fault, ProviderFault

#: US dollars of one call.
COST = 0.25


@final
class ScriptedTransport:
    """Carries calls to the scripted model of this process.

    :ivar calls: what arrived, in order.
    :ivar failing: the fault that every call has while it is set.
    """

    def __init__(self) -> None:
        self.calls: list[ChatCall] = []
        self.failing: Fault | None = None
        self._chat = ScriptedChat()
        self._lock = threading.Lock()

    def chat(self, call: ChatCall) -> Completion:
        """Return what the scripted model says."""
        with self._lock:
            self.calls.append(call)
        if self.failing is not None:
            raise ProviderFault(self.failing, "it fails as told")
        request = read_chat_request({"model": call.model.name, **call.body})
        identity = blake2b(call.key.encode(), digest_size=12).hexdigest()
        reply = chat_reply(request, self._chat.complete(request), identity)
        (choice,) = reply["choices"]
        usage = reply["usage"]
        return Completion(
            choice["message"],
            choice["finish_reason"],
            usage["prompt_tokens"],
            usage["completion_tokens"],
            COST,
        )

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Return hashed words."""
        if self.failing is not None:
            raise ProviderFault(self.failing, "it fails as told")
        return Vectors(HashEmbedder().embed(texts))

    def close(self) -> None:
        """Hold nothing that could be let go."""
