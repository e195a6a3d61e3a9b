"""The OpenAI-compatible server on loopback that memory libraries send their own calls to.

Libraries that take no embedder or model of ours take a base URL. Behind this one stand the run's
embedder and its model for memory systems, so that every library of a run embeds with the same
vectors, and each of its calls is counted for the memory instance that makes it.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from contextlib import suppress
from http.server import ThreadingHTTPServer
from typing import Any, final

from pytest_comem.embedders.base import Embedder
from pytest_comem.endpoint.callers import PREFIX, Callers
from pytest_comem.endpoint.chat import Chat
from pytest_comem.endpoint.handler import MAX_BODY as MAX_BODY
from pytest_comem.endpoint.handler import Handler
from pytest_comem.endpoint.served import ServedChat, ServedModel
from pytest_comem.llm.meter import Meter


@final
class LoopbackServer:
    """Serves an embedder and a model at 127.0.0.1, any key, any model name.

    At ``/v1`` nobody knows who calls; :meth:`admit` gives a memory instance an address of its own.

    :param embedder: behind ``/v1/embeddings``; called from many threads.
    :param model: behind ``/v1/chat/completions`` and ``/v1/responses``; called from many threads.
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
        super().__init__(("127.0.0.1", 0), Handler)

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
