"""A small OpenAI-compatible server for tests, scripted to answer, to be slow and to fail.

It listens on a real socket of this machine, so that what is tested is what meets a provider: pooled
connections, status codes, headers, bodies that break off. One thread a connection, kept alive.
"""

from __future__ import annotations

import json
import socket
import socketserver
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Literal, final

#: Numbers of an embedding.
DIMENSIONS: Final = 8
#: Seconds that connections get to end when the server does.
_PATIENCE: Final = 5.0


@final
@dataclass(frozen=True, slots=True)
class Answer:
    """A completed chat, where its text alone does not say enough.

    :param text: the message's content; ``None`` for a message without.
    :param message: further members of the message, such as ``tool_calls``.
    :param input_tokens: words of all messages where not given.
    :param output_tokens: words of the text where not given.
    :param with_usage: whether the reply says how many tokens there were.
    """

    text: str | None
    finish_reason: str = "stop"
    message: Mapping[str, Any] = field(default_factory=dict)
    input_tokens: int | None = None
    output_tokens: int | None = None
    with_usage: bool = True


@final
@dataclass(frozen=True, slots=True)
class Fault:
    """What the server does instead of answering.

    :param how: ``status`` sends an error in OpenAI's shape; ``close`` closes the connection without
        a byte; ``break`` sends half of the real reply; ``garbage`` sends a body that is no JSON;
        ``body`` sends *body* as it is; ``delay`` answers after *delay* seconds after all.
    :param status: of the reply, for ``status`` and ``body``.
    :param delay: seconds before anything is sent, on top of the server's latency.
    """

    how: Literal["status", "close", "break", "garbage", "body", "delay"] = "status"
    status: int = 500
    message: str = "scripted failure"
    code: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0.0


#: What a server says about *body* at its *attempt*, 1 for the first; ``None`` for a real answer.
Faults = Callable[[dict[str, Any], int], Fault | None]


def rate_limit(retry_after: str | None = None) -> Fault:
    """Return a 429, with the header ``Retry-After`` where given."""
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Fault(
        status=429, message="Rate limit reached", code="rate_limit_exceeded", headers=headers
    )


def first(*faults: Fault | None) -> Faults:
    """Return a script that fails every body's first attempts in the ways given."""
    return lambda body, attempt: faults[attempt - 1] if attempt <= len(faults) else None


def always(fault: Fault) -> Faults:
    """Return a script that fails every attempt in the same way."""
    return lambda body, attempt: fault


def seeded_faults(rate: float, seed: int, *, stall: float = 1.0, most: int = 3) -> Faults:
    """Return a script that fails this share of attempts, decided by content and attempt alone.

    :param rate: between 0 and 1.
    :param stall: seconds of a delay that is longer than the client's timeout.
    :param most: attempts of one body that may fail, so that patient clients get through.
    """
    kinds = (
        rate_limit("0"),
        Fault(status=500, message="The server had an error"),
        Fault(how="delay", delay=stall),
        Fault(how="close"),
        Fault(how="break"),
        Fault(how="garbage"),
    )

    def decide(body: dict[str, Any], attempt: int) -> Fault | None:
        digest = blake2b(f"{seed}\n{_canonical(body)}\n{attempt}".encode(), digest_size=16).digest()
        share = int.from_bytes(digest[:8], "big") / 2**64
        if attempt > most or share >= rate:
            return None
        return kinds[int.from_bytes(digest[8:], "big") % len(kinds)]

    return decide


@final
class ModelServer:
    """Serves chats, embeddings and a list of models while its ``with`` block lasts.

    :param answer: given a chat's body, returns the reply; called from many threads.
    :param faults: asked before each answer.
    :param latency: seconds before each reply.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any]], str | Answer] = lambda body: "ok",
        *,
        faults: Faults | None = None,
        latency: float = 0.0,
    ) -> None:
        self.answer: Final = answer
        self.faults: Final = faults
        self.latency: Final = latency
        #: Bodies of all chats and embeddings, in the order of their arrival.
        self.calls: Final[list[dict[str, Any]]] = []
        #: Their headers, names in lower case.
        self.headers: Final[list[dict[str, str]]] = []
        self.in_flight_max = 0
        self.connections = 0
        self.failed = 0
        self.closing: Final = threading.Event()
        self._in_flight = 0
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def __enter__(self) -> ModelServer:
        self._server = _Server(self)
        threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="model-server", daemon=True
        ).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.closing.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.end()

    @property
    def url(self) -> str:
        """The base URL, which ends in ``/v1``."""
        assert self._server is not None, "the server runs inside its with block"
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """Bodies of the chats alone."""
        return [body for body in self.calls if "messages" in body]

    def arrived(self, body: dict[str, Any], headers: dict[str, str]) -> int:
        """Note a call and return which attempt of this body it is."""
        with self._lock:
            self.calls.append(body)
            self.headers.append(headers)
            self._in_flight += 1
            self.in_flight_max = max(self.in_flight_max, self._in_flight)
            key = _canonical(body)
            self._attempts[key] += 1
            return self._attempts[key]

    def left(self, fault: Fault | None) -> None:
        """Note that a call is over."""
        with self._lock:
            self._in_flight -= 1
            self.failed += fault is not None

    def connected(self) -> None:
        """Note a connection."""
        with self._lock:
            self.connections += 1


@final
class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, script: ModelServer) -> None:
        self.script = script
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        # Not HTTPServer's, which looks up the name of the address.
        socketserver.TCPServer.server_bind(self)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: only a connection that broke comes to here."""

    def process_request(self, request: Any, client_address: Any) -> None:
        self.script.connected()
        with self._changed:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def end(self) -> None:
        self.server_close()
        with self._changed:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self._changed.wait_for(lambda: not self._open, _PATIENCE)


