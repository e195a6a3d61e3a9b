"""ContextWeave as its users run it: streams of office tasks in a project's pytest."""

from __future__ import annotations

import importlib.util
import json
import os
import warnings
from pathlib import Path
from typing import Any

import pytest
from made_streams import make_stream
from tiny_project import records

from pytest_comem.core.tokens import count_tokens
from pytest_comem.errors import SettingsError
from pytest_comem.sandbox.plain import NoIsolationWarning
from pytest_comem.sandbox.registry import KINDS, choose

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
SYSTEMS = "--memory-system=none,bm25,full-context"


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", "--tb=short", *arguments)


@pytest.fixture
def streams(project: pytest.Pytester) -> Path:
    """Two made streams, of five and three tasks."""
    folder = project.path / "streams"
    make_stream(folder, "ada", 5)
    make_stream(folder, "ben", 3, seed=1)
    return folder


def play(project: pytest.Pytester, name: str, *arguments: str) -> list[dict[str, Any]]:
    """Return the outcomes of a run over the made streams, without times."""
    place = f"--comem-run-dir={name}"
    run(project, SYSTEMS, "--comem-streams=streams", place, "contextweave", *arguments)
    return records(project.path / name)


def test_every_target_is_an_item_and_the_papers_figures_are_below(
    project: pytest.Pytester, streams: Path
) -> None:
    """One command does the tasks, with recall and without, and prints what they come to."""
    result = run(
        project, "--memory-system=full-context", "--comem-streams=streams", "contextweave", "-v"
    )
    assert result.parseoutcomes() == {"passed": 8}
    result.stdout.fnmatch_lines(
        [
            "comem: contextweave data *, 2 participants, 8 targets, top-k 5, sandbox *",
            "contextweave/test_office.py::test_task?full-context-office-ada-t0001*PASSED*",
            "*ContextWeave scorecard*",
            "*Workspace*Preference*Win*",
            "no recall*60.0*50.0*",
            "full-context*",
        ]
    )


def test_a_task_fails_below_the_score_that_is_asked_for(
    project: pytest.Pytester, streams: Path
) -> None:
    """The option says what passes, and a failure says what was not met."""
    result = run(
        project,
        "--memory-system=none",
        "--comem-streams=streams",
        "--comem-pass-score=80",
        "contextweave",
    )
    assert result.parseoutcomes() == {"failed": 8}
    result.stdout.fnmatch_lines(["*Workspace 60 (to pass: 80; without recall 60)*"])


@needs_xdist
def test_outcomes_are_the_same_however_a_run_is_cut_up(
    project: pytest.Pytester, streams: Path
) -> None:
    """Serial, abreast, and on two workers, which share the runs without recall."""
    serial = play(project, "serial", "--comem-concurrency=1")
    assert len(serial) == 24
    assert {row["failure"] for row in serial} == {None}
    assert play(project, "abreast", "--comem-concurrency=8") == serial
    assert play(project, "workers", "-n", "2") == serial
    for name in ("serial", "abreast", "workers"):
        kept = list((project.path / name / "no-recall").iterdir())
        assert len([path for path in kept if path.suffix == ".json"]) == 8


def test_docker_bubblewrap_and_none_give_the_same_scores(
    project: pytest.Pytester, streams: Path
) -> None:
    """Bubblewrap, and Docker where there is an engine and the image."""
    found = {}
    for kind in KINDS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NoIsolationWarning)
                choose(kind)
        except SettingsError:
            # Where an engine is given, it has to do.
            if kind == "docker" and os.environ.get("DOCKER_HOST"):
                raise
            continue
        found[kind] = play(project, kind, f"--comem-sandbox={kind}")
    assert len(found) >= 1
    scores = [
        [(row["step"], row["system"]["name"], row["verdict"]["measures"]) for row in rows]
        for rows in found.values()
    ]
    assert all(one == scores[0] for one in scores)


def test_a_broken_off_run_is_gone_on_with(project: pytest.Pytester, streams: Path) -> None:
    """Tasks that were through are not done anew, and the rest comes out as in one go."""
    whole = play(project, "whole")
    outcomes = project.path / "whole" / "outcomes.jsonl"
    kept = outcomes.read_text("utf-8").splitlines(keepends=True)[:10]
    outcomes.write_text("".join(kept), encoding="utf-8")
    result = run(
        project, SYSTEMS, "--comem-streams=streams", "--comem-resume=whole", "contextweave"
    )
    result.stdout.fnmatch_lines(["resumed: 10 of 24*"])
    assert records(project.path / "whole") == whole


def test_a_budget_cuts_every_recall_and_is_swept(project: pytest.Pytester, streams: Path) -> None:
    """A row a budget, in each of which nothing is longer than it, in this suite and another."""
    rows = play(project, "swept", "--comem-recall-budget=10,60")
    names = {row["system"]["name"] for row in rows}
    assert names == {f"{name}-b{n}" for name in ("none", "bm25", "full-context") for n in (10, 60)}
    for row in rows:
        budget = row["system"]["budget"]
        recalled = sum(count_tokens(item["text"]) for item in row["recall"]["items"])
        assert recalled <= budget
        assert row["verdict"]["measures"]["recalled_tokens"] == recalled
    full = [row for row in rows if row["system"]["name"] == "full-context-b60"]
    assert max(row["verdict"]["measures"]["recalled_tokens"] for row in full) == 60
    run(project, "--memory-system=bm25", "--comem-recall-budget=30", "--comem-limit=1", "gatemem")
    manifest = json.loads(
        (project.path / ".comem/runs/latest/manifest.json").read_text(encoding="utf-8")
    )
    assert manifest["settings"]["recall_budgets"] == [30]
    others = records(project.path / ".comem/runs/latest")
    assert others
    for row in others:
        assert sum(count_tokens(item["text"]) for item in row["recall"]["items"]) <= 30


def test_a_stream_that_is_wrong_is_refused_before_anything_is_done(
    project: pytest.Pytester, streams: Path
) -> None:
    """The message names file, participant, task and field."""
    file = streams / "ada/tasks/t0002/task.json"
    document = json.loads(file.read_text("utf-8"))
    document["activities"] = ["sleeping"]
    file.write_text(json.dumps(document), encoding="utf-8")
    result = run(project, "--memory-system=none", "--comem-streams=streams", "contextweave")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*ada*t0002*task.json*activities*"])
    assert not (project.path / ".comem").exists()
