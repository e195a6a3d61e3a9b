"""CoMemBench with language models that do the nodes, over real sockets, as its users run it."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from model_server import Fault, ModelServer
from node_model import Asked, doing
from tiny_project import records

from pytest_comem.locations import fixture_path

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("httpx") is None, reason="httpx is not installed"
)
needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
#: One family of a domain that needs nothing but the package, with all its twins.
FAMILY = fixture_path("comembench", "families") / "retrieval-instrument-cradle"
SOME = (f"--comem-families={FAMILY}", "comembench")


def run(project: pytest.Pytester, server: ModelServer, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own, with the models at a server."""
    return project.runpytest_subprocess(
        *("-p", "no:cacheprovider", "--tb=short", f"--comem-api-base={server.url}"),
        *(*SOME, *arguments),
    )


def outcomes_file(project: pytest.Pytester, run_dir: str) -> bytes:
    """Return a run's outcomes as they lie there."""
    return Path(project.path / run_dir / "outcomes.jsonl").read_bytes()


@needs_xdist
def test_outcomes_are_the_same_however_a_run_is_cut_up(project: pytest.Pytester) -> None:
    """Serial, abreast and on two workers, with a model that everything shown can mislead."""
    ways = {"serial": ["--comem-concurrency=1"], "abreast": ["--comem-concurrency=8"]}
    ways["workers"] = ["-n", "2"]
    with ModelServer(partial(doing, careful=False)) as server:
        for name, way in ways.items():
            options = ["--memory-system=bm25", "--comem-model=openai/agent", *way]
            result = run(project, server, f"--comem-run-dir={name}", *options)
            result.stdout.fnmatch_lines(["*CoMemBench scorecard*", "*bm25*"])
    found = {name: records(project.path / name) for name in ways}
    assert found["serial"] == found["abreast"] == found["workers"]
    assert {row["failure"] for row in found["serial"]} == {None}
    assert {row["verdict"]["passed"] for row in found["serial"]} == {True, False}
    assert {row["model"] for row in found["serial"]} == {"openai/agent"}


def test_a_recorded_run_is_replayed_without_a_model(project: pytest.Pytester) -> None:
    """The recorded outcomes to the last byte, and no call."""
    tape = ["--memory-system=bm25", "--comem-model=openai/agent", "--comem-cassette"]
    with ModelServer(doing) as server:
        run(project, server, *tape, "record", "tapes", "--comem-run-dir=a")
        made = len(server.calls)
        assert made > 50
        result = run(project, server, *tape, "replay", "tapes", "--comem-run-dir=b")
        assert len(server.calls) == made
    assert set(result.parseoutcomes()) == {"passed"}
    assert outcomes_file(project, "a") == outcomes_file(project, "b")


def test_models_stand_beside_each_other_and_beside_the_offline_worker(
    project: pytest.Pytester,
) -> None:
    """Each with its own steps and its own row."""

    def answer(body: dict[str, Any]) -> str:
        return doing(body, careful=body["model"] == "careful")

    models = "--comem-model=openai/careful,openai/careless,offline"
    with ModelServer(answer) as server:
        run(project, server, "--memory-system=full-context", models, "--comem-run-dir=r")
    rows = records(project.path / "r")
    passed: dict[str, list[bool]] = {}
    for row in rows:
        passed.setdefault(row["model"], []).append(row["verdict"]["passed"])
    assert set(passed) == {"openai/careful", "openai/careless", "offline"}
    assert all(passed["openai/careful"])
    assert not all(passed["openai/careless"])
    assert not all(passed["offline"])
    assert len({len(each) for each in passed.values()}) == 1


def test_a_server_that_fails_is_nobodys_failure(project: pytest.Pytester) -> None:
    """The node and what comes after it are errors; what was played before it stands."""

    def faults(body: dict[str, Any], attempt: int) -> Fault | None:
        return Fault(status=500) if Asked(body).node == "audit" else None

    with ModelServer(doing, faults=faults) as server:
        result = run(
            project,
            server,
            *("--memory-system=none", "--comem-model=openai/agent", "--comem-max-retries=0"),
            *("--comem-run-dir=r", "-k", "clean"),
        )
    counts = result.parseoutcomes()
    assert set(counts) == {"passed", "errors", "deselected"}
    rows = records(project.path / "r")
    broken = [row["step"] for row in rows if row["verdict"] is None]
    assert broken[0] == "audit"
    assert {row["failure"]["attribution"] for row in rows if row["failure"]} == {"infrastructure"}
    assert {row["failure"]["type"] for row in rows if row["failure"]} == {"server_error"}
