"""What the server answers to one request: embeddings, chats, responses, the list of models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from typing import Any, Final, Protocol, cast

from pytest_comem.core.printable import printable
from pytest_comem.embedders.base import Embedder
from pytest_comem.endpoint.callers import Caller, Callers, split
from pytest_comem.endpoint.forwarding import refusal
from pytest_comem.endpoint.responses import chat_body, response_of, response_stream
from pytest_comem.endpoint.served import ServedModel
from pytest_comem.endpoint.wire import (
    BadRequestError,
    chat_stream,
    embedding_reply,
    error_reply,
    read_embedding_request,
    read_object,
)
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.secrets import without_secrets

#: Bytes of a request's body, at most.
MAX_BODY: Final = 32 * 1024 * 1024
#: Digits of a request's length, at most.
_LENGTH_DIGITS: Final = 18
#: Seconds a client that sends too much gets to finish.
_PATIENCE: Final = 5.0
_JSON: Final = "application/json"
_EVENTS: Final = "text/event-stream"


class Serving(Protocol):
    """What a handler's server holds.

    :ivar embedder: behind ``/v1/embeddings``.
    :ivar model: behind chats and responses.
    :ivar callers: who may call at an address of their own.
    """

    embedder: Embedder
    model: ServedModel
    callers: Callers


class Handler(BaseHTTPRequestHandler):
    """Answers the requests of one connection; its server is a :class:`Serving`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def serving(self) -> Serving:
        """The server, as far as it is needed here."""
        return cast(Serving, self.server)

    def do_GET(self) -> None:
        """Answer what can be asked without a body."""
        try:
            _, path = self._route()
        except LookupError as error:
            self._send_missing(str(error))
            return
        if path == "/v1/models":
            self._send_json(HTTPStatus.OK, self._models())
        else:
            self._send_unknown("GET /v1/models")

    def do_POST(self) -> None:
        """Answer embeddings, chats and responses."""
        body = self._body()
        if body is None:
            return
        known = {
            "/v1/embeddings": self._embeddings,
            "/v1/chat/completions": self._chat_completions,
            "/v1/responses": self._responses,
        }
        try:
            caller, path = self._route()
        except LookupError as error:
            self._send_missing(str(error))
            return
        answer = known.get(path)
        if answer is None:
            self._send_unknown(*(f"POST {path}" for path in known))
            return
        try:
            reply, kind = answer(body, caller)
        except BadRequestError as error:
            wrong = error_reply(str(error), type="invalid_request_error", param=error.param)
            self._send_json(HTTPStatus.BAD_REQUEST, wrong)
        except ModelCallError as error:
            self._send_json(*refusal(error))
        except Exception as error:
            name = type(error).__name__
            broken = error_reply(_told(error), type=name)
            self._send_json(HTTPStatus.INTERNAL_SERVER_ERROR, broken)
        else:
            self._send(HTTPStatus.OK, reply, kind)

    def _embeddings(self, body: bytes, caller: Caller | None) -> tuple[bytes, str]:
        asked = read_object(body)
        embedder = self.serving.embedder
        request = read_embedding_request(asked, embedder.dimensions)
        with _noting_failures(caller):
            vectors = embedder.embed(request.texts)
        model = str(asked.get("model") or embedder.name)
        return _json(embedding_reply(model, request, vectors)), _JSON

    def _chat_completions(self, body: bytes, caller: Caller | None) -> tuple[bytes, str]:
        asked = read_object(body)
        # Ids follow from the request, so that two equal runs are equal to the last byte.
        identity = blake2b(body, digest_size=12).hexdigest()
        with _noting_failures(caller):
            completion = self.serving.model.complete(asked, identity, caller)
        if asked.get("stream"):
            options = asked.get("stream_options")
            with_usage = isinstance(options, dict) and bool(options.get("include_usage"))
            return chat_stream(completion, with_usage=with_usage), _EVENTS
        return _json(completion), _JSON

    def _responses(self, body: bytes, caller: Caller | None) -> tuple[bytes, str]:
        asked = read_object(body)
        chat = chat_body(asked)
        identity = blake2b(body, digest_size=12).hexdigest()
        with _noting_failures(caller):
            completion = self.serving.model.complete(chat, identity, caller)
        response = response_of(asked, completion, identity)
        if asked.get("stream"):
            return response_stream(response), _EVENTS
        return _json(response), _JSON

    def _models(self) -> dict[str, Any]:
        names = (self.serving.embedder.name, self.serving.model.name)
        entries = [{"id": name, "object": "model", "created": 0, "owned_by": "x"} for name in names]
        return {"object": "list", "data": entries}

    def caller(self, token: str | None) -> Caller | None:
        """Return who calls at an address with this token, or at the one without.

        :raises LookupError: where the token is nobody's.
        """
        found = None if token is None else self.serving.callers.find(token)
        if found is None and token is not None:
            raise LookupError(
                f"unknown: {self.path}; no memory instance has this address, or it was closed"
            )
        return found

    def _route(self) -> tuple[Caller | None, str]:
        """Return who calls, and the path behind their base URL's root.

        :raises LookupError: where the path has a token of nobody.
        """
        token, path = split(self.path.partition("?")[0].rstrip("/"))
        return self.caller(token), path

    def _body(self) -> bytes | None:
        """Return the request's body, or ``None`` where the request was turned away."""
        length = self.headers.get("Content-Length", "")
        is_length = length.isascii() and length.isdigit() and len(length) <= _LENGTH_DIGITS
        # A body in chunks has no length: what follows it would be taken for the next request.
        if not is_length or "Transfer-Encoding" in self.headers:
            self.send_error(HTTPStatus.LENGTH_REQUIRED, "Content-Length is needed")
            return None
        size = int(length)
        if size <= MAX_BODY:
            return self.rfile.read(size)
        self.send_error(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            f"the body has {size} bytes; {MAX_BODY} are the most",
        )
        # A client still sending would see a broken connection instead of the reply.
        self.connection.settimeout(_PATIENCE)
        with suppress(OSError):
            while size > 0 and (chunk := self.rfile.read1(1 << 20)):
                size -= len(chunk)
        return None

    def _send_unknown(self, *known: str) -> None:
        self._send_missing(f"unknown: {self.command} {self.path}; there is {' and '.join(known)}")

    def _send_missing(self, message: str) -> None:
        reply = error_reply(message, type="invalid_request_error")
        self._send_json(HTTPStatus.NOT_FOUND, reply)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Say what is wrong in OpenAI's shape, and hear no more of this connection."""
        self.close_connection = True
        reply = error_reply(message or HTTPStatus(code).phrase, type="invalid_request_error")
        self._send_json(HTTPStatus(code), reply)

    def _send_json(self, status: HTTPStatus, reply: dict[str, Any]) -> None:
        self._send(status, _json(reply), _JSON)

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        """Send head and body in one write: two small writes would wait for each other."""
        head = [
            f"HTTP/1.1 {status.value} {status.phrase}",
            f"Content-Type: {kind}",
            f"Content-Length: {len(body)}",
        ]
        if status >= HTTPStatus.BAD_REQUEST:
            # OpenAI's client would wait and ask again; the door has done so, in vain.
            head.append("x-should-retry: false")
        if self.close_connection:
            head.append("Connection: close")
        self.wfile.write("\r\n".join([*head, "", ""]).encode("latin-1") + body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@contextmanager
def _noting_failures(caller: Caller | None) -> Iterator[None]:
    """Note what breaks for the caller's engine, whatever the library makes of the reply."""
    try:
        yield
    except BadRequestError:
        # Between the library and us; no model was asked.
        raise
    except Exception as error:
        if caller is not None:
            caller.meter.fail(_as_failed_call(error))
        raise


def _as_failed_call(error: Exception) -> ModelCallError:
    if isinstance(error, ModelCallError):
        return error
    return ModelCallError(_told(error), Fault.SERVER_ERROR)


def _told(error: Exception) -> str:
    return printable(without_secrets(f"{type(error).__name__}: {error}"))


def _json(value: dict[str, Any]) -> bytes:
    return json.dumps(value).encode("ascii")
