"""Responses answered by chats: what a chat is asked, and what OpenAI's own client reads."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.callers import Caller
from pytest_comem.endpoint.responses import chat_body, response_of, response_stream
from pytest_comem.endpoint.served import ServedModel
from pytest_comem.endpoint.server import LoopbackServer
from pytest_comem.endpoint.wire import BadRequestError

FUNCTION = {"type": "function", "name": "run", "parameters": {"type": "object"}, "strict": False}
CUSTOM = {
    "type": "custom",
    "name": "apply_patch",
    "description": "Patches.",
    "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"},
}
TURN: list[dict[str, Any]] = [
    {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Be."}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go."}]},
    {"type": "reasoning", "summary": [], "encrypted_content": "x"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes"}]},
    {"type": "function_call", "call_id": "c1", "name": "run", "arguments": '{"cmd": "ls"}'},
    {"type": "custom_tool_call", "call_id": "c2", "name": "apply_patch", "input": '*** "x"'},
    {"type": "function_call_output", "call_id": "c1", "output": "a.txt"},
    {
        "type": "custom_tool_call_output",
        "call_id": "c2",
        "output": [{"type": "input_text", "text": "done"}],
    },
]


def completion(finish: str = "stop", **message: Any) -> dict[str, Any]:
    """Return a chat's completion."""
    return {
        "choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
    }


def called(name: str, arguments: str, identity: str = "c9") -> dict[str, Any]:
    """Return a call of a tool in a chat's message."""
    function = {"name": name, "arguments": arguments}
    return {"id": identity, "type": "function", "function": function}


