from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import Any
from uuid import uuid4

import pytest
from scripted_transport import COST, ScriptedTransport

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.forwarding import call_of
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.calls import ChatCall, Completion, ModelSpec, Vectors
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import Fault, ModelCallError, ProviderFault, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.llm.retries import RetryPolicy

SPEC = "openai/gpt"
TOOL = {"type": "function", "function": {"name": "keep", "parameters": {"type": "object"}}}


class Provider:
    """Answers with what is put into it, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[ChatCall] = []
        self.answer: Completion | ProviderFault = Completion({"role": "assistant", "content": "hi"})

    def chat(self, call: ChatCall) -> Completion:
        """Return the answer."""
        self.asked.append(call)
        if isinstance(self.answer, ProviderFault):
            raise self.answer
        return self.answer

    def embed(self, model: ModelSpec, texts: Sequence[str]) -> Vectors:
        """Embed nothing."""
        raise NotImplementedError

    def close(self) -> None:
        """Hold nothing that could be let go."""


@pytest.fixture
def provider() -> Provider:
    """The provider behind the door."""
    return Provider()


@pytest.fixture
def door(provider: Provider) -> Iterator[Door]:
    """A door that tries once."""
    made = Door(transport=lambda model: provider, retries=RetryPolicy(retries=0))
    yield made
    made.close()


@pytest.fixture
def meter() -> Meter:
    """The meter of one instance that is ingesting."""
    made = Meter("one")
    made.phase = "ingest"
    return made


@pytest.fixture
def url(door: Door, meter: Meter, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The base URL of that instance."""
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    endpoint = find_endpoint(HashEmbedder(), model=SPEC, api_base="", door=door)
    yield endpoint.of(meter).chat_url
    endpoint.close()


def post(url: str, body: Any, path: str = "/chat/completions") -> bytes:
    """Return the bytes of the reply."""
    request = urllib.request.Request(url + path, json.dumps(body).encode())
    with urllib.request.urlopen(request, timeout=30) as response:
        read: bytes = response.read()
        return read


def refused(url: str, body: Any, path: str = "/chat/completions") -> tuple[int, str, Any]:
    """Return status, whether clients should retry, and the error's body."""
    with pytest.raises(urllib.error.HTTPError) as caught:
        post(url, body, path)
    headers = caught.value.headers
    return caught.value.code, headers["x-should-retry"], json.loads(caught.value.read())["error"]


def test_the_whole_request_is_passed_on(url: str, provider: Provider) -> None:
    """Messages and parameters arrive as they are; what is ours to decide does not."""
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "function": {}}]},
        {"role": "tool", "tool_call_id": "c1", "content": "done"},
    ]
    more = {"tools": [TOOL], "tool_choice": "auto", "temperature": 0.5, "seed": 3, "top_k": 4}
    ours = {"model": "else", "n": 1, "user": "ann", "stream": False, "stop": None}
    post(url, {"messages": messages, **more, **ours})
    (call,) = provider.asked
    assert call.model == ModelSpec(SPEC)
    assert (list(call.messages), dict(call.more)) == (messages, more)


def test_the_reply_is_the_models_own(url: str, provider: Provider, meter: Meter) -> None:
    """Tool calls and further members stay as they are; the call is counted in its phase."""
    tool_calls = [
        {"id": "call_9", "type": "function", "function": {"name": "keep", "arguments": "{}"}}
    ]
    message = {"role": "assistant", "tool_calls": tool_calls, "reasoning_content": "so"}
    provider.answer = Completion(message, "tool_calls", 7, 2, COST)
    body = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": [TOOL]}
    first, again = json.loads(post(url, body)), json.loads(post(url, body))
    assert first == again
    (choice,) = first["choices"]
    assert choice["message"] == {"content": None, **message}
    assert (choice["finish_reason"], first["model"]) == ("tool_calls", "m")
    usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
    assert first["usage"] == usage
    used = meter.take()["ingest"]
    assert (used.calls, used.tokens, used.cost) == (2, 18, 2 * COST)
    assert meter.take_failure() is None


