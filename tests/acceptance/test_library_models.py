"""Runs whose memory systems call models of their own, over real sockets, from the command line."""

from __future__ import annotations

import json
import threading
from collections import Counter
from hashlib import sha256
from importlib.util import find_spec
from typing import Any

import pytest
from model_server import Answer, Fault, ModelServer, seeded_faults
from test_models import (
    KEY,
    finished,
    needs_xdist,
    outcomes_file,
    run,
    without_cost,
)
from test_models import answer as reply
from tiny_project import records

from pytest_comem.endpoint.scripted import ScriptedChat
from pytest_comem.endpoint.wire import chat_reply, read_chat_request

#: Systems that call a model, and a module that says whether what they need is installed.
CALLING = {
    "remem-single": "numpy",
    "mem0:extract": "mem0",
    "langmem:extract": "langmem",
    "memos:extract": "memos",
    "a-mem": "agentic_memory",
}
SYSTEMS = [name for name, module in CALLING.items() if find_spec(module) is not None]
#: The first two steps of one episode, in the order in which they are asked.
ONLY = ("-k", "medical-mini_medical_orchard_clinic and (ckpt_07 or ckpt_03)")
STEPS = 2

pytestmark = [
    pytest.mark.skipif(find_spec("httpx") is None, reason="httpx is not installed"),
    pytest.mark.skipif(not SYSTEMS, reason="no system that calls a model is installed"),
]
_scripted = ScriptedChat()
_answering = threading.Lock()


def answer(body: dict[str, Any]) -> str | Answer:
    """Answer agents by a rule, and libraries as the scripted model does."""
    if body["model"] == "agent":
        return reply(body)
    request = read_chat_request(body)
    with _answering:
        said = _scripted.complete(request)
    identity = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    (choice,) = chat_reply(request, said, identity)["choices"]
    return Answer(choice["message"].pop("content"), choice["finish_reason"], choice["message"])


def options(server: ModelServer) -> tuple[str, ...]:
    """Return the options of a run whose agent and memory systems call models at a server."""
    return (
        f"--memory-system={','.join(SYSTEMS)}",
        *("--comem-memory-model=openai/x", f"--comem-memory-api-base={server.url}"),
        *("--comem-model=openai/agent", f"--comem-api-base={server.url}", "gatemem", *ONLY),
    )


def refusing(status: int) -> Any:
    """Return a script of faults that refuses every call of the memory systems' model."""
    fault = Fault(status=status, message="not like this")
    return lambda body, attempt: fault if body["model"] == "x" else None


def by_system(rows: list[dict[str, Any]]) -> Counter[str]:
    """Return how many outcomes there are by the system's name."""
    return Counter(row["system"]["name"] for row in rows)


@needs_xdist
@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed")
def test_a_recorded_run_is_played_again_to_the_last_byte(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls and vectors are all found without a connection; only the door had the key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    tapes = ("tapes", "--comem-embedder=openai/emb")
    with ModelServer(answer) as server:
        # Where LiteLLM looks for OpenAI.
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        calls = options(server)
        recorded = run(
            project, *calls, "--comem-cassette", "record", *tapes, "--comem-run-dir=a", "-vv"
        )
        assert {headers["authorization"] for headers in server.headers} == {f"Bearer {KEY}"}
        agents = {
            h["user-agent"]
            for b, h in zip(server.calls, server.headers, strict=True)
            if "messages" in b
        }
        assert len(agents) == 1
    assert finished(project, "a")["unscored"] == {}
    counted = finished(project, "a")["calls"]
    assert counted["calls"] == len(server.chats)
    assert counted["recorded"] == counted["calls"] + counted["embedded"]
    rows = records(project.path / "a")
    assert by_system(rows) == dict.fromkeys(SYSTEMS, STEPS)
    for row in rows:
        assert row["usage"]["answer"]["calls"] == 1
    assert {row["system"]["name"] for row in rows if row["usage"]["ingest"]["calls"]} == {*SYSTEMS}
    recorded.stdout.re_match_lines([rf"{SYSTEMS[0]}\s*$", r"\s+ingest\s+\d+"])
    for name in ("OPENAI_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name)
    for name, way in (("b", "--comem-concurrency=16"), ("c", "-n2")):
        run(project, *calls, "--comem-cassette", "replay", *tapes, f"--comem-run-dir={name}", way)
        assert finished(project, name)["calls"]["misses"] == 0
        assert outcomes_file(project, name) == outcomes_file(project, "a")
    files = [path for path in project.path.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_faults_of_libraries_calls_change_no_verdict(project: pytest.Pytester) -> None:
    """With 30 % of calls failing, all steps end as without."""
    with ModelServer(answer) as server:
        run(project, *options(server), "--comem-run-dir=calm")
    with ModelServer(answer, faults=seeded_faults(0.3, seed=4, stall=2.0)) as server:
        run(project, *options(server), "--comem-run-dir=rough", "--comem-timeout=1")
        assert server.failed > 0
    assert finished(project, "rough")["unscored"] == {}
    assert without_cost(project, "rough") == without_cost(project, "calm")


def test_a_refused_key_of_the_memory_model_ends_the_run(project: pytest.Pytester) -> None:
    """There is one message and no error for each step."""
    with ModelServer(answer, faults=refusing(401)) as server:
        result = run(project, *options(server), "--comem-run-dir=r")
        assert len(server.calls) <= len(SYSTEMS)
    text = " ".join(result.stdout.str().split())
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert text.count("The run was ended early: the model openai/x refused us") == 1
    assert "ERROR" not in text
    assert records(project.path / "r") == []


def test_a_request_that_a_library_gets_wrong_is_its_own_trouble(project: pytest.Pytester) -> None:
    """The run goes on, and no step of a system whose calls fail has a verdict."""
    with ModelServer(answer, faults=refusing(400)) as server:
        calls = [name.replace(SYSTEMS[0], f"{SYSTEMS[0]},bm25", 1) for name in options(server)]
        run(project, *calls, "--comem-run-dir=r")
    rows = records(project.path / "r")
    scored = [row for row in rows if row["verdict"] is not None]
    assert by_system(scored) == {"bm25": STEPS}
    failures = [row["failure"] for row in rows if row["verdict"] is None]
    assert len(failures) == STEPS * len(SYSTEMS)
    assert {failure["type"] for failure in failures} == {"bad_request"}


def test_a_budget_that_is_spent_while_ingesting_ends_the_run(project: pytest.Pytester) -> None:
    """Nothing is an error, and what was not asked is unscored by name."""
    with ModelServer(answer) as server:
        result = run(project, *options(server), "--comem-max-tokens=300", "--comem-run-dir=r")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*The run was ended early: the budget is spent:*"])
    assert "ERROR" not in result.stdout.str()
    left = finished(project, "r")["unscored"]
    assert set(left.values()) == {"the run was ended before they were asked"}