class Recorder(ServedModel):
    """Says what it is given, and keeps what it was asked."""

    name = "recorder"

    def __init__(self) -> None:
        self.said = completion(content="Hello")
        self.asked: list[Mapping[str, Any]] = []

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Return what is to be said."""
        self.asked.append(body)
        return self.said


@pytest.fixture
def model() -> Recorder:
    """The model behind the server."""
    return Recorder()


@pytest.fixture
def base(model: Recorder) -> Iterator[str]:
    """Base URL of a running server."""
    server = LoopbackServer(HashEmbedder(), model)
    yield server.start()
    server.stop()


def test_a_conversation_becomes_a_chat() -> None:
    """What is told, said, called and returned keeps its place; what a turn says is one message."""
    body = {"model": "m", "instructions": "Obey.", "input": TURN, "store": False, "stream": True}
    chat = chat_body({**body, "reasoning": {"effort": "low"}, "max_output_tokens": 9})
    assert chat.pop("messages") == [
        {"role": "system", "content": "Obey.\n\nBe."},
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": "Yes",
            "tool_calls": [
                called("run", '{"cmd": "ls"}', "c1"),
                called("apply_patch", json.dumps({"input": '*** "x"'}), "c2"),
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "a.txt"},
        {"role": "tool", "tool_call_id": "c2", "content": "done"},
    ]
    assert chat == {"model": "m", "max_tokens": 9}


def test_tools_and_forms_become_a_chats() -> None:
    """A custom tool is a function of one text; tools that only OpenAI has are left out."""
    form = {"type": "json_schema", "name": "n", "schema": {"type": "object"}, "strict": True}
    chat = chat_body(
        {
            "input": "hi",
            "tools": [FUNCTION, CUSTOM, {"type": "web_search"}, {"type": "namespace"}],
            "tool_choice": {"type": "function", "name": "run"},
            "parallel_tool_calls": False,
            "text": {"format": form, "verbosity": "low"},
        }
    )
    run, patch = (tool["function"] for tool in chat["tools"])
    assert run == {"name": "run", "description": "", "parameters": {"type": "object"}}
    assert patch["parameters"]["required"] == ["input"]
    assert "start: x" in patch["description"]
    assert chat["tool_choice"] == {"type": "function", "function": {"name": "run"}}
    assert chat["parallel_tool_calls"] is False
    assert chat["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "n", "schema": {"type": "object"}, "strict": True},
    }
    # A choice without tools is refused by providers.
    assert set(chat_body({"input": "hi", "tool_choice": "auto"})) == {"model", "messages"}


def test_an_image_stays_one() -> None:
    """Parts are kept where they are not all text."""
    parts = [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "data:x"}]
    (message,) = chat_body({"input": [{"role": "user", "content": parts}]})["messages"]
    assert message["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image_url", "image_url": {"url": "data:x"}},
    ]


@pytest.mark.parametrize(
    "body",
    [
        *({}, {"input": []}, {"input": 3}, {"input": ["x"]}, {"input": [{"type": "reasoning"}]}),
        {"input": [{"role": "user", "content": 3}]},
        {"input": [{"role": "user", "content": ["x"]}]},
        {"input": "x", "tools": {"a": 1}},
        {"input": "x", "tools": ["run"]},
        {"input": "x", "previous_response_id": "resp_1"},
    ],
)
def test_what_is_no_request_is_refused(body: dict[str, Any]) -> None:
    """Saying what is wrong with it, whatever its shape."""
    with pytest.raises(BadRequestError):
        chat_body(body)


def test_what_a_chat_says_becomes_items() -> None:
    """Text first, then calls; custom tools get their text back, also one without its object."""
    body = {"model": "m", "tools": [FUNCTION, CUSTOM]}
    calls = [
        called("run", '{"cmd": "ls"}', "c1"),
        called("apply_patch", '{"input": "*** x"}', "c2"),
        called("apply_patch", "*** bare", ""),
    ]
    found = response_of(body, completion(content="Yes", tool_calls=calls), "0")
    text, run, patch, bare = found["output"]
    assert text["content"][0]["text"] == "Yes"
    assert (run["type"], run["call_id"], run["arguments"]) == (
        *("function_call", "c1", '{"cmd": "ls"}'),
    )
    assert (patch["type"], patch["call_id"], patch["input"]) == ("custom_tool_call", "c2", "*** x")
    assert (bare["call_id"], bare["input"]) == ("call_0_2", "*** bare")
    assert (found["status"], found["usage"]["total_tokens"]) == ("completed", 7)
    cut = response_of(body, completion("length", content="Y"), "0")
    assert cut["incomplete_details"] == {"reason": "max_output_tokens"}
    assert response_stream(cut).decode().count("event: response.incomplete\n") == 1
    only = response_of(body, completion(content=None, tool_calls=calls[:1]), "0")
    assert [item["type"] for item in only["output"]] == ["function_call"]


def test_a_stream_numbers_its_events_and_ends() -> None:
    """An event says its kind twice, as clients look for it in either place."""
    calls = [called("run", "{}"), called("apply_patch", '{"input": "x"}')]
    body = {"tools": [CUSTOM]}
    found = response_of(body, completion(content="A", tool_calls=calls), "0")
    events = response_stream(found).decode().strip().split("\n\n")
    kinds = []
    for number, event in enumerate(events):
        head, data = event.split("\n")
        content = json.loads(data.removeprefix("data: "))
        assert head == f"event: {content['type']}"
        assert content["sequence_number"] == number
        kinds.append(content["type"])
    assert kinds[0] == "response.created"
    assert kinds[-1] == "response.completed"
    assert kinds.count("response.output_item.done") == 3


def test_errors_are_openais(base: str) -> None:
    """A request that is wrong gets a 400 in the usual shape."""
    request = urllib.request.Request(f"{base}/responses", b'{"input": []}')
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request, timeout=10)
    with raised.value as error:
        assert (error.code, json.load(error)["error"]["param"]) == (400, "input")


@pytest.mark.skipif(find_spec("openai") is None, reason="openai is not installed")
def test_openais_client_reads_responses(base: str, model: Recorder) -> None:
    """Texts and calls, whole and as a stream."""
    import openai

    with openai.OpenAI(base_url=base, api_key="any", max_retries=0) as client:
        create: Any = client.responses.create
        assert create(model="m", input="hi", instructions="Be.").output_text == "Hello"
        assert model.asked[-1]["messages"] == [
            {"role": "system", "content": "Be."},
            {"role": "user", "content": "hi"},
        ]
        streaming: Any = client.responses.stream
        with streaming(model="m", input="hi") as stream:
            assert "".join(e.delta for e in stream if e.type.endswith("text.delta")) == "Hello"
            assert stream.get_final_response().usage.total_tokens == 7
        model.said = completion(content=None, tool_calls=[called("run", '{"a": 1}')])
        with streaming(model="m", input="hi", tools=[FUNCTION]) as stream:
            stream.until_done()
            (item,) = stream.get_final_response().output
        assert (item.type, item.name, item.arguments) == ("function_call", "run", '{"a": 1}')