@final
class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer the list of models."""
        model = {"id": "m", "object": "model", "created": 0, "owned_by": "tests"}
        known = self.path == "/v1/models"
        self._send(200 if known else 404, {"object": "list", "data": [model]} if known else {})

    def do_POST(self) -> None:
        """Answer one call, or fail it as the script says."""
        script = self.server.script
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        attempt = script.arrived(body, {k.lower(): v for k, v in self.headers.items()})
        fault = script.faults(body, attempt) if script.faults else None
        try:
            wait = script.latency + (fault.delay if fault else 0.0)
            if (wait and script.closing.wait(wait)) or (fault and fault.how == "close"):
                self.close_connection = True
            elif fault is None or fault.how in ("delay", "break"):
                self._send(200, self._reply(body), half=fault is not None and fault.how == "break")
            else:
                self._fail(fault)
        finally:
            script.left(fault)

    def _reply(self, body: dict[str, Any]) -> dict[str, Any]:
        if self.path.endswith("/embeddings"):
            return embeddings_reply(body)
        return chat_reply(body, self.server.script.answer(body))

    def _fail(self, fault: Fault) -> None:
        if fault.how == "status":
            error = {"message": fault.message, "type": "scripted", "code": fault.code}
            self._send(fault.status, {"error": error}, fault.headers)
        else:
            raw = b'{"choices": [' if fault.how == "garbage" else fault.body
            self._send(200 if fault.how == "garbage" else fault.status, raw, fault.headers)

    def _send(
        self,
        status: int,
        value: dict[str, Any] | bytes,
        headers: Mapping[str, str] | None = None,
        *,
        half: bool = False,
    ) -> None:
        """Send head and body in one write: two small writes would wait for each other."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode("ascii")
        head = [
            f"HTTP/1.1 {status} Scripted",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *(f"{name}: {text}" for name, text in (headers or {}).items()),
        ]
        sent = body[: len(body) // 2] if half else body
        self.close_connection = self.close_connection or half
        with suppress(OSError):
            self.wfile.write("\r\n".join([*head, "", ""]).encode("latin-1") + sent)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def chat_reply(body: Mapping[str, Any], answer: str | Answer) -> dict[str, Any]:
    """Return the reply to a chat in OpenAI's shape; tokens are words."""
    said = Answer(answer) if isinstance(answer, str) else answer
    count_in, count_out = said.input_tokens, said.output_tokens
    if count_in is None:
        count_in = sum(len(str(m.get("content") or "").split()) for m in body["messages"])
    if count_out is None:
        count_out = len((said.text or "").split())
    reply: dict[str, Any] = {
        "id": f"chatcmpl-{_digest(_canonical(body)).hex()}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model", "m"),
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": said.text, **said.message},
                "finish_reason": said.finish_reason,
            }
        ],
    }
    if said.with_usage:
        reply["usage"] = {
            "prompt_tokens": count_in,
            "completion_tokens": count_out,
            "total_tokens": count_in + count_out,
        }
    return reply


def embeddings_reply(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return small vectors that follow from the texts, not of length 1."""
    given = body["input"]
    texts = [given] if isinstance(given, str) else list(given)
    tokens = sum(len(str(text).split()) for text in texts)
    return {
        "object": "list",
        "model": body.get("model", "m"),
        "data": [
            {"object": "embedding", "index": index, "embedding": vector_of(str(text))}
            for index, text in enumerate(texts)
        ],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def vector_of(text: str) -> list[float]:
    """Return the vector the server has for *text*."""
    return [byte / 128 - 0.99 for byte in _digest(text)[:DIMENSIONS]]


def _canonical(body: Mapping[str, Any]) -> str:
    return json.dumps(body, sort_keys=True)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).digest()
