"""The tests' own model server does what its scripts say."""

from __future__ import annotations

import http.client
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
from model_server import Answer, Fault, ModelServer, first, rate_limit, seeded_faults, vector_of


def post(server: ModelServer, body: dict[str, Any], path: str = "chat/completions") -> Any:
    """Return status and JSON value of one call's reply."""
    connection = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=5)
    try:
        connection.request("POST", f"/v1/{path}", json.dumps(body), {"X-Asked": "yes"})
        response = connection.getresponse()
        return response.status, json.loads(response.read())
    finally:
        connection.close()


def asking(text: str) -> dict[str, Any]:
    """Return the body of a chat."""
    return {"model": "m", "messages": [{"role": "user", "content": text}]}


def test_it_answers_and_counts() -> None:
    """Answers come from the script; bodies, headers and tokens are noted."""
    with ModelServer(lambda body: Answer("yes it is", finish_reason="length")) as server:
        status, reply = post(server, asking("is it so"))
    assert status == 200
    assert reply["choices"][0]["message"] == {"role": "assistant", "content": "yes it is"}
    assert reply["choices"][0]["finish_reason"] == "length"
    assert reply["usage"] == {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    assert server.calls == server.chats == [asking("is it so")]
    assert server.headers[0]["x-asked"] == "yes"
    assert server.in_flight_max == 1


def test_it_embeds() -> None:
    """One text has one vector, in any company."""
    with ModelServer() as server:
        _, reply = post(server, {"model": "e", "input": ["a", "b"]}, "embeddings")
    assert [row["embedding"] for row in reply["data"]] == [vector_of("a"), vector_of("b")]
    assert vector_of("a") != vector_of("b")


def test_it_fails_as_scripted() -> None:
    """Each body's attempts are counted on their own."""
    script = first(rate_limit("3"), Fault(how="garbage"), Fault(how="close"), Fault(how="break"))
    with ModelServer(faults=script) as server:
        assert post(server, asking("a"))[0] == 429
        assert post(server, asking("b"))[0] == 429
        with pytest.raises(json.JSONDecodeError):
            post(server, asking("a"))
        with pytest.raises(http.client.RemoteDisconnected):
            post(server, asking("a"))
        with pytest.raises(http.client.IncompleteRead):
            post(server, asking("a"))
        assert post(server, asking("a"))[0] == 200
    assert (len(server.calls), server.failed) == (6, 5)


def test_seeded_faults_do_not_depend_on_order() -> None:
    """Whatever the order, the same attempts fail, about as many as asked for, never too often."""
    asked = [(asking(str(n)), attempt) for n in range(500) for attempt in (1, 2, 3, 4)]
    script = seeded_faults(0.3, 7)
    forwards = [script(*one) for one in asked]
    backwards = [seeded_faults(0.3, 7)(*one) for one in reversed(asked)]
    assert forwards == backwards[::-1]
    assert 0.25 < sum(map(bool, forwards)) / 1500 < 0.35
    assert not any(forwards[3::4])
    assert len({(f.how, f.status) for f in forwards if f}) == 6


def test_threads_at_once_and_a_prompt_end() -> None:
    """Calls run side by side; a server that ends does not wait for its delays."""
    with ModelServer(latency=0.2) as server, ThreadPoolExecutor(8) as pool:
        assert {status for status, _ in pool.map(lambda n: post(server, asking(str(n))), range(8))}
    assert server.in_flight_max > 1
    with ModelServer(latency=3600) as server:
        pool = ThreadPoolExecutor(1)
        waiting = pool.submit(post, server, asking("x"))
        while not server.calls:
            time.sleep(0.01)
    with pytest.raises(http.client.RemoteDisconnected):
        waiting.result(5)
    pool.shutdown()
