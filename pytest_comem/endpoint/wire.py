"""OpenAI's JSON shapes: what a request says, and how a reply is written."""

from __future__ import annotations

import base64
import json
import sys
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

from pytest_comem.endpoint.chat import ChatReply, ChatRequest, Message, ToolCall
from pytest_comem.llm.calls import Completion


class BadRequestError(ValueError):
    """The request cannot be understood; the message says why.

    :param param: the field at fault, or ``None``.
    """

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@final
@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """A request for vectors.

    :param texts: in order.
    :param as_base64: little-endian 32-bit floats in base64 instead of numbers.
    """

    texts: Sequence[str]
    as_base64: bool


def read_object(body: bytes) -> Mapping[str, Any]:
    """Return the JSON object of a request's body.

    :raises BadRequestError: where it is something else.
    """
    try:
        value = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequestError(f"the body is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise BadRequestError("the body is not a JSON object")
    return value


def read_embedding_request(body: Mapping[str, Any], dimensions: int) -> EmbeddingRequest:
    """Return what is to be embedded.

    :param dimensions: length of the vectors that can be had.
    :raises BadRequestError: for anything but texts, or another length of vectors.
    """
    given = body.get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts:
        raise BadRequestError("'input' must be a text or a list of at least one", "input")
    if not all(isinstance(text, str) for text in texts):
        raise BadRequestError(
            "'input' must be text: this server has no tokenizer, so token ids mean nothing to it "
            "(for langchain's OpenAIEmbeddings: check_embedding_ctx_length=False)",
            "input",
        )
    wanted = body.get("dimensions")
    if wanted is not None and wanted != dimensions:
        raise BadRequestError(
            f"'dimensions' is {wanted!r}, and this embedder has {dimensions}", "dimensions"
        )
    encoding = body.get("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise BadRequestError("'encoding_format' must be float or base64", "encoding_format")
    return EmbeddingRequest(texts, encoding == "base64")


def embedding_reply(
    model: str, request: EmbeddingRequest, vectors: Sequence[Sequence[float]]
) -> dict[str, Any]:
    """Return the reply that holds *vectors*; usage is counted in words."""
    words = sum(_words(text) for text in request.texts)
    return {
        "object": "list",
        "data": [
            {
                "object": "embedding",
                "index": index,
                "embedding": _base64(vector) if request.as_base64 else vector,
            }
            for index, vector in enumerate(vectors)
        ],
        "model": model,
        "usage": {"prompt_tokens": words, "total_tokens": words},
    }


def read_chat_request(body: Mapping[str, Any]) -> ChatRequest:
    """Return the chat that is to be completed.

    :raises BadRequestError: where it has no messages, or some of another form.
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequestError("'messages' must be a list that is not empty", "messages")
    tools = body.get("tools") or ()
    if not isinstance(tools, (list, tuple)) or not all(isinstance(tool, dict) for tool in tools):
        raise BadRequestError("'tools' must be a list of objects", "tools")
    form = body.get("response_format")
    if form is not None and not isinstance(form, dict):
        raise BadRequestError("'response_format' must be an object", "response_format")
    return ChatRequest(
        model=str(body.get("model") or ""),
        messages=tuple(_message(number, one) for number, one in enumerate(messages)),
        tools=tuple(tools),
        response_format=form,
    )


def chat_reply(request: ChatRequest, reply: ChatReply, identity: str) -> dict[str, Any]:
    """Return the completion that holds *reply*.

    :param identity: a text for this request, from which ids are made.
    """
    message: dict[str, Any] = {
        "role": "assistant",
        "content": None if reply.tool_calls and not reply.text else reply.text,
    }
    if reply.tool_calls:
        message["tool_calls"] = _tool_calls(reply.tool_calls, identity)
    finish = "tool_calls" if reply.tool_calls else "stop"
    return _completion(request.model, message, finish, _chat_usage(request, reply), identity)


def completion_reply(model: str, completion: Completion, identity: str) -> dict[str, Any]:
    """Return a model's own completion; its message stays as it is, tool calls included.

    :param model: name asked for.
    :param identity: a text for this request, from which its id is made.
    """
    message = {"role": "assistant", "content": None, **completion.message}
    usage = _usage(completion.input_tokens, completion.output_tokens)
    return _completion(model, message, completion.finish_reason, usage, identity)


def chat_stream(completion: Mapping[str, Any], *, with_usage: bool) -> bytes:
    """Return a completion as server-sent events: all of it in one chunk, then the end mark."""
    choice = completion["choices"][0]
    delta = dict(choice["message"])
    if "tool_calls" in delta:
        delta["tool_calls"] = [
            {"index": index, **call} for index, call in enumerate(delta["tool_calls"])
        ]
    head = {key: completion[key] for key in ("id", "created", "model")}
    head["object"] = "chat.completion.chunk"
    finish = choice["finish_reason"]
    chunks: list[dict[str, Any]] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    ]
    if with_usage:
        chunks.append({**head, "choices": [], "usage": completion["usage"]})
    events = [json.dumps(chunk) for chunk in chunks]
    return "".join(f"data: {event}\n\n" for event in [*events, "[DONE]"]).encode()


def error_reply(
    message: str, *, type: str, param: str | None = None, code: str | None = None
) -> dict[str, Any]:
    """Return the body that says what went wrong."""
    return {"error": {"message": message, "type": type, "param": param, "code": code}}


def _message(number: int, message: Any) -> Message:
    place = f"messages[{number}]"
    if not isinstance(message, dict):
        raise BadRequestError(f"{place} is not an object", "messages")
    content = message.get("content")
    if content is None:
        content = ""
    if isinstance(content, list):
        content = "\n".join(_part(place, part) for part in content if _is_text(part))
    if not isinstance(content, str):
        raise BadRequestError(f"{place}.content must be a text or a list of parts", "messages")
    return Message(str(message.get("role") or ""), content)


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and "text" in part)


def _part(place: str, part: Any) -> str:
    text = part if isinstance(part, str) else part["text"]
    if not isinstance(text, str):
        raise BadRequestError(f"{place}.content has a part whose 'text' is no text", "messages")
    return text


def _tool_calls(calls: Sequence[ToolCall], identity: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"call_{identity}_{index}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
        }
        for index, call in enumerate(calls)
    ]


def _completion(
    model: str, message: Mapping[str, Any], finish: str, usage: Mapping[str, int], identity: str
) -> dict[str, Any]:
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
    return {
        "id": f"chatcmpl-{identity}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


def _chat_usage(request: ChatRequest, reply: ChatReply) -> dict[str, int]:
    asked = sum(_words(message.text) for message in request.messages)
    said = _words(reply.text) + sum(
        _words(f"{call.name} {json.dumps(dict(call.arguments))}") for call in reply.tool_calls
    )
    return _usage(asked, said)


def _usage(asked: int, said: int) -> dict[str, int]:
    return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


def _words(text: str) -> int:
    return len(text.split())


def _base64(vector: Sequence[float]) -> str:
    values = array("f", vector)
    if sys.byteorder == "big":
        values.byteswap()
    return base64.b64encode(values.tobytes()).decode("ascii")
