"""Which way a call goes: straight to an OpenAI-compatible server, or through LiteLLM."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol
from urllib.parse import urlsplit

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.library import is_provider
from pytest_comem.llm.local.files import is_local
from pytest_comem.llm.wire import WIRE_PREFIXES, OpenAIWire

#: Providers of models that are given without a prefix, by how their names begin.
_BARE: Final = {
    "gpt-": "openai",
    "chatgpt-": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "text-embedding-": "openai",
    "claude-": "anthropic",
    "gemini-": "vertex_ai",
}


class Transport(Protocol):
    """Makes one attempt of a call; from any thread. No retries, no counting."""

    def chat(self, call: ChatCall) -> Completion:
        """Return the completed chat.

        :raises ProviderFault: where the attempt fails, and nothing else.
        """

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Return one vector a text, in order.

        :raises ProviderFault: where the attempt fails, and nothing else.
        """

    def close(self) -> None:
        """Let connections go; later attempts fail."""


def find_transport(model: ModelSpec) -> Transport:
    """Return a new transport that can call *model*; it has connections of its own.

    :raises ProviderFault: where its base URL is none, or a package is missing.
    """
    if goes_direct(model):
        try:
            return OpenAIWire(model.api_base)
        except SettingsError as error:
            raise ProviderFault(Fault.BAD_REQUEST, str(error)) from None
    if is_local(model):
        from pytest_comem.llm.local.transport import LocalTransport

        return LocalTransport(model.name)
    from pytest_comem.llm.litellm_transport import LiteLLMTransport

    return LiteLLMTransport()


def goes_direct(model: ModelSpec) -> bool:
    """Whether calls of *model* go straight to its base URL.

    LiteLLM is only imported where a prefix may be one of its providers: it speaks other protocols
    at the base URL of ``azure/``, ``anthropic/`` or ``ollama/``.
    """
    if not model.api_base:
        return False
    prefix, slash, _ = model.name.partition("/")
    return not slash or prefix in WIRE_PREFIXES or not is_provider(prefix)


def provider_of(model: ModelSpec) -> str:
    """Return who is called, as far as limits are concerned: host and port, or a provider's name.

    Never imports LiteLLM; a name that says nothing stands for itself.
    """
    if model.api_base:
        return _host_of(model.api_base)
    prefix, slash, _ = model.name.partition("/")
    if slash:
        return prefix
    found = (provider for start, provider in _BARE.items() if model.name.startswith(start))
    return next(found, model.name)


def _host_of(api_base: str) -> str:
    """Return host and port, and nothing of a password that may stand before them."""
    try:
        parts = urlsplit(api_base.strip())
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return f"{parts.hostname or 'unknown'}:{port}"
    except ValueError:
        return "unknown"
