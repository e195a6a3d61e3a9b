"""Runs whose steps are answered and judged by language models, over real sockets."""

from __future__ import annotations

import importlib.util
import json
import re
import socket
import sys
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from model_server import Fault, ModelServer, always, first, seeded_faults
from tiny_project import records

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("httpx") is None, reason="httpx is not installed"
)
needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
DATA = "--comem-data=data"
KEY = "sk-marked-0123456789abcdef"
#: Refuses every connection, and leaves a trace of the attempt.
NO_SOCKETS = """
import os, pathlib, socket

def refuse(self, address, *more):
    (pathlib.Path(__file__).parent / "connected.txt").write_text(repr(address))
    raise OSError("sockets are blocked in this test")

socket.socket.connect = socket.socket.connect_ex = refuse
"""


def answer(body: dict[str, Any]) -> str:
    """Answer like a model that knows nothing, but always the same to the same messages."""
    text = json.dumps(body["messages"])
    number = int.from_bytes(sha256(text.encode()).digest()[:4], "big")
    if "utility_satisfied" in text:
        marks = {"utility_satisfied": number % 2 == 0, "leaked": number % 3 == 0}
        return json.dumps({**marks, "deleted_revealed": number % 5 == 0, "note": "as I see it"})
    action = ("answer", "refuse", "no_memory", "answer_redacted")[number % 4]
    return json.dumps({"action": action, "answer": f"It is {number % 1000}."})


def models(server: ModelServer | str) -> tuple[str, ...]:
    """Return the options that let models at a server answer and judge."""
    url = server if isinstance(server, str) else server.url
    return (
        *("--memory-system=bm25", "--comem-model=openai/agent", f"--comem-api-base={url}"),
        *("--comem-judge=openai/judge", f"--comem-judge-api-base={url}", "gatemem"),
    )


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", "--tb=short", *arguments)


def outcomes_file(project: pytest.Pytester, run_dir: str) -> bytes:
    """Return a run's outcomes as they lie there."""
    return (project.path / run_dir / "outcomes.jsonl").read_bytes()


def finished(project: pytest.Pytester, run_dir: str) -> dict[str, Any]:
    """Return the summary of a run's manifest."""
    manifest = json.loads((project.path / run_dir / "manifest.json").read_bytes())
    found: dict[str, Any] = manifest["finished"]
    return found


def without_cost(project: pytest.Pytester, run_dir: str) -> list[dict[str, Any]]:
    """Return a run's outcomes without what they cost."""
    rows = records(project.path / run_dir)
    return [{name: value for name, value in row.items() if name != "usage"} for row in rows]


def test_faults_change_no_verdict_and_are_counted(project: pytest.Pytester) -> None:
    """With 30 % of calls failing, the embedded run ends as without, and says how many retries."""
    with ModelServer(answer) as server:
        calm = run(project, *models(server), "--comem-run-dir=calm")
    with ModelServer(answer, faults=seeded_faults(0.3, seed=4, stall=2.0)) as server:
        rough = run(
            project, *models(server), "--comem-run-dir=rough", "--comem-timeout=1", "-r", ""
        )
        assert server.failed > 30
    assert without_cost(project, "rough") == without_cost(project, "calm")
    assert rough.parseoutcomes() == calm.parseoutcomes()
    assert finished(project, "rough")["unscored"] == {}
    retries = finished(project, "rough")["calls"]["retries"]
    assert set(retries) == {"rate_limit", "server_error", "timeout", "connection"}
    rows = records(project.path / "rough")
    on_steps = sum(usage["retries"] for row in rows for usage in row["usage"].values())
    assert on_steps == sum(retries.values())
    rough.stdout.fnmatch_lines([f"retries: {sum(retries.values())} (*rate_limit*)"])


