from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.chat import ChatReply, ChatRequest, ToolCall
from pytest_comem.endpoint.client import ChatClient
from pytest_comem.endpoint.server import LoopbackServer
from pytest_comem.errors import InfrastructureError


class Witness:
    """Says in JSON what it heard."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply."""
        text = request.text_of("user")
        if text == "call":
            return ChatReply(tool_calls=(ToolCall("keep", {}),))
        if text == "break":
            raise RuntimeError("a hole in the script")
        heard = [request.model, request.response_format, request.text_of("system"), text]
        return ChatReply(json.dumps(heard))


@pytest.fixture
def base() -> Iterator[str]:
    """The base URL of a running server."""
    server = LoopbackServer(HashEmbedder(), Witness())
    yield server.start()
    server.stop()


def ask(base: str, text: str, *, json_object: bool = False) -> str:
    """Return what the model says to *text*."""
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": text}]
    return ChatClient(base, "m", "key").ask(messages, json_object=json_object)


def test_messages_and_format_arrive(base: str) -> None:
    """The model gets its name, the messages as they are, and the format where one is asked for."""
    odd = "é \ud800 \0 \n"
    assert json.loads(ask(base, odd)) == ["m", None, "be brief", odd]
    assert json.loads(ask(base, "x", json_object=True))[1] == {"type": "json_object"}
    assert json.loads(ask(f"{base}/", "x"))[0] == "m"


def test_no_proxy_sees_it(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Proxies of the environment are ignored."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert json.loads(ask(base, "x"))[3] == "x"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("break", r"HTTP Error 500: .*: RuntimeError: a hole in the script"),
        ("call", r"content is None, not a text"),
    ],
)
def test_failures_are_infrastructure(base: str, text: str, message: str) -> None:
    """What the server says, or a reply without text, becomes an error of type provider."""
    with pytest.raises(InfrastructureError, match=message) as caught:
        ask(base, text)
    assert caught.value.type == "provider"


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "http://127.0.0.1:9", "nonsense"])
def test_a_server_that_is_not_there(url: str) -> None:
    """The error names the address."""
    with pytest.raises(InfrastructureError, match=f"memory model at {url}.* failed"):
        ask(url, "x")


def test_the_key_does_not_follow_a_redirect() -> None:
    """A server that sends the client elsewhere gets an error, and the other one nothing."""
    seen: list[str] = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(str(self.headers.get("Authorization")))
            self.send_response(200)
            self.end_headers()

        do_POST = do_GET  # noqa: N815 - named by the library

        def log_message(self, format: str, *args: object) -> None:
            return

    elsewhere = HTTPServer(("127.0.0.1", 0), Elsewhere)

    class Redirecting(Elsewhere):
        def do_POST(self) -> None:
            self.send_response(302)
            self.send_header("Location", f"http://127.0.0.1:{elsewhere.server_port}/v1")
            self.end_headers()

    redirecting = HTTPServer(("127.0.0.1", 0), Redirecting)
    for server in (elsewhere, redirecting):
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        client = ChatClient(f"http://127.0.0.1:{redirecting.server_port}/v1", "m", "sk-1")
        with pytest.raises(InfrastructureError, match="302"):
            client.ask([{"role": "user", "content": "hello"}])
    finally:
        for server in (elsewhere, redirecting):
            server.shutdown()
            server.server_close()
    assert seen == []
