"""The door and the wire together, against a server that fails."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import Fault as Failing
from model_server import ModelServer, always, seeded_faults

from pytest_comem.llm.calls import ChatCall, ModelSpec
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import RunStopped
from pytest_comem.llm.retries import RetryPolicy

pytestmark = pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed")
CALLS = 120


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-marked-key-of-a-test")


def echo(body: dict[str, Any]) -> str:
    """Answer with the question."""
    return f"said {body['messages'][0]['content']}"


def ask(door: Door, server: ModelServer, number: int) -> str:
    """Ask the question of this number."""
    spec = ModelSpec("openai/x", server.url, {"temperature": 0}, timeout=1.0)
    call = ChatCall(spec, [{"role": "user", "content": f"question {number}"}])
    return door.chat(call, door.meter(f"part-{number}")).text


def test_three_calls_in_ten_fail_and_nothing_is_lost() -> None:
    """Failed attempts are retried and counted; the answers are those of a server without faults."""
    script = seeded_faults(0.3, 11, stall=2.0)
    door = Door(retries=RetryPolicy(base=0.001))
    with ModelServer(echo, faults=script) as server, ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda number: ask(door, server, number), range(CALLS)))
    door.close()
    assert found == [f"said question {number}" for number in range(CALLS)]
    retries = door.statistics.retries
    # A machine under load may add timeouts of its own.
    assert retries.total() >= server.failed > 20
    assert len(server.calls) >= CALLS + server.failed
    assert set(retries) == {"rate_limit", "server_error", "timeout", "connection"}


def test_a_refused_key_ends_the_run_with_one_request() -> None:
    """No further call is made, and no key is told."""
    refusing = Failing(status=401, message="Incorrect key: sk-marked-key-of-a-test")
    door = Door()
    with ModelServer(faults=always(refusing)) as server:
        for number in range(3):
            with pytest.raises(RunStopped, match="refused us") as caught:
                ask(door, server, number)
            assert "marked" not in str(caught.value)
    door.close()
    assert len(server.calls) == 1