def test_whoever_wants_a_stream_gets_one(url: str, provider: Provider) -> None:
    """The model is asked for all at once, and its reply sent as one event."""
    body = {
        "messages": [{"role": "user", "content": "x"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    events = post(url, body).decode().split("\n\n")
    chunk, usage = (json.loads(event.removeprefix("data: ")) for event in events[:2])
    assert chunk["choices"][0]["delta"] == {"role": "assistant", "content": "hi"}
    assert "total_tokens" in usage["usage"]
    assert events[2:] == ["data: [DONE]", ""]
    assert dict(provider.asked[0].more) == {}


def test_random_ids_are_the_same_in_every_run(url: str, provider: Provider) -> None:
    """The model sees stand-ins, and what it says of them comes back as the library's ids."""
    seen = []
    for _ in range(2):
        original = str(uuid4())
        post(url, {"messages": [{"role": "user", "content": original}]})
        seen.append(provider.asked[-1].messages[0]["content"])
        provider.answer = Completion({"role": "assistant", "content": seen[-1]})
        reply = json.loads(post(url, {"messages": [{"role": "user", "content": original}]}))
        assert seen[-1] != original
        assert reply["choices"][0]["message"]["content"] == original
    assert seen[0] != seen[1]


def test_today_is_no_part_of_what_a_call_is(url: str, provider: Provider) -> None:
    """mem0 tells its model the date, and yet its recorded calls are found on another day."""
    today = datetime.now(UTC).date().isoformat()
    text = f"# Current Date\n{today}\n# Messages\nseen on 2001-02-03"
    post(url, {"messages": [{"role": "user", "content": text}]})
    (call,) = provider.asked
    assert call.messages[0]["content"] == text
    tomorrow = [{"role": "user", "content": text.replace(today, "2097-01-01")}]
    assert ChatCall(call.model, tomorrow, passing=("2097-01-01",)).key == call.key
    other = [{"role": "user", "content": text.replace("2001-02-03", "2001-02-04")}]
    assert ChatCall(call.model, other, passing=(today,)).key != call.key


@pytest.mark.parametrize(
    ("kind", "status", "code"),
    [
        (Fault.RATE_LIMIT, 429, "rate_limit_exceeded"),
        (Fault.TIMEOUT, 408, None),
        (Fault.CONNECTION, 502, None),
        (Fault.SERVER_ERROR, 502, None),
        (Fault.CONTENT_FILTER, 400, "content_filter"),
        (Fault.CONTEXT_TOO_LONG, 400, "context_length_exceeded"),
        (Fault.BAD_REQUEST, 400, None),
        (Fault.AUTHENTICATION, 503, "invalid_api_key"),
    ],
)
def test_failures_reach_library_and_engine(
    url: str, provider: Provider, meter: Meter, kind: Fault, status: int, code: str | None
) -> None:
    """The library gets a status and is told not to retry; the meter keeps the failure.

    A key that is refused ends the run, which is no matter of one request.
    """
    provider.answer = ProviderFault(kind, "as told")
    told = refused(url, {"messages": [{"role": "user", "content": "x"}]})
    assert told[:2] == (status, "false")
    assert (told[2]["type"], told[2]["code"]) == (str(kind), code)
    assert "as told" in told[2]["message"]
    failure = meter.take_failure()
    assert failure is not None
    assert (failure.kind, isinstance(failure, RunStopped)) == (kind, status == 503)
    assert len(provider.asked) == 1


def test_a_stopped_run_answers_nothing(url: str, door: Door, provider: Provider) -> None:
    """Libraries that go on get 503, and nobody is asked."""
    door.close()
    assert refused(url, {"messages": [{"role": "user", "content": "x"}]})[0] == 503
    assert provider.asked == []


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({}, "messages"),
        ({"messages": []}, "messages"),
        ({"messages": ["x"]}, "messages"),
        ({"messages": [{"role": "user", "content": "x"}], "n": 2}, "n"),
    ],
)
def test_requests_that_cannot_be_passed_on(
    url: str, provider: Provider, meter: Meter, body: Any, param: str
) -> None:
    """They are refused, and noted: the library may go on as if it had been answered."""
    status, _, error = refused(url, body)
    assert (status, error["param"]) == (400, param)
    failure = meter.take_failure()
    assert failure is not None
    assert failure.kind is Fault.BAD_REQUEST
    assert provider.asked == []


class BrokenEmbedder:
    """An embedder that raises what it is given."""

    name = "broken"
    dimensions = 3

    def __init__(self, error: Exception) -> None:
        self._error = error

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Fail."""
        raise self._error


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (ModelCallError("too many", Fault.RATE_LIMIT), 429, Fault.RATE_LIMIT),
        (RunStopped("over", Fault.BUDGET), 503, Fault.BUDGET),
        (InfrastructureError("gone", type="provider"), 500, Fault.SERVER_ERROR),
    ],
)
def test_embeddings_that_fail_are_noted_too(error: Exception, status: int, kind: Fault) -> None:
    """A memory that was stored without its vector is no memory."""
    endpoint = find_endpoint(BrokenEmbedder(error), model="scripted", api_base="")
    meter = Meter("one")
    own = endpoint.of(meter)
    assert refused(own.embedding_url, {"input": "x"}, "/embeddings")[0] == status
    failure = meter.take_failure()
    assert failure is not None
    assert failure.kind is kind
    endpoint.close()


@pytest.mark.skipif(find_spec("openai") is None, reason="openai is not installed")
def test_openais_client_does_not_retry_what_the_door_has(url: str, provider: Provider) -> None:
    """Its own retries would multiply the door's."""
    import openai

    provider.answer = ProviderFault(Fault.RATE_LIMIT, "as told")
    with (
        openai.OpenAI(base_url=url, api_key="any", max_retries=3) as client,
        pytest.raises(openai.RateLimitError, match="as told"),
    ):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert len(provider.asked) == 1


def test_the_scripted_model_behind_a_door_says_what_it_says_without() -> None:
    """The detour changes no reply but its ids."""
    transport = ScriptedTransport()
    door = Door(transport=lambda model: transport)
    messages = [{"role": "user", "content": "hello\nthere"}]
    said = []
    for model in ("scripted", SPEC):
        endpoint = find_endpoint(HashEmbedder(), model=model, api_base="", door=door)
        reply = json.loads(post(endpoint.of(Meter("x")).chat_url, {"messages": messages}))
        said.append((reply["choices"], reply["usage"]))
        endpoint.close()
    assert said[0] == said[1]
    assert len(transport.calls) == 1


def test_what_codex_adds_to_output_by_chance_does_not_tell_calls_apart() -> None:
    """A random id and a time on lines of their own; anything else makes another call."""

    def key(content: str, role: str = "tool") -> str:
        messages = [{"role": "user", "content": "x"}, {"role": role, "content": content}]
        return call_of(ModelSpec(SPEC), {"messages": messages}).key

    said = "Chunk ID: {}\nWall time: {} seconds\nOutput:\n{}"
    first = key(said.format("f5ed30", "0.0000", "a"))
    assert key(said.format("0c9636", "12.51", "a")) == first
    assert key(said.format("f5ed30", "0.0000", "b")) != first
    assert key("see Chunk ID: f5ed30") != key("see Chunk ID: 0c9636")
    assert key("Chunk ID: f5ed30", "user") != key("Chunk ID: 0c9636", "user")
