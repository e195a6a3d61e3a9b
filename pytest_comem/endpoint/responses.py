"""OpenAI's Responses in terms of chats: what Codex and its like ask for, answered by a chat model.

A request becomes a chat request, the completion becomes a response: texts, calls of functions and
of custom tools (functions of one text here) and what they returned. What a chat has no place for
is left out: reasoning items, and tools that OpenAI itself runs, such as web search. Nothing is
kept between requests, so one that goes on with an earlier response is refused.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pytest_comem.endpoint.wire import BadRequestError

#: Members that a chat has under the same name; where there are no tools, the first two are not.
_OF_TOOLS: Final = ("parallel_tool_calls",)
_SAME: Final = ("temperature", "top_p", "user")
#: The one argument of a custom tool.
_INPUT: Final = "input"


def chat_body(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the chat request that a request for a response comes to.

    :raises BadRequestError: where it cannot be answered by a chat.
    """
    if body.get("previous_response_id"):
        raise BadRequestError(
            "'previous_response_id': no response is kept here; send the whole input",
            "previous_response_id",
        )
    messages = _messages(body)
    if not messages:
        raise BadRequestError("'input' must be a text or a list that is not empty", "input")
    chat: dict[str, Any] = {"model": body.get("model"), "messages": messages}
    chat |= {name: body[name] for name in _SAME if body.get(name) is not None}
    if body.get("max_output_tokens") is not None:
        chat["max_tokens"] = body["max_output_tokens"]
    if form := _response_format(body.get("text")):
        chat["response_format"] = form
    if tools := [tool for given in _list(body, "tools") if (tool := _tool(given)) is not None]:
        chat["tools"] = tools
        chat |= {name: body[name] for name in _OF_TOOLS if body.get(name) is not None}
        if (choice := _choice(body.get("tool_choice"))) is not None:
            chat["tool_choice"] = choice
    return chat


def response_of(
    body: Mapping[str, Any], completion: Mapping[str, Any], identity: str
) -> dict[str, Any]:
    """Return the response that holds a chat's completion.

    :param body: of the request for the response.
    :param identity: a text for this request, from which ids are made.
    """
    choice = completion["choices"][0]
    is_cut = choice.get("finish_reason") == "length"
    usage = completion.get("usage") or {}
    asked, said = (int(usage.get(f"{name}_tokens") or 0) for name in ("prompt", "completion"))
    return {
        "id": f"resp_{identity}",
        "object": "response",
        "created_at": 0,
        "status": "incomplete" if is_cut else "completed",
        "error": None,
        "incomplete_details": {"reason": "max_output_tokens"} if is_cut else None,
        "model": str(body.get("model") or ""),
        "output": list(_output(choice["message"], _customs(body), identity)),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": asked,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": asked + said,
        },
    }


def response_stream(response: Mapping[str, Any]) -> bytes:
    """Return a response as server-sent events, every item in one piece."""
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for place, item in enumerate(response["output"]):
        at = {"output_index": place, "item_id": item["id"]}
        events += [
            {"type": "response.output_item.added", "output_index": place, "item": _empty(item)},
            *({"type": kind, **at, **more} for kind, more in _pieces(item)),
            {"type": "response.output_item.done", "output_index": place, "item": item},
        ]
    events.append({"type": f"response.{response['status']}", "response": dict(response)})
    return "".join(
        f"event: {event['type']}\ndata: {json.dumps({'sequence_number': number, **event})}\n\n"
        for number, event in enumerate(events)
    ).encode("ascii")


