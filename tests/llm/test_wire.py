from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import Answer, Faults, ModelServer, always, first, rate_limit, vector_of
from model_server import Fault as Failing

from pytest_comem.errors import SettingsError
from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.faults import Fault, ProviderFault
from pytest_comem.llm.wire import OpenAIWire, name_on_wire

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed")
KEY = "sk-marked-key-of-a-test"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A known key, and none of the machine's proxies."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def opened() -> Iterator[Callable[[str], OpenAIWire]]:
    """Make transports that are closed in the end."""
    wires: list[OpenAIWire] = []

    def open_wire(url: str) -> OpenAIWire:
        wires.append(OpenAIWire(url))
        return wires[-1]

    yield open_wire
    for wire in wires:
        wire.close()


def asking(text: str = "hi", *, timeout: float = 5.0, **parameters: Any) -> ChatCall:
    """Return a chat of one message."""
    spec = ModelSpec("openai/gpt-x", "unused", parameters, timeout)
    return ChatCall(spec, [{"role": "user", "content": text}])


def fault_over(script: Faults, call: ChatCall | None = None) -> ProviderFault:
    """Return the fault of a call that *script* fails."""
    with ModelServer(faults=script) as server:
        wire = OpenAIWire(server.url)
        try:
            with pytest.raises(ProviderFault) as caught:
                wire.chat(call or asking())
        finally:
            wire.close()
        assert len(server.calls) == 1
    return caught.value


def test_a_call_and_its_reply(opened: Callable[[str], OpenAIWire]) -> None:
    """The body is the call's, with the name the server knows; tokens are the server's."""
    tool = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    reply = Answer(None, finish_reason="tool_calls", message={"tool_calls": [tool]})
    with ModelServer(lambda body: reply) as server:
        spec = ModelSpec("openai/org/gpt-x", server.url, {"temperature": 0, "seed": 1})
        messages = [{"role": "user", "content": "lone \ud800 é"}]
        more = {"seed": 2, "stream": True, "model": "other"}
        completion = opened(f"{server.url}/").chat(ChatCall(spec, messages, more))
    assert server.calls == [
        {"model": "org/gpt-x", "messages": messages, "temperature": 0, "seed": 2}
    ]
    assert completion.message == {"role": "assistant", "content": None, "tool_calls": [tool]}
    assert (completion.finish_reason, completion.text) == ("tool_calls", "")
    assert (completion.input_tokens, completion.output_tokens, completion.cost) == (3, 0, None)


@pytest.mark.parametrize(
    ("value", "sent"),
    [(f" {KEY}\n", f"Bearer {KEY}"), (" ", "Bearer local"), (None, "Bearer local")],
)
def test_the_key_is_the_environments(
    opened: Callable[[str], OpenAIWire],
    monkeypatch: pytest.MonkeyPatch,
    value: str | None,
    sent: str,
) -> None:
    """It is read when it is needed, and a server that wants none gets a word."""
    with ModelServer() as server:
        wire = opened(server.url)
        if value is None:
            monkeypatch.delenv("OPENAI_API_KEY")
        else:
            monkeypatch.setenv("OPENAI_API_KEY", value)
        wire.chat(asking())
    assert server.headers[0]["authorization"] == sent
    assert KEY not in repr(vars(wire))


