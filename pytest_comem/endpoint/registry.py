"""Where memory libraries find their model and embedder: at a loopback address of ours, always."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Final, final
from urllib.parse import urlsplit

from pytest_comem.embedders.base import Embedder
from pytest_comem.endpoint.served import SCRIPTED as SCRIPTED
from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import TIMEOUT, ModelSpec

if TYPE_CHECKING:
    from pytest_comem.endpoint.server import LoopbackServer
    from pytest_comem.llm.door import Door
    from pytest_comem.llm.meter import Meter


def find_endpoint(
    embedder: Embedder,
    *,
    model: str,
    api_base: str,
    door: Door | None = None,
    timeout: float = TIMEOUT,
) -> LocalEndpoint:
    """Return the endpoint for ``--comem-memory-model`` and ``--comem-memory-api-base``.

    :param model: ``scripted``, a name at *api_base*, or, without one, what LiteLLM takes.
    :param door: makes the calls of any model but ``scripted``; one of the endpoint's own when not
        given, without a budget or recordings.
    :param timeout: seconds one attempt of a call may take.
    :raises SettingsError: where there is no model, or the address is none or has a secret in it.
    """
    if not model:
        raise SettingsError(
            f"--comem-memory-model: it is empty; it is {SCRIPTED!r} or a model such as "
            "openai/gpt-4o-mini"
        )
    if model == SCRIPTED:
        if api_base:
            raise SettingsError(
                f"--comem-memory-api-base: {api_base} needs --comem-memory-model, the name of a "
                "model there; 'scripted' is our own and has no address"
            )
        return LocalEndpoint(embedder)
    if api_base:
        _check_address(api_base)
    return LocalEndpoint(embedder, spec_of(model, api_base, timeout), model=model, door=door)


def spec_of(model: str, api_base: str, timeout: float = TIMEOUT) -> ModelSpec:
    """Return the model *model*; at an address it is one of a server that speaks as OpenAI's."""
    from pytest_comem.llm.wire import WIRE_PREFIXES

    provider, slash, _ = model.partition("/")
    if not api_base or (slash and provider in WIRE_PREFIXES):
        return ModelSpec(model, api_base, timeout=timeout)
    return ModelSpec(f"openai/{model}", api_base, timeout=timeout)


@final
class LocalEndpoint:
    """Our own server on loopback, started when an address is first read.

    :param spec: a model that is reached through *door*; the scripted one when not given.
    :param model: the name the user gave it.
    """

    api_key: Final = "local"

    def __init__(
        self,
        embedder: Embedder,
        spec: ModelSpec | None = None,
        *,
        model: str = SCRIPTED,
        door: Door | None = None,
    ) -> None:
        self.chat_model: Final = model
        self._embedder = embedder
        self.spec: Final = spec
        self._door = door
        self._own_door: Door | None = None
        self._lock = threading.Lock()
        self._server: LoopbackServer | None = None
        self._url = ""

    @property
    def embedding_model(self) -> str:
        """Name of the run's embedder."""
        return self._embedder.name

    @property
    def asked_model(self) -> str:
        """Name that libraries ask for: without the provider, which only the door has to know.

        Some libraries leave out parameters that a model does not take, going by its name.
        """
        if self.spec is None:
            return self.chat_model
        provider, slash, name = self.spec.name.partition("/")
        return name if slash else provider

    @property
    def chat_url(self) -> str:
        """Base URL of nobody in particular; only the scripted model answers there."""
        return self.server()[1]

    @property
    def embedding_url(self) -> str:
        """Base URL of the run's embedder."""
        return self.chat_url

    def of(self, meter: Meter) -> InstanceEndpoint:
        """Return the endpoint as one memory instance sees it; its calls are counted in *meter*."""
        return InstanceEndpoint(self, meter)

    def server(self) -> tuple[LoopbackServer, str]:
        """Return the running server and its base URL."""
        with self._lock:
            if self._server is None:
                self._server = self._new_server()
                self._url = self._server.start()
            return self._server, self._url

    def close(self) -> None:
        """Stop the server, where one was started."""
        with self._lock:
            if self._server is not None:
                self._server.stop()
            if self._own_door is not None:
                self._own_door.close()

    def _new_server(self) -> LoopbackServer:
        from pytest_comem.endpoint.server import LoopbackServer

        _spare_loopback_the_proxy()
        if self.spec is None:
            from pytest_comem.endpoint.scripted import ScriptedChat

            return LoopbackServer(self._embedder, ScriptedChat())
        from pytest_comem.endpoint.forwarding import ForwardedModel

        return LoopbackServer(self._embedder, ForwardedModel(self.spec, self._found_door()))

    def _found_door(self) -> Door:
        if self._door is None:
            from pytest_comem.llm.door import Door

            self._door = self._own_door = Door()
        return self._door


@final
class InstanceEndpoint:
    """The endpoint at an address of one memory instance's own, so that its calls are known.

    The server gets to know the instance when an address is first read.
    """

    def __init__(self, owner: LocalEndpoint, meter: Meter) -> None:
        self._owner = owner
        self._meter = meter
        self._lock = threading.Lock()
        self._token = ""
        self._url = ""
        self.chat_model: Final = owner.asked_model
        self.embedding_model: Final = owner.embedding_model
        self.api_key: Final = owner.api_key

    @property
    def chat_url(self) -> str:
        """Base URL for chat completions."""
        with self._lock:
            if not self._token:
                server, url = self._owner.server()
                self._token, path = server.admit(self._meter)
                self._url = url.removesuffix("/v1") + path
            return self._url

    @property
    def embedding_url(self) -> str:
        """Base URL of the run's embedder."""
        return self.chat_url

    def close(self) -> None:
        """Have the server forget the instance; requests of it are not found any more."""
        with self._lock:
            if self._token:
                self._owner.server()[0].dismiss(self._token)


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