def test_a_dead_endpoint_is_one_message_and_no_score(project: pytest.Pytester) -> None:
    """Nothing listens: the run ends within ten seconds, before anything is played."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    started = time.monotonic()
    result = run(project, *models(f"http://127.0.0.1:{port}/v1"))
    # A hang could not fail otherwise.
    assert time.monotonic() - started < 10
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = result.stdout.str() + result.stderr.str()
    assert text.count("cannot be reached") == 1
    assert f"http://127.0.0.1:{port}/v1" in text
    assert "scorecard" not in text
    assert not (project.path / ".comem").exists()


@pytest.mark.parametrize("more", [(), pytest.param(("-n2",), marks=needs_xdist), ("-x",)])
def test_an_endpoint_that_never_answers_a_call_ends_the_run(
    project: pytest.Pytester, more: tuple[str, ...]
) -> None:
    """Connections are accepted and dropped: one message, no error for each step, no scores."""
    with ModelServer(answer, faults=always(Fault(how="close"))) as server:
        result = run(project, *models(server), "--comem-run-dir=r", *more)
    text = " ".join(result.stdout.str().split())
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert text.count("The run was ended early: the model openai/agent cannot be reached") == 1
    assert "ERROR" not in text
    assert "MGS" not in text
    assert "No step was scored." in text
    assert records(project.path / "r") == []
    assert "cannot be reached" in finished(project, "r")["ended"]


def test_a_refused_key_ends_the_run_at_once(project: pytest.Pytester) -> None:
    """One message instead of 81 errors, and only as many calls as were in flight."""
    refusal = Fault(status=401, message="Incorrect API key provided", code="invalid_api_key")
    with ModelServer(answer, faults=always(refusal)) as server:
        result = run(project, *models(server))
        assert len(server.calls) <= 8
    text = " ".join(result.stdout.str().split())
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert text.count("Incorrect API key provided") == text.count("The run was ended early") == 1
    assert "ERROR" not in text


def test_what_was_finished_before_the_end_is_kept(project: pytest.Pytester) -> None:
    """A budget ends the run cleanly: finished steps are scored, the others unscored by name."""
    with ModelServer(answer) as server:
        result = run(
            project,
            *models(server),
            *("--comem-max-tokens=40000", "--comem-run-dir=r", "--comem-concurrency=2"),
        )
        spent = sum(
            usage["tokens"]
            for row in records(project.path / "r")
            for usage in row["usage"].values()
        )
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["The run was ended early: the budget is spent:*"])
    rows = records(project.path / "r")
    summary = finished(project, "r")
    assert 5 < len(rows) == summary["scored"] < 81
    assert len(rows) + len(summary["unscored"]) == 81
    assert "--comem-max-tokens" in summary["ended"]
    assert set(summary["unscored"].values()) == {"the run was ended before they were asked"}
    # Within one call for each of the two threads; a step makes two.
    most = max(usage["tokens"] for row in rows for usage in row["usage"].values())
    assert spent <= 40_000 + 2 * most


def test_a_replay_is_the_recorded_run_to_the_last_byte(project: pytest.Pytester) -> None:
    """All hits, no connection, the same file; serially, 16 at once, and on two workers."""
    with ModelServer(answer) as server:
        calls = models(server)
        recorded = run(project, *calls, "--comem-cassette", "record", "tapes", "--comem-run-dir=a")
        made = len(server.calls)
    assert finished(project, "a")["calls"]["recorded"] == made == 162
    project.makeconftest(NO_SOCKETS)
    ways = [("b", "--comem-concurrency=1"), ("c", "--comem-concurrency=16")]
    if importlib.util.find_spec("xdist") is not None:
        ways.append(("d", "-n2"))
    for name, way in ways:
        result = run(
            project, *calls, "--comem-cassette", "replay", "tapes", f"--comem-run-dir={name}", way
        )
        assert result.parseoutcomes() == recorded.parseoutcomes()
        found = finished(project, name)["calls"]
        assert (found["hits"], found["misses"], found["calls"]) == (made, 0, 0)
        assert outcomes_file(project, name) == outcomes_file(project, "a")
    assert not (project.path / "connected.txt").exists()


def test_a_call_that_was_not_recorded_is_an_error_that_says_why(project: pytest.Pytester) -> None:
    """Replaying with another model option names the step and the parameter that differs."""
    only = ("-k", "orchard and ckpt_03")
    with ModelServer(answer) as server:
        run(project, *models(server), "--comem-cassette", "record", "tapes", *only)
        calls = models(server)
    result = run(
        project,
        *calls,
        *("--comem-cassette", "replay", "tapes", "--comem-temperature=0.5", "--comem-run-dir=r"),
        *only,
    )
    result.assert_outcomes(errors=1)
    result.stdout.re_match_lines([r".*ckpt_03.*temperature.*0\.0.*0\.5"])
    assert records(project.path / "r")[0]["failure"]["type"] == "cassette"


def test_auto_replays_what_it_has_and_records_the_rest(project: pytest.Pytester) -> None:
    """The second run calls only for what is new, and a third one for nothing."""
    tapes = ("--comem-cassette", "auto", "tapes")
    with ModelServer(answer) as server:
        run(project, *models(server), *tapes, "-k", "orchard and ckpt_0")
        first_calls = len(server.calls)
        run(project, *models(server), *tapes, "-k", "orchard", "--comem-run-dir=b")
        second_calls = len(server.calls)
        run(project, *models(server), *tapes, "-k", "orchard", "--comem-run-dir=c")
        assert len(server.calls) == second_calls
    assert 0 < first_calls < second_calls == 42
    assert finished(project, "b")["calls"]["hits"] == first_calls
    assert outcomes_file(project, "c").count(b"\n") == 21


def test_no_key_is_written_or_printed(
    project: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A marked key, which the server repeats in replies and refusals, is found nowhere."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def indiscreet(body: dict[str, Any]) -> str:
        said = json.loads(answer(body))
        if "answer" in said:
            said["answer"] += f" Your key is {KEY}."
        return json.dumps(said)

    faults = first(None, Fault(status=500, message=f"cannot serve {KEY}"))
    with ModelServer(indiscreet) as server:
        bare = run(project, *models(server), "-vv", "--comem-run-dir=q", "-k", "orchard")
        assert any(KEY in json.dumps(call) for call in server.calls) is False
    with ModelServer(indiscreet, faults=faults) as server:
        calm = run(
            project,
            *models(server),
            *("-vv", "-rA", "--comem-cassette", "record", "tapes", "--comem-run-dir=r"),
            *("--junitxml=report.xml", "--comem-timeout=5"),
        )
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    with ModelServer(faults=always(Fault(status=400, message=f"bad {KEY}"))) as server:
        refused = run(project, *models(server), "-vv", "--comem-run-dir=s")
        assert "ended early" in refused.stdout.str()
    code = "from pytest_comem.cli import main; main()"
    report = project.run(sys.executable, "-c", code, "report", "r")
    for result in (bare, calm, refused, report):
        assert KEY not in result.stdout.str() + result.stderr.str()
    files = [path for path in project.path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"outcomes.jsonl", "manifest.json", "report.xml"}
    assert any("tapes" in path.parts for path in files)
    assert [path for path in files if KEY in _text(path)] == []


def _text(path: Path) -> str:
    import gzip

    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace")


def test_a_reply_that_names_no_action_fails_by_that_name(project: pytest.Pytester) -> None:
    """After three asks it is a method failure, `unparsable`, with a verdict and the reply."""
    with ModelServer(lambda body: "I would rather not say.") as server:
        result = run(
            project,
            *("--memory-system=bm25", "--comem-model=openai/agent"),
            *(f"--comem-api-base={server.url}", "gatemem", "-k", "orchard and ckpt_03"),
            *("--comem-run-dir=r", "-v"),
        )
        assert len(server.calls) == 3
    result.assert_outcomes(failed=1)
    (row,) = records(project.path / "r")
    assert row["failure"] == {**row["failure"], "attribution": "method", "type": "unparsable"}
    assert row["verdict"]["passed"] is False
    assert row["reply"] == {**row["reply"], "text": "I would rather not say."}
    result.stdout.fnmatch_lines(["*could not be read as one of the four actions*"])


def test_a_provider_without_structured_output_is_asked_plainly(project: pytest.Pytester) -> None:
    """A refusal of response_format is learned in each episode, and replayed as it was."""

    def no_formats(body: dict[str, Any], attempt: int) -> Fault | None:
        refused = "response_format" in body
        return Fault(status=400, message="response_format is not supported") if refused else None

    with ModelServer(answer, faults=no_formats) as server:
        calls = models(server)
        run(project, *calls, DATA, "--comem-cassette", "record", "tapes", "--comem-run-dir=a")
        assert "response_format" in server.calls[0]
    assert finished(project, "a")["unscored"] == {}
    run(project, *calls, DATA, "--comem-cassette", "replay", "tapes", "--comem-run-dir=b")
    assert outcomes_file(project, "a") == outcomes_file(project, "b")


def test_one_bad_judgement_leaves_the_other_steps_alone(project: pytest.Pytester) -> None:
    """A verdict that cannot be read is an error of its step, never a pass or a fail."""

    def muddled(body: dict[str, Any]) -> str:
        text = json.dumps(body["messages"])
        if "utility_satisfied" in text and "fact2" in text:
            return "INCORRECT"
        return answer(body)

    with ModelServer(muddled) as server:
        result = run(project, *models(server), DATA, "--comem-run-dir=r", "-k", "one")
    rows = records(project.path / "r")
    assert result.parseoutcomes()["errors"] == 1
    failed = [row for row in rows if row["verdict"] is None]
    assert [row["failure"]["type"] for row in failed] == ["judge"]
    assert len(rows) > 1
    assert failed[0]["reply"] is not None


def test_models_and_repeats_are_parameters(project: pytest.Pytester) -> None:
    """Two models three times: a row each, ids of their own, seeds by repeat, means, pass^3."""
    with ModelServer(answer) as server:
        result = run(
            project,
            *("--memory-system=bm25", "--comem-model=openai/big,openai/small"),
            *(f"--comem-api-base={server.url}", "--comem-repeats=3", "--comem-seed=40"),
            *(DATA, "gatemem", "-v", "--comem-run-dir=r"),
        )
        seeds = {(body["model"], body["seed"]) for body in server.calls}
    assert seeds == {(model, seed) for model in ("big", "small") for seed in (40, 41, 42)}
    rows = records(project.path / "r")
    assert {(row["model"], row["repeat"]) for row in rows} == {
        (f"openai/{model}", repeat) for model in ("big", "small") for repeat in (0, 1, 2)
    }
    assert len({row["key"] for row in rows}) == len(rows)
    text = result.stdout.str()
    assert re.search(r"\[bm25-openai_small-medical-two\.r3-ckpt_01\]", text)
    assert "±" in text
    assert "pass^3" in text


def test_a_price_bounds_the_run_and_is_needed_for_that(project: pytest.Pytester) -> None:
    """Given prices make a cost; without them --comem-max-cost is refused before the start."""
    prices = (
        "--comem-model-option=input_cost_per_token=0.001",
        "--comem-model-option=output_cost_per_token=0.002",
    )
    with ModelServer(answer) as server:
        agent = (
            *("--memory-system=bm25", "--comem-model=openai/agent"),
            *(f"--comem-api-base={server.url}", "gatemem", DATA, "--comem-max-cost=100000"),
        )
        refused = run(project, *agent)
        assert refused.ret == pytest.ExitCode.USAGE_ERROR
        refused.stderr.fnmatch_lines(["*price is unknown*--comem-max-tokens*"])
        judge = ("--comem-judge=openai/judge", f"--comem-judge-api-base={server.url}")
        refused = run(project, *agent, *prices, *judge)
        assert refused.ret == pytest.ExitCode.USAGE_ERROR
        refused.stderr.fnmatch_lines(["*--comem-judge*price is unknown*--comem-max-tokens*"])
        # Which would be of no use: it is of the answering models.
        assert "--comem-model-option" not in refused.stderr.str()
        assert server.calls == []
        run(project, *agent, *prices, "--comem-run-dir=r")
        assert "input_cost_per_token" not in server.calls[0]
    for row in records(project.path / "r"):
        assert row["usage"]["answer"]["cost"] > 0


@pytest.mark.skipif(importlib.util.find_spec("litellm") is None, reason="litellm is not installed")
def test_a_misspelt_model_is_refused_with_the_nearest_names(project: pytest.Pytester) -> None:
    """Nothing is played, and the readers' names are among what may have been meant."""
    result = run(project, "--memory-system=bm25", "--comem-model=offlin", DATA, "gatemem")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--comem-model offlin:*offline*"])


def test_a_secret_among_the_options_is_refused_unread(project: pytest.Pytester) -> None:
    """A key on the command line would end up in the manifest."""
    result = run(
        project, "--memory-system=bm25", "gatemem", f"--comem-model-option=api_key={KEY}", DATA
    )
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert KEY not in result.stderr.str() + result.stdout.str()
    assert "environment" in result.stderr.str()
