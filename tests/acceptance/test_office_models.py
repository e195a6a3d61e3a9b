"""ContextWeave with models that do the tasks and judge them, over real sockets, as users run it."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest
from made_streams import make_stream
from model_server import Fault, ModelServer, seeded_faults
from office_model import answering, said
from tiny_project import records

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("httpx") is None, reason="httpx is not installed"
)
needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
#: An item that no test decides.
JUDGED = {"item_id": "named", "root": "titles", "text": "A person signs it by name."}


@pytest.fixture(autouse=True)
def _streams(project: pytest.Pytester) -> None:
    """One made stream, of four tasks, each with an item that only a judge can decide."""
    stream = make_stream(project.path / "streams", "ada", 4)
    for file in stream.glob("tasks/*/hidden/rubric.json"):
        rubric = json.loads(file.read_text("utf-8"))
        rubric["preferences"].append(JUDGED)
        file.write_text(json.dumps(rubric), encoding="utf-8")


def run(project: pytest.Pytester, server: ModelServer, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own, with agent and judge at a server."""
    return project.runpytest_subprocess(
        *("-p", "no:cacheprovider", "--tb=short", "--memory-system=none,full-context"),
        *("--comem-streams=streams", "--comem-model=openai/agent", "--comem-judge=openai/judge"),
        *(f"--comem-api-base={server.url}", f"--comem-judge-api-base={server.url}"),
        *("contextweave", *arguments),
    )


def outcomes_file(project: pytest.Pytester, run_dir: str) -> bytes:
    """Return a run's outcomes as they lie there."""
    return (project.path / run_dir / "outcomes.jsonl").read_bytes()


def without_cost(project: pytest.Pytester, run_dir: str) -> list[dict[str, Any]]:
    """Return a run's outcomes without what they cost."""
    rows = records(project.path / run_dir)
    return [{name: value for name, value in row.items() if name != "usage"} for row in rows]


def test_a_model_does_the_tasks_and_a_model_judges(project: pytest.Pytester) -> None:
    """With recall it writes as the person wants; the judge says so within what checks leave."""
    with ModelServer(answering) as server:
        result = run(project, server, "--comem-run-dir=r")
        chats = server.chats
    assert result.parseoutcomes() == {"passed": 8}
    result.stdout.fnmatch_lines(["*ContextWeave scorecard*", "no recall*", "full-context*"])
    rows = records(project.path / "r")
    assert {row["model"] for row in rows} == {"openai/agent"}
    assert {row["judge"].partition("@")[0] for row in rows} == {"openai/judge"}
    measured = {(row["system"]["name"], row["step"]): row["verdict"]["measures"] for row in rows}
    for (system, step), found in measured.items():
        # Checks leave 60 to 79.9 without the signature, of which the judge gives the least.
        assert (found["workspace_alone"], found["preference_alone"]) == (60.0, 100 / 3)
        if system == "none" or step == "t0001":
            assert (found["workspace"], found["win"]) == (60.0, None)
            assert found["robustness_rating"] is None
        else:
            assert found["win"] is True
            assert found["exploration"] == found["execution"] == 1.0
            ratings = [found[f"{name}_rating"] for name in ("relevance", "familiarity")]
            assert ratings == [4.0, 3.0]
    last = measured["full-context", "t0004"]
    assert (last["workspace"], last["preference"]) == (95.0, 100.0)
    evidence = {row["step"]: row["verdict"]["evidence"] for row in rows}
    assert evidence["t0004"]["judge"]["judge"]["citations"] == ["reports/0004.md", "figure"]
    assert evidence["t0004"]["preferences"]["named"]["passed"] is True
    # A run without recall is one for both systems: three turns and two judgements a task. With
    # recall, in three tasks, a comparison and ratings come on top.
    assert len(chats) == 4 * 5 + 3 * 7
    judged = [body for body in chats if body["model"] == "judge"]
    assert {body["temperature"] for body in judged} == {0.0}
    # Nobody who works is shown what decides.
    working = [said(body, 1) for body in chats if body["model"] == "agent"]
    assert not [text for text in working if JUDGED["text"] in text or "rubric" in text]


