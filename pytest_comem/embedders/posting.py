"""One JSON request to an OpenAI-compatible server, with nothing but the standard library."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Any, Final, final
from urllib.parse import urlsplit

from pytest_comem.core.addresses import is_loopback
from pytest_comem.errors import InfrastructureError
from pytest_comem.secrets import without_secrets

#: Seconds one call may take, where nothing else is said.
TIMEOUT: Final = 120.0
#: Characters of a server's own message that are passed on, at most.
_SHOWN: Final = 500


@final
class Poster:
    """Posts to one address; no retries and no redirects, which could carry the key elsewhere.

    :param url: full address.
    :param api_key: sent as bearer token.
    :param part: what stands behind it, for error messages, such as ``memory model``.
    :param timeout: seconds one call may take.
    """

    def __init__(self, url: str, api_key: str, *, part: str, timeout: float = TIMEOUT) -> None:
        self._url = url
        self._timeout = timeout
        self._key = api_key
        self._part = part
        handlers: list[urllib.request.BaseHandler] = [_NoRedirects()]
        if is_loopback(urlsplit(url).hostname or ""):
            # A proxy must not see what is meant for this machine.
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def post(self, body: Mapping[str, Any]) -> Any:
        """Return the JSON value of the reply.

        :raises InfrastructureError: of type ``provider``, where there is none.
        """
        data = json.dumps(body).encode("ascii")
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self._key}"}
        try:
            request = urllib.request.Request(self._url, data, headers)
            with self._opener.open(request, timeout=self._timeout) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            raise self.failed(f"{error}: {_message_of(error)}") from error
        except (OSError, ValueError, HTTPException) as error:
            raise self.failed(f"{type(error).__name__}: {error}") from error

    def failed(self, what: str) -> InfrastructureError:
        """Return the error that says what went wrong at this address."""
        return InfrastructureError(
            f"the {self._part} at {self._url} failed: {what}", type="provider"
        )


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any, **_more: Any) -> None:
        """Let the answer that asks for it be an error."""


def _message_of(error: urllib.error.HTTPError) -> str:
    """Return what the server says about *error*, in OpenAI's shape or any other."""
    text = ""
    with suppress(OSError):
        text = error.read().decode("utf-8", "replace")
    with suppress(ValueError, LookupError, TypeError):
        text = str(json.loads(text)["error"]["message"])
    return without_secrets(text)[:_SHOWN]
