"""A model at a Unix socket of one task's own, for a program in a sandbox that has no network.

The directory that holds the socket is shown inside; who can open the socket is who may ask, so
that no address has a token. Calls are made by the door and counted where they belong.
"""

from __future__ import annotations

import socket
import socketserver
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.embedders.base import Embedder
from pytest_comem.endpoint.callers import Caller, Callers
from pytest_comem.endpoint.handler import Handler
from pytest_comem.endpoint.served import ServedChat, ServedModel
from pytest_comem.endpoint.wire import BadRequestError
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import ModelSpec
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter

if TYPE_CHECKING:
    from pytest_comem.endpoint.chat import Chat
    from pytest_comem.llm.door import Door

#: Name of the socket in its directory.
SOCKET: Final = "model"
#: What lies with the one who asks; after any other failure nothing more is asked for a task.
_OF_THE_REQUEST: Final = (Fault.BAD_REQUEST, Fault.CONTEXT_TOO_LONG, Fault.CONTENT_FILTER)
#: Seconds that a call at hand may take at the end of a task, beyond one attempt's time limit.
_ENDING: Final = 30.0


@final
class SocketModel:
    """A model for programs in sandboxes, the same for every task.

    :param model: completes chats.
    :param embedder: behind ``/v1/embeddings``.
    :param name: what programs ask for.
    :param version: changes whenever the model may answer the same in another way.
    :param patience: seconds that a call at hand is waited for when its task is over.
    """

    def __init__(
        self,
        model: ServedModel,
        embedder: Embedder,
        name: str,
        version: str = "",
        patience: float = _ENDING,
    ) -> None:
        self._model = model
        self._embedder = embedder
        self._patience = patience
        self.name: Final = name
        self.version: Final = version

    @contextmanager
    def open(self, directory: Path, meter: Meter) -> Iterator[OpenSocket]:
        """Serve at a socket in *directory*; at the end no call for *meter* goes on.

        :raises InfrastructureError: of type ``agent``, where there can be no socket.
        """
        asked = _Asked(self._model)
        path = directory / SOCKET
        try:
            server = _Server(path, self._embedder, asked, Caller(meter))
        except OSError as error:
            why = error.strerror or str(error)
            raise InfrastructureError(
                f"{path}: there can be no socket for the agent's model: {why}; set TMPDIR to a "
                "directory with a short path",
                type="agent",
            ) from error
        thread = threading.Thread(
            target=server.serve_forever, args=(0.05,), name="comem-agent-model", daemon=True
        )
        thread.start()
        try:
            yield OpenSocket(path, asked)
        finally:
            asked.end()
            server.shutdown()
            thread.join()
            server.server_close()
            asked.wait(self._patience)
            server.drop_connections()


@final
class OpenSocket:
    """A model's socket while its task goes on.

    :ivar path: of the socket.
    """

    def __init__(self, path: Path, asked: _Asked) -> None:
        self.path: Final = path
        self._asked = asked

    @property
    def calls(self) -> int:
        """How many replies there were."""
        return self._asked.calls

    @property
    def tokens(self) -> int:
        """Tokens of all calls so far, in and out."""
        return self._asked.tokens


def forwarded_model(spec: ModelSpec, door: Door, embedder: Embedder) -> SocketModel:
    """Return a model that is reached through the run's door."""
    from pytest_comem.endpoint.forwarding import ForwardedModel

    provider, slash, name = spec.name.partition("/")
    model = ForwardedModel(spec, door, probing=True)
    version = stable_hash([spec.name, dict(spec.parameters), spec.server])[:16]
    patience = spec.timeout + _ENDING
    return SocketModel(model, embedder, name if slash else provider, version, patience)


def chatting_model(chat: Chat, embedder: Embedder) -> SocketModel:
    """Return a chat of ours as a model."""
    model = ServedChat(chat)
    return SocketModel(model, embedder, model.name)


@final
class _Asked(ServedModel):
    """A model as one task asks it: counted, and given up after a failure that will not pass."""

    def __init__(self, model: ServedModel) -> None:
        self.name = model.name
        self.calls = 0
        self.tokens = 0
        self._model = model
        self._failure: ModelCallError | None = None
        self._over = False
        self._at_hand = 0
        self._changed = threading.Condition()

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Return what the model says, unless it failed before or the task is over."""
        with self._changed:
            if self._over:
                # Not a failed call: nobody is left to miss the reply.
                raise BadRequestError("the task is over")
            if self._failure is not None:
                raise self._failure
            self._at_hand += 1
        completion: dict[str, Any] | None = None
        try:
            completion = self._model.complete(body, identity, caller)
        except ModelCallError as error:
            if error.kind not in _OF_THE_REQUEST:
                with self._changed:
                    self._failure = self._failure or error
            raise
        finally:
            with self._changed:
                if completion is not None:
                    self.calls += 1
                    self.tokens += int(completion["usage"]["total_tokens"])
                self._at_hand -= 1
                self._changed.notify_all()
        return completion

    def end(self) -> None:
        """Take no further call."""
        with self._changed:
            self._over = True

    def wait(self, seconds: float) -> None:
        """Wait until no call is at hand, so long at most."""
        with self._changed:
            self._changed.wait_for(lambda: not self._at_hand, seconds)


@final
class _Server(ThreadingHTTPServer):
    address_family = socket.AF_UNIX
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = False
    request_queue_size = 128

    def __init__(self, path: Path, embedder: Embedder, model: ServedModel, caller: Caller) -> None:
        self.embedder = embedder
        self.model = model
        self.callers = Callers()
        self.caller = caller
        self._path = path
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(str(path), _Handler)  # type: ignore[arg-type]

    def server_bind(self) -> None:
        # Not HTTPServer's, which takes the address to be a host and a port.
        socketserver.TCPServer.server_bind(self)
        self._path.chmod(0o600)

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
class _Handler(Handler):
    # There is nothing of the kind at such a socket.
    disable_nagle_algorithm = False

    def caller(self, token: str | None) -> Caller | None:
        """Return the one task that this socket is for."""
        if token is not None:
            return super().caller(token)
        server = self.server
        assert isinstance(server, _Server)
        return server.caller
