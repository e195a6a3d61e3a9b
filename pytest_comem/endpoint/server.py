"""The OpenAI-compatible server on loopback that memory libraries send their own calls to.

Libraries that take no embedder or model of ours take a base URL. Behind this one stand the run's
embedder and its model for memory systems, so that every library of a run embeds with the same
vectors, and each of its calls is counted for the memory instance that makes it.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, final

from pytest_comem.core.printable import printable
from pytest_comem.embedders.base import Embedder
from pytest_comem.endpoint.callers import PREFIX, Caller, Callers, split
from pytest_comem.endpoint.chat import Chat
from pytest_comem.endpoint.forwarding import refusal
from pytest_comem.endpoint.served import ServedChat, ServedModel
from pytest_comem.endpoint.wire import (
    BadRequestError,
    chat_stream,
    embedding_reply,
    error_reply,
    read_embedding_request,
    read_object,
)
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter
from pytest_comem.secrets import without_secrets

#: Bytes of a request's body, at most.
MAX_BODY: Final = 32 * 1024 * 1024
#: Digits of a request's length, at most.
_LENGTH_DIGITS: Final = 18
#: Seconds a client that sends too much gets to finish.
_PATIENCE: Final = 5.0
_JSON: Final = "application/json"


@final
class LoopbackServer:
    """Serves an embedder and a model at 127.0.0.1, any key, any model name.

    At ``/v1`` nobody knows who calls; :meth:`admit` gives a memory instance an address of its own.

    :param embedder: behind ``/v1/embeddings``; called from many threads.
    :param model: behind ``/v1/chat/completions``; called from many threads.
    """

    def __init__(self, embedder: Embedder, model: Chat | ServedModel) -> None:
        self._embedder = embedder
        self._model = model if isinstance(model, ServedModel) else ServedChat(model)
        self._callers = Callers()
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> str:
        """Serve on a free port and return the base URL, which ends in ``/v1``."""
        server = _Server(self._embedder, self._model, self._callers)
        thread = threading.Thread(
            target=server.serve_forever, args=(0.1,), name="comem-endpoint", daemon=True
        )
        thread.start()
        self._server, self._thread = server, thread
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    def admit(self, meter: Meter) -> tuple[str, str]:
        """Return a token and the path of a base URL, whose calls are counted in *meter*."""
        token = self._callers.admit(meter)
        return token, f"{PREFIX}{token}/v1"

    def dismiss(self, token: str) -> None:
        """Answer no further call at this token's address."""
        self._callers.dismiss(token)

    def stop(self) -> None:
        """Stop serving and drop every connection; does nothing where it does not serve."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.shutdown()
            thread.join()
            server.server_close()
            server.drop_connections()


@final
class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, embedder: Embedder, model: ServedModel, callers: Callers) -> None:
        self.embedder = embedder
        self.model = model
        self.callers = callers
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's, which looks up the name of the address.
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: only a connection that broke comes to here."""

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def drop_connections(self) -> None:
        with self._lock:
            left = list(self._connections)
        for connection in left:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@final
class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

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
        """Answer embeddings and chats."""
        body = self._body()
        if body is None:
            return
        known = {
            "/v1/embeddings": self._embeddings,
            "/v1/chat/completions": self._chat_completions,
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
        embedder = self.server.embedder
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
            completion = self.server.model.complete(asked, identity, caller)
        if asked.get("stream"):
            options = asked.get("stream_options")
            with_usage = isinstance(options, dict) and bool(options.get("include_usage"))
            return chat_stream(completion, with_usage=with_usage), "text/event-stream"
        return _json(completion), _JSON

    def _models(self) -> dict[str, Any]:
        names = (self.server.embedder.name, self.server.model.name)
        entries = [{"id": name, "object": "model", "created": 0, "owned_by": "x"} for name in names]
        return {"object": "list", "data": entries}

    def _route(self) -> tuple[Caller | None, str]:
        """Return who calls, and the path behind their base URL's root.

        :raises LookupError: where the path has a token of nobody.
        """
        token, path = split(self.path.partition("?")[0].rstrip("/"))
        if token is None:
            return None, path
        caller = self.server.callers.find(token)
        if caller is None:
            raise LookupError(
                f"unknown: {self.path}; no memory instance has this address, or it was closed"
            )
        return caller, path

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
