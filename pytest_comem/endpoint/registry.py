"""Where memory libraries find their model and embedder."""

from __future__ import annotations

import os
import threading
from functools import cached_property
from typing import TYPE_CHECKING, Final, final
from urllib.parse import urlsplit

from pytest_comem.embedders.base import Embedder
from pytest_comem.errors import InfrastructureError, SettingsError

if TYPE_CHECKING:
    from pytest_comem.endpoint.server import LoopbackServer

SCRIPTED: Final = "scripted"


def find_endpoint(
    embedder: Embedder, *, model: str, api_base: str
) -> LocalEndpoint | RemoteEndpoint:
    """Return the endpoint for ``--comem-memory-model`` and ``--comem-memory-api-base``.

    :raises SettingsError: where one is given without the other, or the address is none.
    """
    local = LocalEndpoint(embedder)
    if api_base:
        _check_address(api_base)
        if model == SCRIPTED:
            raise SettingsError(
                f"--comem-memory-api-base: {api_base} needs --comem-memory-model, the name of a "
                "model there; 'scripted' is our own and has no address"
            )
        return RemoteEndpoint(api_base, model, local)
    if model != SCRIPTED:
        raise SettingsError(
            f"--comem-memory-model: {model!r} needs --comem-memory-api-base, the base URL of an "
            "OpenAI-compatible server; without one only 'scripted' is known"
        )
    return local


@final
class LocalEndpoint:
    """Our own server on loopback, started when an address is first read."""

    chat_model: Final = SCRIPTED
    api_key: Final = "local"

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._lock = threading.Lock()
        self._server: LoopbackServer | None = None

    @property
    def embedding_model(self) -> str:
        """Name of the run's embedder."""
        return self._embedder.name

    @property
    def chat_url(self) -> str:
        """Base URL of the scripted model."""
        with self._lock:
            return self._url

    @property
    def embedding_url(self) -> str:
        """Base URL of the run's embedder."""
        return self.chat_url

    @cached_property
    def _url(self) -> str:
        from pytest_comem.endpoint.scripted import ScriptedChat
        from pytest_comem.endpoint.server import LoopbackServer

        _spare_loopback_the_proxy()
        self._server = LoopbackServer(self._embedder, ScriptedChat())
        return self._server.start()

    def close(self) -> None:
        """Stop the server, where one was started."""
        with self._lock:
            if self._server is not None:
                self._server.stop()


@final
class RemoteEndpoint:
    """A model of the user's for chat, our own server for embeddings."""

    def __init__(self, chat_url: str, chat_model: str, local: LocalEndpoint) -> None:
        self.chat_url: Final = chat_url
        self.chat_model: Final = chat_model
        self._local = local

    @property
    def embedding_url(self) -> str:
        """Base URL of the run's embedder."""
        return self._local.embedding_url

    @property
    def embedding_model(self) -> str:
        """Name of the run's embedder."""
        return self._local.embedding_model

    @property
    def api_key(self) -> str:
        """The user's key, without the white space of the file it came from; ours takes any."""
        key = os.environ.get("OPENAI_API_KEY", "").strip()
        if not key.isprintable():
            raise InfrastructureError("OPENAI_API_KEY holds control characters", type="provider")
        return key or "local"

    def close(self) -> None:
        """Stop our own server."""
        self._local.close()


def _check_address(api_base: str) -> None:
    parts = urlsplit(api_base)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            f"--comem-memory-api-base: {api_base!r} is no address; it looks like "
            "http://127.0.0.1:8000/v1"
        )
    if parts.username or parts.password or parts.query:
        # It goes into the manifest and into messages.
        raise SettingsError(
            "--comem-memory-api-base: an address with a user, a password or a query is refused; "
            "the key belongs into the environment variable OPENAI_API_KEY"
        )


def _spare_loopback_the_proxy() -> None:
    """Keep libraries from sending what is meant for this machine to a proxy."""
    for name in ("NO_PROXY", "no_proxy"):
        spared = [host for host in os.environ.get(name, "").split(",") if host]
        if "*" not in spared:
            os.environ[name] = ",".join(dict.fromkeys([*spared, "127.0.0.1", "localhost"]))