@pytest.mark.parametrize("prefix", ["hosted_vllm", "lm_studio", "litellm_proxy"])
def test_a_prefix_with_a_key_of_its_own_is_not_sent_openais(
    opened: Callable[[str], OpenAIWire], monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    """The operator of such a server gets the key that is meant for him, and the message says so."""
    variable = f"{prefix.upper()}_API_KEY"
    monkeypatch.delenv(variable, raising=False)
    with ModelServer(faults=always(Failing(status=401))) as server:
        wire, call = opened(server.url), ChatCall(ModelSpec(f"{prefix}/m"), [])
        for _ in range(2):
            with pytest.raises(ProviderFault, match=variable):
                wire.chat(call)
            monkeypatch.setenv(variable, "the-operators")
    sent = [headers["authorization"] for headers in server.headers]
    assert sent == ["Bearer local", "Bearer the-operators"]


@pytest.mark.parametrize("key", ["sk-\nX-Other: header", "schlüssel"])
def test_a_key_that_is_none(
    opened: Callable[[str], OpenAIWire], monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    """It is never sent, and not repeated."""
    monkeypatch.setenv("OPENAI_API_KEY", key)
    with ModelServer() as server, pytest.raises(ProviderFault) as caught:
        opened(server.url).chat(asking())
    assert caught.value.kind is Fault.AUTHENTICATION
    assert key not in str(caught.value)
    assert server.calls == []


def test_prices_are_not_sent_but_counted(opened: Callable[[str], OpenAIWire]) -> None:
    """A cost is only known where both prices and the tokens are."""
    prices: dict[str, Any] = {"input_cost_per_token": 0.5, "output_cost_per_token": 2.0}
    with ModelServer(lambda body: "one two") as server:
        completion = opened(server.url).chat(asking("three words here", **prices))
        half = opened(server.url).chat(asking("three words here", input_cost_per_token=0.5))
    assert (completion.cost, half.cost) == (5.5, None)
    assert set(server.calls[0]) == {"model", "messages"}
    with ModelServer(lambda body: Answer("x", with_usage=False)) as server:
        assert opened(server.url).chat(asking(**prices)).cost is None


@pytest.mark.parametrize(
    ("failing", "kind", "said"),
    [
        (rate_limit("7"), Fault.RATE_LIMIT, "Rate limit reached"),
        (Failing(status=429, code="insufficient_quota"), Fault.AUTHENTICATION, "no credit left"),
        (
            Failing(status=401, message=f"Incorrect: {KEY}"),
            Fault.AUTHENTICATION,
            "<OPENAI_API_KEY>",
        ),
        (Failing(status=404, message="no model"), Fault.BAD_REQUEST, "404: no model"),
        (Failing(status=400, code="content_filter"), Fault.CONTENT_FILTER, "400"),
        (Failing(status=500), Fault.SERVER_ERROR, "500: scripted failure"),
        (Failing(how="close"), Fault.CONNECTION, "disconnected"),
        (Failing(how="break"), Fault.CONNECTION, "complete message body"),
        (Failing(how="garbage"), Fault.SERVER_ERROR, "not JSON"),
        (Failing(how="body", status=200, body=b"[" * 99_999), Fault.SERVER_ERROR, "not JSON"),
        (Failing(how="body", status=200, body=b"{}"), Fault.SERVER_ERROR, "no message"),
        (
            Failing(how="body", status=200, body=b'{"error": {"message": "up", "code": 429}}'),
            Fault.RATE_LIMIT,
            "up",
        ),
        (
            Failing(status=302, headers={"Location": "http://127.0.0.1:9/"}),
            Fault.BAD_REQUEST,
            "302",
        ),
    ],
)
def test_faults(failing: Failing, kind: Fault, said: str) -> None:
    """One attempt is one request, and ends in a fault of the right type without any key."""
    fault = fault_over(always(failing))
    assert fault.kind is kind
    assert said in str(fault)
    assert KEY not in str(fault)
    assert fault.retry_after == (7.0 if "Retry-After" in failing.headers else None)


def test_nobody_waits_longer_than_told() -> None:
    """A server that says nothing is a timeout."""
    fault = fault_over(always(Failing(how="delay", delay=60)), asking(timeout=0.2))
    assert (fault.kind, str(fault)) == (Fault.TIMEOUT, "no reply in 0.2 s")


def test_a_reply_that_trickles_in_is_given_up(opened: Callable[[str], OpenAIWire]) -> None:
    """The timeout holds for the whole reply, however often a byte arrives."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def trickle() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            try:
                while not ended.wait(0.02):
                    connection.sendall(b" ")
            except OSError:
                ended.set()

    server = threading.Thread(target=trickle)
    server.start()
    try:
        with pytest.raises(ProviderFault) as caught:
            opened(f"http://127.0.0.1:{listener.getsockname()[1]}/v1").chat(asking(timeout=0.3))
    finally:
        ended.set()
        server.join()
        listener.close()
    assert caught.value.kind is Fault.TIMEOUT


def test_nobody_is_there(opened: Callable[[str], OpenAIWire]) -> None:
    """A refused connection says so."""
    with pytest.raises(ProviderFault, match="refused") as caught:
        opened("http://127.0.0.1:9/v1").chat(asking())
    assert caught.value.kind is Fault.CONNECTION


def test_a_call_after_the_end(opened: Callable[[str], OpenAIWire]) -> None:
    """A thread that comes late gets a fault like any other."""
    with ModelServer() as server:
        wire = opened(server.url)
        wire.close()
        with pytest.raises(ProviderFault) as caught:
            wire.chat(asking())
    assert caught.value.kind is Fault.CONNECTION


def test_the_providers_filter(opened: Callable[[str], OpenAIWire]) -> None:
    """A reply that the filter cut is none."""
    cut = Answer("Well,", finish_reason="content_filter")
    with ModelServer(lambda body: cut) as server, pytest.raises(ProviderFault) as caught:
        opened(server.url).chat(asking())
    assert caught.value.kind is Fault.CONTENT_FILTER


def test_a_request_that_is_not_json(opened: Callable[[str], OpenAIWire]) -> None:
    """It is refused before it is sent."""
    with ModelServer() as server, pytest.raises(ProviderFault) as caught:
        opened(server.url).chat(asking(more=object()))
    assert caught.value.kind is Fault.BAD_REQUEST
    assert server.calls == []


def test_no_proxy_sees_it(
    opened: Callable[[str], OpenAIWire], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Proxies of the environment are ignored for this machine, and used for any other."""
    with ModelServer() as proxy, ModelServer() as server:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, proxy.url.removesuffix("/v1"))
        assert opened(server.url).chat(asking()).text == "ok"
        assert (len(server.calls), len(proxy.calls)) == (1, 0)
        assert opened("http://models.invalid/v1").chat(asking()).text == "ok"
    assert (len(server.calls), len(proxy.calls)) == (1, 1)


def test_threads_share_connections(opened: Callable[[str], OpenAIWire]) -> None:
    """128 threads at once are 128 calls in flight; later calls open no further connections."""
    ready = threading.Barrier(128, timeout=30)

    def answer(body: dict[str, Any]) -> str:
        ready.wait()
        return str(body["messages"][0]["content"])

    with ModelServer(answer) as server, ThreadPoolExecutor(128) as pool:
        wire = opened(server.url)
        for _ in range(2):
            found = list(pool.map(lambda n: wire.chat(asking(str(n), timeout=30)).text, range(128)))
            assert found == [str(number) for number in range(128)]
    assert server.in_flight_max == 128
    assert server.connections <= 130


def test_vectors(opened: Callable[[str], OpenAIWire]) -> None:
    """They are the server's numbers, with its tokens."""
    spec = ModelSpec("hosted_vllm/e", "unused", {"dimensions": 8, "input_cost_per_token": 0.5})
    with ModelServer() as server:
        found = opened(server.url).embed(spec, ["one", "two words"])
    assert found.vectors == [vector_of("one"), vector_of("two words")]
    assert (found.input_tokens, found.cost) == (3, 1.5)
    assert server.calls == [
        {
            "model": "e",
            "input": ["one", "two words"],
            "encoding_format": "float",
            "dimensions": 8,
        }
    ]


@pytest.mark.parametrize(
    "data",
    [
        [],
        [{"index": 0, "embedding": []}],
        [{"index": 0, "embedding": [1, "x"]}],
        [{"index": 0, "embedding": [1e300]}],
        [{"index": 0, "embedding": [float("nan")]}],
        [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}],
        [7],
        None,
    ],
)
def test_vectors_that_are_none(data: Any, opened: Callable[[str], OpenAIWire]) -> None:
    """Anything but one vector of finite numbers a text is the server's fault."""
    body = json.dumps({"data": data}).encode()
    script = first(Failing(how="body", status=200, body=body))
    with ModelServer(faults=script) as server, pytest.raises(ProviderFault) as caught:
        opened(server.url).embed(ModelSpec("e"), ["text"])
    assert caught.value.kind is Fault.SERVER_ERROR


@pytest.mark.parametrize("base", ["", "127.0.0.1:8000/v1", "ftp://x/v1", "http://", "http://x:y"])
def test_a_base_url_that_is_none(base: str) -> None:
    """The message shows how one looks."""
    with pytest.raises(SettingsError, match=r"no base URL; .*http://127\.0\.0\.1:8000/v1"):
        OpenAIWire(base)


@pytest.mark.parametrize(
    ("name", "on_wire"),
    [
        ("openai/gpt-x", "gpt-x"),
        ("openai/openai/gpt-oss", "openai/gpt-oss"),
        ("hosted_vllm/Qwen/Qwen3", "Qwen/Qwen3"),
        ("Qwen/Qwen3", "Qwen/Qwen3"),
        ("smollm2", "smollm2"),
        ("openai/", "openai/"),
    ],
)
def test_names_on_the_wire(name: str, on_wire: str) -> None:
    """Only the word that says the protocol is left out, and once."""
    assert name_on_wire(name) == on_wire
