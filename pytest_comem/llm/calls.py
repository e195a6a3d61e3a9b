"""What is asked of a model, and what comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, final
from urllib.parse import urlsplit

from pytest_comem.core.addresses import is_loopback
from pytest_comem.core.hashing import stable_hash

#: Seconds one attempt of a call may take.
TIMEOUT: Final = 120.0


@final
@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model, where it is, and how it is asked; never its key.

    :param name: as the user gave it, such as ``openai/gpt-4o-mini``.
    :param api_base: OpenAI-compatible or provider's own base URL; empty for the provider's usual.
    :param parameters: sent with every call, such as ``temperature`` and ``max_tokens``.
    :param timeout: seconds one attempt may take.
    """

    name: str
    api_base: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    timeout: float = TIMEOUT

    @property
    def server(self) -> str:
        """The host at which the model is, without its port; empty for the provider's usual.

        Two servers may have different models of one name. A port is an accident on this machine.
        """
        host = urlsplit(self.api_base).hostname or "" if self.api_base else ""
        return "localhost" if host and is_loopback(host) else host


@final
@dataclass(frozen=True)
class ChatCall:
    """A chat to be completed, in OpenAI's JSON shapes.

    :param model: which model.
    :param messages: ``role``/``content`` objects, in order.
    :param more: further members of the body (``seed``, ``response_format``, ``tools``); they win
        over the model's own parameters.
    :param probing: a refusal as a bad request is an answer to the caller, not the end of the run.
    :param passing: texts in the body that pass with time, such as today's date in a library's
        prompt; the call is the same without them.
    """

    model: ModelSpec
    messages: Sequence[Mapping[str, Any]]
    more: Mapping[str, Any] = field(default_factory=dict)
    probing: bool = False
    passing: Sequence[str] = ()

    @cached_property
    def body(self) -> dict[str, Any]:
        """The request's body without the model's name."""
        return {"messages": list(self.messages), **self.model.parameters, **self.more}

    @cached_property
    def key(self) -> str:
        """Hash of everything that determines the reply."""
        body: Any = self.body
        if self.passing:
            body = json.dumps(body, sort_keys=True)
            for text in self.passing:
                body = body.replace(text, "")
        return stable_hash(["chat", self.model.name, body])


@final
@dataclass(frozen=True, slots=True)
class Completion:
    """A completed chat.

    :param message: the assistant's message in OpenAI's shape.
    :param finish_reason: such as ``stop``, ``length`` or ``tool_calls``.
    :param input_tokens: as the provider counted them; 0 where it does not say.
    :param output_tokens: likewise.
    :param cost: US dollars, or ``None`` where the price is unknown.
    """

    message: Mapping[str, Any]
    finish_reason: str = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None

    @property
    def text(self) -> str:
        """The message's text; empty where it has none."""
        content = self.message.get("content")
        return content if isinstance(content, str) else ""


@final
@dataclass(frozen=True, slots=True)
class Vectors:
    """Embeddings, one a text, as the provider gave them.

    :param input_tokens: for all texts; 0 where the provider does not say.
    :param cost: US dollars for all, or ``None`` where the price is unknown.
    """

    vectors: Sequence[Sequence[float]]
    input_tokens: int = 0
    cost: float | None = None
