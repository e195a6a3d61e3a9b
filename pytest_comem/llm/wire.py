"""Calls of OpenAI-compatible servers at a base URL, straight over HTTP.

LiteLLM would do it as well, at several times the processor's time a call, and that is what limits
a run with many calls in flight.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any, Final, final
from urllib.parse import urlsplit

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.classify import refused, shortened
from pytest_comem.llm.connections import Connections
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.prices import prices_of, without_prices
from pytest_comem.llm.replies import read_completion, read_vectors

#: Prefixes of a model's name that say which protocol it is, and are not part of its name there.
WIRE_PREFIXES: Final = ("openai", "hosted_vllm", "lm_studio", "litellm_proxy", "custom_openai")
#: Seconds to reach a server.
CONNECT: Final = 5.0
#: Environment variable of the key, where a prefix does not name another one, as in LiteLLM: what
#: is meant for OpenAI is not for the operator of a proxy to see.
KEY: Final = "OPENAI_API_KEY"
_KEYS: Final[Mapping[str, str]] = {
    "hosted_vllm": "HOSTED_VLLM_API_KEY",
    "lm_studio": "LM_STUDIO_API_KEY",
    "litellm_proxy": "LITELLM_PROXY_API_KEY",
}
#: What servers that want no key accept.
_NO_KEY: Final = "local"
#: Bytes of a reply, at most.
MAX_REPLY: Final = 64 * 1024 * 1024


@final
class OpenAIWire:
    """One OpenAI-compatible server; from any thread. The key is read at each call and not kept.

    :param api_base: up to what stands before ``/chat/completions``.
    :param keyed: it is sent the user's key; a server of our own is not.
    :raises SettingsError: where httpx is missing or the URL is none.
    """

    def __init__(self, api_base: str, *, keyed: bool = True) -> None:
        check_wire(api_base)
        self._keyed = keyed
        self._base = api_base.strip().rstrip("/")
        self._connections = Connections(self._base)

    def chat(self, call: ChatCall) -> Completion:
        """Make one attempt.

        :raises ProviderFault: where it fails.
        """
        body = {**without_prices(call.body), "model": name_on_wire(call.model.name)}
        # Whoever wants a stream gets one from the whole reply.
        for name in ("stream", "stream_options"):
            body.pop(name, None)
        reply = self._post("chat/completions", call.model, body)
        return read_completion(reply, prices_of(call.model.parameters))

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Make one attempt; the model's parameters are sent as they are.

        :raises ProviderFault: where it fails.
        """
        body = {
            "encoding_format": "float",
            **without_prices(model.parameters),
            "model": name_on_wire(model.name),
            "input": list(texts),
        }
        reply = self._post("embeddings", model, body)
        return read_vectors(reply, len(texts), prices_of(model.parameters))

    def close(self) -> None:
        """Close all connections."""
        self._connections.close()

    def _post(self, path: str, model: ModelSpec, body: Mapping[str, Any]) -> Any:
        import httpx

        variable, timeout = _variable(model.name), model.timeout
        try:
            data = json.dumps(body).encode("ascii")
        except (TypeError, ValueError, RecursionError) as error:
            raise ProviderFault(Fault.BAD_REQUEST, f"the request is not JSON: {error}") from None
        key = _key(variable) if self._keyed else _NO_KEY
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        try:
            status, told, content = self._exchange(f"{self._base}/{path}", data, headers, timeout)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            raise fault_of_exchange(error, timeout) from None
        except RuntimeError as error:
            # What httpx says of a call after the end of the run.
            raise ProviderFault(Fault.CONNECTION, shortened(str(error))) from None
        if not 200 <= status < 300:
            raise _with_hint(refused(status, told, content), status, variable)
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            raise ProviderFault(Fault.SERVER_ERROR, "the reply is not JSON") from None

    def _exchange(
        self, url: str, data: bytes, headers: Mapping[str, str], timeout: float
    ) -> tuple[int, Mapping[str, str], bytes]:
        """Return status, headers and body; a reply that trickles in is given up as well."""
        import httpx

        deadline = time.monotonic() + timeout
        patience = httpx.Timeout(timeout, connect=min(CONNECT, timeout))
        with (
            self._connections.one() as client,
            client.stream("POST", url, content=data, headers=headers, timeout=patience) as response,
        ):
            chunks, size = [], 0
            for chunk in response.iter_bytes():
                size += len(chunk)
                chunks.append(chunk)
                if size > MAX_REPLY:
                    raise ProviderFault(
                        Fault.SERVER_ERROR, f"the reply has more than {MAX_REPLY} bytes"
                    )
                if time.monotonic() > deadline:
                    raise httpx.ReadTimeout("the reply did not end", request=response.request)
            return response.status_code, response.headers, b"".join(chunks)


def _with_hint(fault: ProviderFault, status: int, variable: str) -> ProviderFault:
    """Return *fault* with what a user most likely has to look at."""
    hint = ""
    if fault.kind is Fault.AUTHENTICATION:
        hint = f" (the key is taken from the variable {variable})"
    elif status == HTTPStatus.NOT_FOUND:
        hint = " (is it the model's name, and does the base URL end in /v1?)"
    return ProviderFault(fault.kind, f"{fault}{hint}", fault.retry_after)


def fault_of_exchange(error: BaseException, timeout: float) -> ProviderFault:
    """Return the fault that an exception of httpx stands for.

    :param timeout: seconds the attempt had.
    """
    import httpx

    if isinstance(error, httpx.ConnectTimeout):
        # Nobody is there, as opposed to somebody who takes his time.
        reach = min(CONNECT, timeout)
        return ProviderFault(Fault.CONNECTION, f"the server was not reached in {reach:g} s")
    if isinstance(error, httpx.TimeoutException):
        return ProviderFault(Fault.TIMEOUT, f"no reply in {timeout:g} s")
    if isinstance(error, httpx.InvalidURL | httpx.UnsupportedProtocol):
        return ProviderFault(Fault.BAD_REQUEST, f"the URL is none: {shortened(str(error))}")
    if isinstance(error, httpx.DecodingError):
        return ProviderFault(Fault.SERVER_ERROR, "the reply's compression is broken")
    said = shortened(str(error))
    return ProviderFault(Fault.CONNECTION, f"{type(error).__name__}: {said}".rstrip(": "))


def name_on_wire(name: str) -> str:
    """Return a model's name as the server knows it."""
    prefix, slash, rest = name.partition("/")
    return rest if slash and rest and prefix in WIRE_PREFIXES else name


def check_wire(api_base: str) -> None:
    """Check what calls at a base URL need.

    :raises SettingsError: where httpx is missing or the URL is none.
    """
    if find_spec("httpx") is None:
        raise SettingsError("calls at a base URL need the package httpx; pip install httpx")
    try:
        parts = urlsplit(api_base.strip())
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise SettingsError(
            f"{shortened(api_base)!r} is no base URL; one looks like http://127.0.0.1:8000/v1"
        )


def _variable(name: str) -> str:
    """Return the environment variable of the key for a model of this name."""
    return _KEYS.get(name.partition("/")[0], KEY)


def _key(variable: str) -> str:
    """Return the key, or what servers that want none accept."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and (key.isprintable() or not key)):
        raise ProviderFault(Fault.AUTHENTICATION, f"{variable} has characters that no key has")
    return key or _NO_KEY