@needs_xdist
def test_outcomes_are_the_same_however_a_run_is_cut_up(project: pytest.Pytester) -> None:
    """Serial, abreast, and on two workers."""
    ways = {"serial": ["--comem-concurrency=1"], "abreast": ["--comem-concurrency=8"]}
    ways["workers"] = ["-n", "2"]
    with ModelServer(answering) as server:
        for name, way in ways.items():
            run(project, server, f"--comem-run-dir={name}", *way)
    found = {name: records(project.path / name) for name in ways}
    assert found["serial"] == found["abreast"] == found["workers"]
    assert {row["failure"] for row in found["serial"]} == {None}
    assert len(found["serial"]) == 8


def test_a_recorded_run_is_replayed_without_a_model(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recorded outcomes to the last byte, and no call; a key is in no file."""
    key = "sk-0123456789abcdef"
    monkeypatch.setenv("OPENAI_API_KEY", key)

    def repeating(body: dict[str, Any]) -> str:
        return answering(body).replace("Done.", f"Done with {key}.")

    with ModelServer(repeating) as server:
        run(project, server, "--comem-cassette", "record", "tapes", "--comem-run-dir=a")
        made = len(server.calls)
        assert made == 41
        assert {each["authorization"] for each in server.headers} == {f"Bearer {key}"}
        result = run(project, server, "--comem-cassette", "replay", "tapes", "--comem-run-dir=b")
        assert len(server.calls) == made
    assert result.parseoutcomes() == {"passed": 8}
    assert outcomes_file(project, "a") == outcomes_file(project, "b")
    for folder in ("a", "b", "tapes"):
        for file in (project.path / folder).rglob("*"):
            assert not file.is_file() or key.encode() not in file.read_bytes()


def test_faults_change_no_outcome(project: pytest.Pytester) -> None:
    """With 30 % of calls failing, all comes out as without."""
    with ModelServer(answering) as server:
        run(project, server, "--comem-run-dir=calm")
    with ModelServer(answering, faults=seeded_faults(0.3, seed=4, stall=2.0)) as server:
        run(project, server, "--comem-run-dir=rough", "--comem-timeout=1")
        assert server.failed > 5
    assert without_cost(project, "rough") == without_cost(project, "calm")
    rows = records(project.path / "rough")
    assert sum(usage["retries"] for row in rows for usage in row["usage"].values()) > 0


@pytest.mark.parametrize("broken", ["agent", "judge"])
def test_a_model_that_fails_is_nobodys_failure(project: pytest.Pytester, broken: str) -> None:
    """Where one task's calls fail, its steps are errors, and the others have their scores."""

    def faults(body: dict[str, Any], attempt: int) -> Fault | None:
        hit = body["model"] == broken and "Status 0002" in said(body, 1).partition("task")[2][:200]
        return Fault(status=500) if hit else None

    with ModelServer(answering, faults=faults) as server:
        result = run(project, server, "--comem-run-dir=r", "--comem-max-retries=0")
    assert result.parseoutcomes() == {"passed": 6, "errors": 2}
    failures = {row["step"]: row["failure"] for row in records(project.path / "r")}
    assert [name for name, one in failures.items() if one] == ["t0002"]
    assert failures["t0002"]["attribution"] == "infrastructure"
    assert failures["t0002"]["type"] == "server_error"
    assert f"openai/{broken}" in failures["t0002"]["message"]


def test_a_judge_that_says_nothing_readable_gives_no_score(project: pytest.Pytester) -> None:
    """It is the judge's failure, whatever the checks found."""

    def answer(body: dict[str, Any]) -> str:
        return "Fine work!" if body["model"] == "judge" else answering(body)

    with ModelServer(answer) as server:
        run(project, server, "--comem-run-dir=r")
    rows = records(project.path / "r")
    assert {row["failure"]["type"] for row in rows} == {"judge"}
    assert {row["verdict"] for row in rows} == {None}


def test_models_stand_beside_the_offline_agent(project: pytest.Pytester) -> None:
    """Each with its own row."""
    with ModelServer(answering) as server:
        run(project, server, "--comem-model=openai/agent,offline", "--comem-run-dir=r")
    rows = records(project.path / "r")
    assert {row["model"] for row in rows} == {"openai/agent", "offline"}
    assert len(rows) == 16
    assert {row["failure"] for row in rows} == {None}
    kept = list(Path(project.path / "r/no-recall").glob("*.json"))
    assert len(kept) == 8
