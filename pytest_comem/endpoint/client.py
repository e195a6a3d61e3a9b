"""A small client for our own memory systems that call a model through the endpoint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.embedders.posting import Poster

#: Seconds one call may take: the door behind the endpoint has time limits of its own, and waits
#: between its attempts.
PATIENCE: Final = 3_600.0


@final
class ChatClient:
    """Asks one model at one base URL; no retries, which belong to the door.

    :param base_url: OpenAI-compatible, ending in ``/v1``.
    """

    def __init__(self, base_url: str, model: str, api_key: str) -> None:
        self._model = model
        self._poster = Poster(
            f"{base_url.rstrip('/')}/chat/completions",
            api_key,
            part="memory model",
            timeout=PATIENCE,
        )

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return the text of the model's reply to ``role``/``content`` messages.

        :param json_object: ask for a JSON object.
        :raises InfrastructureError: where the call fails or the reply has no text.
        """
        body: dict[str, Any] = {"model": self._model, "messages": list(messages), "temperature": 0}
        if json_object:
            body["response_format"] = {"type": "json_object"}
        reply = self._poster.post(body)
        try:
            text = reply["choices"][0]["message"]["content"]
        except (LookupError, TypeError) as error:
            raise self._poster.failed(f"no message in the reply: {error!r}") from error
        if not isinstance(text, str):
            raise self._poster.failed(f"the message's content is {text!r}, not a text")
        return text