def _messages(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    given = body.get("input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise BadRequestError("'input' must be a text or a list of objects", "input")
    messages: list[dict[str, Any]] = []
    if isinstance(told := body.get("instructions"), str) and told:
        messages.append({"role": "system", "content": told})
    for item in given:
        if (message := _message(item)) is not None:
            _add(messages, message)
    return messages


def _add(messages: list[dict[str, Any]], message: dict[str, Any]) -> None:
    """Add a message; what an assistant says and calls in one turn is one message of a chat.

    So are the instructions before the first turn: some models take one system message only.
    """
    last = messages[-1] if messages else {}
    if message["role"] == last.get("role") == "assistant":
        if message["content"]:
            texts = [last["content"], message["content"]]
            last["content"] = "\n".join(text for text in texts if text)
        if calls := [*last.get("tool_calls", ()), *message.get("tool_calls", ())]:
            last["tool_calls"] = calls
    elif len(messages) == 1 and message["role"] == last.get("role") == "system":
        last["content"] = f"{last['content']}\n\n{message['content']}"
    else:
        messages.append(message)


def _message(item: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return an item of the input as a message of a chat, ``None`` for one without a place."""
    kind = item.get("type", "message")
    if kind == "message":
        role = str(item.get("role") or "user")
        content = _content(item.get("content"))
        return {"role": "system" if role == "developer" else role, "content": content}
    if kind == "function_call":
        return _called(item, item.get("arguments"))
    if kind == "custom_tool_call":
        return _called(item, json.dumps({_INPUT: item.get("input")}))
    if kind in ("function_call_output", "custom_tool_call_output"):
        content = _content(item.get("output"))
        text = content if isinstance(content, str) else json.dumps(content)
        return {"role": "tool", "tool_call_id": str(item.get("call_id")), "content": text}
    return None


def _called(item: Mapping[str, Any], arguments: Any) -> dict[str, Any]:
    function = {"name": str(item.get("name")), "arguments": str(arguments or "{}")}
    call = {"id": str(item.get("call_id")), "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _content(given: Any) -> str | list[dict[str, Any]]:
    """Return content as a chat has it: a text, or parts where there is an image among them."""
    if given is None or isinstance(given, str):
        return given or ""
    if isinstance(given, dict):
        # What a tool returned, as some clients wrap it.
        return _content(given.get("content"))
    if not isinstance(given, list) or not all(isinstance(part, dict) for part in given):
        raise BadRequestError("content must be a text or a list of parts", "input")
    parts = [part for one in given if (part := _part(one)) is not None]
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return parts


def _part(part: Mapping[str, Any]) -> dict[str, Any] | None:
    for name in ("text", "refusal"):
        if isinstance(text := part.get(name), str):
            return {"type": "text", "text": text}
    if isinstance(url := part.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": url}}
    return None


def _list(body: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    given = body.get(name) or []
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise BadRequestError(f"{name!r} must be a list of objects", name)
    return given


def _tool(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a tool as a chat has it; ``None`` for one that only OpenAI has."""
    kind = given.get("type")
    if kind not in ("function", "custom"):
        return None
    function = {"name": str(given.get("name")), "description": str(given.get("description") or "")}
    if kind == "function":
        parameters: Any = given.get("parameters") or {"type": "object", "properties": {}}
        strict = {"strict": True} if given.get("strict") is True else {}
        return {"type": "function", "function": {**function, "parameters": parameters, **strict}}
    form = given.get("format")
    if isinstance(form, dict) and isinstance(grammar := form.get("definition"), str):
        function["description"] += f"\n\nThe input has this form:\n{grammar}"
    parameters = {
        "type": "object",
        "properties": {_INPUT: {"type": "string"}},
        "required": [_INPUT],
        "additionalProperties": False,
    }
    return {"type": "function", "function": {**function, "parameters": parameters}}


def _customs(body: Mapping[str, Any]) -> frozenset[str]:
    tools = _list(body, "tools")
    return frozenset(str(tool.get("name")) for tool in tools if tool.get("type") == "custom")


def _choice(given: Any) -> Any:
    if isinstance(given, dict):
        name = given.get("name")
        return {"type": "function", "function": {"name": name}} if name else None
    return given


def _response_format(text: Any) -> dict[str, Any] | None:
    form = text.get("format") if isinstance(text, dict) else None
    if not isinstance(form, dict) or form.get("type") in (None, "text"):
        return None
    if form["type"] != "json_schema":
        return {"type": form["type"]}
    schema = {name: form[name] for name in ("name", "schema", "strict") if name in form}
    return {"type": "json_schema", "json_schema": schema}


def _output(
    message: Mapping[str, Any], customs: frozenset[str], identity: str
) -> Iterator[dict[str, Any]]:
    done = {"status": "completed"}
    calls = message.get("tool_calls") or ()
    content = message.get("content")
    if (isinstance(content, str) and content) or not calls:
        text: dict[str, Any] = {"type": "output_text", "text": content or "", "annotations": []}
        head = {"type": "message", "id": f"msg_{identity}", "role": "assistant"}
        yield {**head, **done, "content": [text]}
    for number, call in enumerate(calls):
        function = call["function"]
        name, arguments = str(function["name"]), str(function.get("arguments") or "{}")
        called = {"call_id": str(call.get("id") or f"call_{identity}_{number}"), "name": name}
        if name in customs:
            head = {"type": "custom_tool_call", "id": f"ctc_{identity}_{number}"}
            yield {**head, **done, **called, "input": _input(arguments)}
        else:
            head = {"type": "function_call", "id": f"fc_{identity}_{number}"}
            yield {**head, **done, **called, "arguments": arguments}


def _input(arguments: str) -> str:
    """Return a custom tool's text; a model that forgot the object around it may have meant that."""
    try:
        found = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    given = found.get(_INPUT) if isinstance(found, dict) else None
    return given if isinstance(given, str) else arguments


def _empty(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item as it is before its first piece."""
    nothing: Mapping[str, dict[str, Any]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
        "custom_tool_call": {"input": ""},
    }
    return {**item, "status": "in_progress", **nothing[item["type"]]}


def _pieces(item: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    if item["type"] == "message":
        part = item["content"][0]
        at = {"content_index": 0}
        yield "response.content_part.added", {**at, "part": {**part, "text": ""}}
        yield "response.output_text.delta", {**at, "delta": part["text"], "logprobs": []}
        yield "response.output_text.done", {**at, "text": part["text"], "logprobs": []}
        yield "response.content_part.done", {**at, "part": part}
        return
    kind, name = {
        "function_call": ("function_call_arguments", "arguments"),
        "custom_tool_call": ("custom_tool_call_input", "input"),
    }[item["type"]]
    yield f"response.{kind}.delta", {"delta": item[name]}
    yield f"response.{kind}.done", {name: item[name]}
