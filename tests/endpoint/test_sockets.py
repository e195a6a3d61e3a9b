"""A model at a Unix socket: who opens it may ask, and what is asked is counted."""

from __future__ import annotations

import http.client
import json
import socket
import stat
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.callers import Caller
from pytest_comem.endpoint.chat import ChatReply, ChatRequest
from pytest_comem.endpoint.served import ServedModel
from pytest_comem.endpoint.sockets import SocketModel, chatting_model
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.llm.meter import Meter

HELLO = {"messages": [{"role": "user", "content": "hello there"}]}


class Parrot:
    """Says what it hears."""

    def complete(self, request: ChatRequest) -> ChatReply:
        """Return the last message."""
        return ChatReply(request.messages[-1].text)


class Failing(ServedModel):
    """Fails in one way."""

    name = "failing"

    def __init__(self, kind: Fault) -> None:
        self.kind = kind
        self.asked = 0

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Fail."""
        self.asked += 1
        raise ModelCallError("as told", self.kind)


class Waiting(ServedModel):
    """Answers when it is let."""

    name = "waiting"

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.let = threading.Event()

    def complete(
        self, body: Mapping[str, Any], identity: str, caller: Caller | None
    ) -> dict[str, Any]:
        """Wait, then count one call."""
        assert caller is not None
        self.begun.set()
        assert self.let.wait(30)
        caller.meter.add(tokens=3, cost=0.0)
        message = {"role": "assistant", "content": "late"}
        return {"choices": [{"message": message}], "usage": {"total_tokens": 3}}


def ask(path: Path, target: str = "/v1/chat/completions", body: Any = HELLO) -> tuple[int, Any]:
    """Return status and reply of one request at a socket."""
    connection = http.client.HTTPConnection("localhost", timeout=30)
    connection.sock = socket.socket(socket.AF_UNIX)
    connection.sock.settimeout(30)
    try:
        connection.sock.connect(str(path))
        connection.request("POST", target, json.dumps(body))
        reply = connection.getresponse()
        return reply.status, json.load(reply)
    finally:
        connection.close()


def test_calls_are_counted_for_the_task(tmp_path: Path) -> None:
    """Chats and responses, by the meter and by the socket; the file is the owner's alone."""
    meter = Meter("p")
    with chatting_model(Parrot(), HashEmbedder()).open(tmp_path, meter) as opened:
        assert stat.S_IMODE(opened.path.stat().st_mode) == 0o600
        status, chat = ask(opened.path)
        assert (status, chat["choices"][0]["message"]["content"]) == (200, "hello there")
        status, response = ask(opened.path, "/v1/responses", {"input": "hello there"})
        assert (status, response["output"][0]["content"][0]["text"]) == (200, "hello there")
        status, vectors = ask(opened.path, "/v1/embeddings", {"input": "x"})
        assert (status, len(vectors["data"])) == (200, 1)
        assert ask(opened.path, "/i/guessed/v1/chat/completions")[0] == 404
    assert (opened.calls, opened.tokens) == (2, 8)
    assert meter.take()["other"].tokens == 8
    with pytest.raises(OSError):
        ask(opened.path)


@pytest.mark.parametrize(
    ("kind", "times"), [(Fault.SERVER_ERROR, 1), (Fault.RATE_LIMIT, 1), (Fault.BAD_REQUEST, 3)]
)
def test_a_model_that_failed_is_not_asked_again(tmp_path: Path, kind: Fault, times: int) -> None:
    """Programs ask again and again; what was tried in vain is not tried anew in the same task."""
    meter, model = Meter("p"), Failing(kind)
    with SocketModel(model, HashEmbedder(), "m").open(tmp_path, meter) as opened:
        statuses = [ask(opened.path)[0] for _ in range(3)]
    assert min(statuses) >= 400
    assert model.asked == times
    failure = meter.take_failure()
    assert failure is not None
    assert failure.kind is kind


def test_a_call_at_hand_is_over_before_the_task_is(tmp_path: Path) -> None:
    """What a program that was ended has asked is counted for its own task."""
    meter, model = Meter("p"), Waiting()

    def lost(path: Path) -> None:
        # The socket may be gone before the reply is read.
        with suppress(OSError, http.client.HTTPException):
            ask(path)

    with SocketModel(model, HashEmbedder(), "m").open(tmp_path, meter) as opened:
        thread = threading.Thread(target=lost, args=(opened.path,))
        thread.start()
        assert model.begun.wait(30)
        threading.Timer(0.2, model.let.set).start()
    assert (opened.calls, meter.take()["other"].tokens) == (1, 3)
    thread.join(30)


def test_a_place_too_long_for_a_socket_is_said_to_be(tmp_path: Path) -> None:
    """The system allows about a hundred bytes; the message says what to do."""
    place = tmp_path / ("x" * 120)
    place.mkdir()
    with (
        pytest.raises(InfrastructureError, match="TMPDIR") as raised,
        chatting_model(Parrot(), HashEmbedder()).open(place, Meter("p")),
    ):
        pass
    assert raised.value.type == "agent"
