"""An embedder and a model that can be made to fail, in process and behind the loopback server."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.registry import SCRIPTED

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder
    from pytest_comem.endpoint.scripted import ScriptedChat
    from pytest_comem.endpoint.server import LoopbackServer
    from pytest_comem.memory.setup import Endpoint, Setup


class OutOfService(ConnectionError):
    """Raised in place of an answer while something is meant to fail."""


@final
class Faults:
    """Stands between memories and what they call; everything works until told otherwise.

    :param embedder: what embeds while that works.
    :param endpoint: the run's own; a model of the user's at another place is left to it.
    """

    def __init__(self, embedder: Embedder, endpoint: Endpoint) -> None:
        self._failing: set[str] = set()
        self._lock = threading.Lock()
        self._server: LoopbackServer | None = None
        self._url = ""
        self._chat: ScriptedChat | None = None
        self._inner = embedder
        self._endpoint = endpoint
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    def set(self, part: str, *, failing: bool) -> None:
        """Let the ``embedder`` or the ``model`` fail, or work again."""
        (self._failing.add if failing else self._failing.discard)(part)

    def serve(self, setup: Setup) -> None:
        """Put these in the place of what *setup* has."""
        setup.embedder = self
        setup.endpoint = _Endpoint(self, self._endpoint, setup.endpoint)

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return vectors while the embedder works."""
        self._check("embedder")
        return self._inner.embed(texts)

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the scripted model's reply while the model works."""
        self._check("model")
        with self._lock:
            if self._chat is None:
                from pytest_comem.endpoint.scripted import ScriptedChat

                self._chat = ScriptedChat()
        return self._chat.complete(request)

    def url(self) -> str:
        """Return the base URL of a server with this embedder and model, started when needed."""
        with self._lock:
            if self._server is None:
                from pytest_comem.endpoint.server import LoopbackServer

                self._server = LoopbackServer(self, self)
                self._url = self._server.start()
            return self._url

    def close(self) -> None:
        """Stop the server where one was started."""
        with self._lock:
            server, self._server = self._server, None
        if server is not None:
            server.stop()

    def _check(self, part: str) -> None:
        if part in self._failing:
            raise OutOfService(f"the {part} is out of service")


@final
class _Endpoint:
    def __init__(self, faults: Faults, run: Endpoint, inner: Endpoint) -> None:
        self._faults = faults
        self._is_scripted = run.chat_model == SCRIPTED
        self.embedding_model = faults.name
        self.chat_model = inner.chat_model
        self._inner = inner

    @property
    def api_key(self) -> str:
        return self._inner.api_key

    @property
    def embedding_url(self) -> str:
        return self._faults.url()

    @property
    def chat_url(self) -> str:
        return self._faults.url() if self._is_scripted else self._inner.chat_url
