from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.embedders.remote import RemoteEmbedder
from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.endpoint.server import LoopbackServer
from pytest_comem.errors import InfrastructureError

Serve = Callable[[int, bytes], RemoteEmbedder]


@pytest.fixture
def base() -> Iterator[str]:
    """The base URL of our own server."""
    server = LoopbackServer(HashEmbedder(), ScriptedChat(scripts=()))
    yield server.start()
    server.stop()


@pytest.fixture
def answering() -> Iterator[Serve]:
    """Make an embedder whose server always answers the same."""
    servers: list[http.server.HTTPServer] = []

    def serve(status: int, body: bytes) -> RemoteEmbedder:
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return RemoteEmbedder(f"http://127.0.0.1:{server.server_port}/v1", "e", 2, "key")

    yield serve
    for server in servers:
        server.shutdown()
        server.server_close()


def rows(*vectors: list[Any]) -> bytes:
    """Return a reply with these vectors."""
    return json.dumps(
        {"data": [{"index": i, "embedding": vector} for i, vector in enumerate(vectors)]}
    ).encode()


def test_vectors_arrive_to_the_last_bit(base: str) -> None:
    """Another process sees exactly the vectors of the run's embedder, for any text."""
    texts = ["one", "", "é 漢字 \ud800 \0", "x" * 100_000]
    embedder = RemoteEmbedder(base, "hash-1", 384, "key")
    assert embedder.embed(texts) == HashEmbedder().embed(texts)
    assert embedder.embed([]) == []
    assert (embedder.name, embedder.dimensions) == ("hash-1", 384)


def test_threads_at_once(base: str) -> None:
    """It may be asked from many threads."""
    embedder = RemoteEmbedder(f"{base}/", "hash-1", 384, "key")
    texts = [f"text {number}" for number in range(60)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda text: embedder.embed([text])[0], texts))
    assert found == HashEmbedder().embed(texts)


def test_no_proxy_sees_it(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies of the environment are ignored."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert RemoteEmbedder(base, "hash-1", 384, "key").embed(["x"])


def test_rows_are_put_in_order(answering: Serve) -> None:
    """A server may list vectors in any order."""
    body = {"data": [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]}
    assert answering(200, json.dumps(body).encode()).embed(["a", "b"]) == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (500, b'{"error": {"message": "out of vectors"}}', "500: .*: out of vectors"),
        (401, b"go away", "401: .*: go away"),
        (200, b"{", "JSONDecodeError"),
        (200, b"[]", "no embeddings"),
        (200, b"{}", "no embeddings"),
        (200, rows([1, "x"]), "no embeddings"),
        (200, rows([1, 0], [0, 1]), "1 vectors of 2 numbers were expected, and 2 came"),
        (200, rows([1, 0, 0]), r"1 came, of \[3\] numbers"),
    ],
)
def test_failures_are_infrastructure(
    answering: Serve, status: int, body: bytes, message: str
) -> None:
    """Errors and replies of another form name the model and the address."""
    with pytest.raises(InfrastructureError, match=rf"embedder e at http://.*{message}") as caught:
        answering(status, body).embed(["a"])
    assert caught.value.type == "provider"


def test_a_server_that_is_not_there() -> None:
    """A connection refused is an infrastructure error."""
    with pytest.raises(InfrastructureError, match=r"127\.0\.0\.1:9"):
        RemoteEmbedder("http://127.0.0.1:9/v1", "e", 2, "key").embed(["a"])
