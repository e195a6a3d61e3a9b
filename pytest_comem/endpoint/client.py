"""A small client for our own memory systems that call a model through the endpoint."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.errors import InfrastructureError

#: Seconds one call may take.
TIMEOUT: Final = 120.0


@final
class ChatClient:
    """Asks one model at one base URL; no retries, which belong to the engine.

    :param base_url: OpenAI-compatible, ending in ``/v1``.
    """

    def __init__(self, base_url: str, model: str, api_key: str) -> None:
        self._url = f"{base_url.rstrip('/')}/chat/completions"
        self._model = model
        self._key = api_key
        # Environment proxies must not see what is sent to a loopback server.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return the text of the model's reply to ``role``/``content`` messages.

        :param json_object: ask for a JSON object.
        :raises InfrastructureError: where the call fails or the reply has no text.
        """
        body: dict[str, Any] = {"model": self._model, "messages": list(messages), "temperature": 0}
        if json_object:
            body["response_format"] = {"type": "json_object"}
        request = urllib.request.Request(
            self._url,
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"},
        )
        try:
            with self._opener.open(request, timeout=TIMEOUT) as response:
                reply = json.load(response)
            return str(reply["choices"][0]["message"]["content"] or "")
        except (OSError, ValueError, LookupError, TypeError) as error:
            raise InfrastructureError(
                f"the memory model at {self._url} failed: {type(error).__name__}: {error}",
                type="provider",
            ) from error
