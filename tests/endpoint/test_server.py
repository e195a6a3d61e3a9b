from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import struct
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.chat import ChatReply, ChatRequest, ToolCall
from pytest_comem.endpoint.server import MAX_BODY, LoopbackServer
from pytest_comem.errors import InfrastructureError

TOOL = {"type": "function", "function": {"name": "keep", "parameters": {"type": "object"}}}
needs_openai = pytest.mark.skipif(find_spec("openai") is None, reason="openai is not installed")


class Parrot:
    """Says what it hears; calls two tools where some are offered; breaks where told to."""

    def __init__(self) -> None:
        self.heard: list[ChatRequest] = []

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the reply."""
        self.heard.append(request)
        text = request.text_of("user")
        if text == "break":
            raise KeyError("a hole in the script")
        if request.tools:
            calls = (ToolCall("keep", {"text": text}), ToolCall("keep", {"é": [1, None]}))
            return ChatReply(tool_calls=calls)
        return ChatReply(text)


class Broken:
    """An embedder whose provider is gone."""

    name = "broken"
    dimensions = 3

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Fail."""
        raise InfrastructureError("the provider is gone", type="provider")


@pytest.fixture
def parrot() -> Parrot:
    """The chat behind the server."""
    return Parrot()


@pytest.fixture
def base(parrot: Parrot, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base URL of a running server."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    server = LoopbackServer(HashEmbedder(), parrot)
    yield server.start()
    server.stop()


def post(url: str, body: Any) -> Any:
    """Return the JSON of a reply to *body*, which is sent as it is where it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, data), timeout=30) as response:
        return json.load(response)


def refused(url: str, body: Any) -> tuple[int, dict[str, Any]]:
    """Return status and error of a request that is turned away."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(url, body)
    error = json.loads(caught.value.read())["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return caught.value.code, error


def user(content: Any) -> list[dict[str, Any]]:
    """Return the messages of a chat in which the user says one thing."""
    return [{"role": "user", "content": content}]


def test_numbers_are_the_embedders_own(base: str) -> None:
    """One text or several, each gets its vector, to the last bit, at its index."""
    texts = ["one two", "é 漢字 \ud800 \0", ""]
    reply = post(f"{base}/embeddings", {"model": "any", "input": texts})
    assert [row["embedding"] for row in reply["data"]] == HashEmbedder().embed(texts)
    assert [row["index"] for row in reply["data"]] == [0, 1, 2]
    assert reply["model"] == "any"
    assert reply["usage"] == {"prompt_tokens": 6, "total_tokens": 6}
    single = post(f"{base}/embeddings", {"input": "one two", "dimensions": 384})
    assert single["data"] == reply["data"][:1]


def test_base64_is_little_endian_32_bit(base: str) -> None:
    """The encoding that OpenAI's client asks for holds the same numbers, rounded."""
    body = {"model": "any", "input": ["one two"], "encoding_format": "base64"}
    packed = base64.b64decode(post(f"{base}/embeddings", body)["data"][0]["embedding"])
    assert list(struct.unpack("<384f", packed)) == pytest.approx(
        HashEmbedder().embed(["one two"])[0], abs=1e-7
    )


@pytest.mark.parametrize(
    ("body", "param", "message"),
    [
        ({"input": [1, 2]}, "input", "token ids"),
        ({"input": [[1, 2]]}, "input", "check_embedding_ctx_length=False"),
        ({"input": []}, "input", "at least one"),
        ({}, "input", "'input'"),
        ({"input": "x", "dimensions": 256}, "dimensions", "256, and this embedder has 384"),
        ({"input": "x", "encoding_format": "hex"}, "encoding_format", "float or base64"),
        ([], None, "not a JSON object"),
        (b"{", None, "not JSON"),
        (b"[" * 100_000, None, "not JSON"),
        (b"\xff\xfe", None, "not JSON"),
    ],
)
def test_bad_embedding_requests(base: str, body: Any, param: str | None, message: str) -> None:
    """What cannot be embedded is refused with the reason."""
    status, error = refused(f"{base}/embeddings", body)
    assert (status, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert message in error["message"]


def test_chat(base: str, parrot: Parrot) -> None:
    """The chat sees model, messages, tools and format; its text comes back, counted in words."""
    body = {
        "model": "m",
        "messages": [
            {"role": "system", "content": "be brief"},
            {"role": "assistant", "content": None, "tool_calls": []},
            *user([{"type": "text", "text": "a"}, {"type": "image_url"}, {"text": "b c"}]),
        ],
        "response_format": {"type": "json_object"},
    }
    reply = post(f"{base}/chat/completions", body)
    (choice,) = reply["choices"]
    assert choice["message"] == {"role": "assistant", "content": "a\nb c"}
    assert choice["finish_reason"] == "stop"
    assert reply["usage"] == {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 8}
    (heard,) = parrot.heard
    assert [(one.role, one.text) for one in heard.messages] == [
        ("system", "be brief"),
        ("assistant", ""),
        ("user", "a\nb c"),
    ]
    assert (heard.model, heard.tools, heard.response_format) == (
        "m",
        (),
        {"type": "json_object"},
    )


def test_tool_calls_have_ids_that_follow_from_the_request(base: str) -> None:
    """Calls have distinct ids and arguments as JSON text; an equal request gets equal bytes."""
    body = {"model": "m", "messages": user("x"), "tools": [TOOL]}
    first, again = (post(f"{base}/chat/completions", body) for _ in range(2))
    other = post(f"{base}/chat/completions", {**body, "messages": user("y")})
    assert first == again
    message = first["choices"][0]["message"]
    assert message["content"] is None
    assert first["choices"][0]["finish_reason"] == "tool_calls"
    functions = [call["function"] for call in message["tool_calls"]]
    assert [json.loads(function["arguments"]) for function in functions] == [
        {"text": "x"},
        {"é": [1, None]},
    ]
    ids = [
        call["id"]
        for reply in (first, other)
        for call in reply["choices"][0]["message"]["tool_calls"]
    ]
    assert len(set(ids)) == 4


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": []},
        {"messages": "hello"},
        {"messages": ["hello"]},
        {"messages": user(7)},
        {"messages": user([{"text": 7}])},
        {"messages": user("x"), "tools": ["keep"]},
        {"messages": user("x"), "response_format": "json"},
    ],
)
def test_bad_chats(base: str, body: Any) -> None:
    """A chat of another form is refused, and the field at fault named."""
    status, error = refused(f"{base}/chat/completions", body)
    assert status == 400
    assert error["param"] in ("messages", "tools", "response_format")


def test_stream(base: str) -> None:
    """A streamed reply is one chunk with everything, usage where asked for, and the end mark."""
    body = {
        "messages": user("two words"),
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    request = urllib.request.Request(f"{base}/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as response:
        assert response.headers["Content-Type"] == "text/event-stream"
        events = response.read().decode().split("\n\n")
    assert events[2:] == ["data: [DONE]", ""]
    chunk, usage = (json.loads(event.removeprefix("data: ")) for event in events[:2])
    assert chunk["choices"][0]["delta"] == {"role": "assistant", "content": "two words"}
    assert chunk["choices"][0]["finish_reason"] == "stop"
    assert usage["usage"]["total_tokens"] == 4


def test_models(base: str) -> None:
    """The embedder and the model are listed."""
    with urllib.request.urlopen(f"{base}/models", timeout=30) as response:
        listed = json.load(response)
    assert [model["id"] for model in listed["data"]] == ["hash-1", "scripted"]


@pytest.mark.parametrize("path", ["/completions", "/embeddings/x", "x"])
def test_unknown_paths(base: str, path: str) -> None:
    """A path that is not served is 404 and says what is."""
    status, error = refused(base + path, {})
    assert status == 404
    assert "/v1/chat/completions" in error["message"]


def test_a_break_behind_is_500_with_its_type(base: str) -> None:
    """What chat or embedder raise is told by name, and clients are told not to ask again."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(f"{base}/chat/completions", {"messages": user("break")})
    assert caught.value.code == 500
    assert caught.value.headers["x-should-retry"] == "false"
    assert json.loads(caught.value.read())["error"]["type"] == "KeyError"
    server = LoopbackServer(Broken(), Parrot())
    status, error = refused(f"{server.start()}/embeddings", {"input": "x"})
    server.stop()
    assert status == 500
    assert error["message"] == "InfrastructureError: the provider is gone"


def test_a_body_that_is_too_large(base: str) -> None:
    """It is refused with 413, which a client that sends it all gets to see."""
    status, error = refused(f"{base}/embeddings", b" " * (MAX_BODY + 1))
    assert status == 413
    assert str(MAX_BODY) in error["message"]


@pytest.mark.parametrize("length", [None, "-1", "x", "9" * 5_000])
def test_a_body_of_unknown_length(base: str, length: str | None) -> None:
    """Without a usable Content-Length there is 411, and nothing hangs."""
    connection = http.client.HTTPConnection(base.split("/")[2], timeout=10)
    connection.putrequest("POST", "/v1/embeddings")
    if length is not None:
        connection.putheader("Content-Length", length)
    connection.endheaders()
    assert connection.getresponse().status == 411
    connection.close()


def test_a_body_in_chunks_is_refused(base: str) -> None:
    """Nothing behind it is taken for a request of its own."""
    host, port = base.split("/")[2].split(":")
    head = (
        b"POST /v1/embeddings HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(head + b"0\r\nGET /v1/models HTTP/1.1\r\n\r\n")
        reply = b""
        # Bytes that nobody read end a connection with a reset.
        with suppress(ConnectionResetError):
            while chunk := connection.recv(65_536):
                reply += chunk
    assert reply.startswith(b"HTTP/1.1 411 ")
    assert reply.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("raw", [b"GARBAGE\r\n\r\n", b"PUT /v1/models HTTP/1.1\r\n\r\n"])
def test_garbage_is_answered_in_json(base: str, raw: bytes) -> None:
    """A request that is none gets an error of the usual shape and the connection ends."""
    host, port = base.split("/")[2].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(raw)
        reply = b""
        while chunk := connection.recv(65_536):
            reply += chunk
    assert json.loads(reply.partition(b"\r\n\r\n")[2])["error"]["type"] == "invalid_request_error"


def test_connections_are_kept_and_fast(base: str) -> None:
    """A connection serves many requests, without the 40 ms that two small writes would cost."""
    connection = http.client.HTTPConnection(base.split("/")[2], timeout=10)
    connection.connect()
    first = connection.sock
    started = time.perf_counter()
    for number in range(50):
        connection.request("POST", "/v1/embeddings", json.dumps({"input": f"text {number}"}))
        assert len(json.load(connection.getresponse())["data"]) == 1
        assert connection.sock is first
    assert time.perf_counter() - started < 50 * 0.03
    connection.close()


def test_many_threads_get_their_own_answers(base: str) -> None:
    """Requests at once do not mix."""

    def ask(number: int) -> str:
        reply = post(f"{base}/chat/completions", {"messages": user(f"text {number}")})
        return str(reply["choices"][0]["message"]["content"])

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, range(200))) == [f"text {number}" for number in range(200)]


def test_nothing_is_logged(base: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Neither requests nor broken connections are written anywhere."""
    host, port = base.split("/")[2].split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"POST /v1/embeddings HTTP/1.1\r\nContent-Length: 99\r\n\r\n{")
    post(f"{base}/embeddings", {"input": "x"})
    refused(f"{base}/embeddings", b"{")
    assert capfd.readouterr() == ("", "")


def test_stop_ends_everything() -> None:
    """After stop no thread is left and the port is closed; stop twice is once."""
    before = set(threading.enumerate())
    server = LoopbackServer(HashEmbedder(), Parrot())
    base = server.start()
    connection = http.client.HTTPConnection(base.split("/")[2], timeout=10)
    connection.request("GET", "/v1/models")
    connection.getresponse().read()
    server.stop()
    server.stop()
    deadline = time.monotonic() + 5
    while set(threading.enumerate()) - before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert set(threading.enumerate()) <= before
    with pytest.raises(OSError):
        connection.request("GET", "/v1/models")
        connection.getresponse()
    connection.close()


@needs_openai
def test_openais_client(base: str) -> None:
    """OpenAI's own client reads vectors, replies, tool calls, streams and errors."""
    import openai

    with openai.OpenAI(base_url=base, api_key="any", max_retries=2) as client:
        texts = ["one two", "three"]
        found = client.embeddings.create(model="e", input=texts, dimensions=384).data
        for row, vector in zip(found, HashEmbedder().embed(texts), strict=True):
            assert row.embedding == pytest.approx(vector, abs=1e-7)
        create: Callable[..., Any] = client.chat.completions.create
        assert create(model="m", messages=user("hi")).choices[0].message.content == "hi"
        calls = create(model="m", messages=user("hi"), tools=[TOOL]).choices[0].message.tool_calls
        assert [call.function.name for call in calls] == ["keep", "keep"]
        (chunk,) = create(model="m", messages=user("hi"), stream=True)
        assert chunk.choices[0].delta.content == "hi"
        (chunk,) = create(model="m", messages=user("hi"), stream=True, tools=[TOOL])
        assert [call.index for call in chunk.choices[0].delta.tool_calls] == [0, 1]
        assert [model.id for model in client.models.list()] == ["hash-1", "scripted"]
        with pytest.raises(openai.BadRequestError, match="token ids"):
            client.embeddings.create(model="e", input=[[1, 2]])


@needs_openai
def test_openais_client_does_not_ask_twice_after_a_break(base: str, parrot: Parrot) -> None:
    """A break is deterministic, so asking again would only take time."""
    import openai

    with openai.OpenAI(base_url=base, api_key="any", max_retries=2) as client:
        create: Callable[..., Any] = client.chat.completions.create
        with pytest.raises(openai.InternalServerError, match="KeyError"):
            create(model="m", messages=user("break"))
    assert len(parrot.heard) == 1


@pytest.mark.skipif(find_spec("langchain_openai") is None, reason="no langchain-openai")
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")
def test_langchain(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """LangChain's chat model and embeddings work, tools and streams included."""
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    from langchain_openai import ChatOpenAI, OpenAIEmbeddings

    more: dict[str, Any] = {"base_url": base, "api_key": "any"}
    chat: Any = ChatOpenAI(model="m", **more)
    assert chat.invoke("hello there").content == "hello there"
    assert "".join(str(part.content) for part in chat.stream("hello there")) == "hello there"
    calls = chat.bind_tools([TOOL]).invoke("x").tool_calls
    assert [call["args"] for call in calls] == [{"text": "x"}, {"é": [1, None]}]
    embeddings = OpenAIEmbeddings(model="e", check_embedding_ctx_length=False, **more)
    assert embeddings.embed_query("one two") == pytest.approx(
        HashEmbedder().embed(["one two"])[0], abs=1e-7
    )


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")
@pytest.mark.filterwarnings("ignore")
def test_litellm(base: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """LiteLLM's completion and embedding work."""
    monkeypatch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    more: dict[str, Any] = {"api_base": base, "api_key": "any"}
    reply: Any = litellm.completion(model="openai/m", messages=user("hello"), **more)
    assert reply.choices[0].message.content == "hello"
    reply = litellm.completion(model="openai/m", messages=user("hello"), tools=[TOOL], **more)
    assert len(reply.choices[0].message.tool_calls) == 2
    found: Any = litellm.embedding(model="openai/e", input=["one two"], **more)
    assert found.data[0]["embedding"] == pytest.approx(
        HashEmbedder().embed(["one two"])[0], abs=1e-7
    )
