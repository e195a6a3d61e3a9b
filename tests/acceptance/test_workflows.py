"""CoMemBench as its users run it: workflows of the shipped corpus in a project's pytest."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_project import records

needs_xdist = pytest.mark.skipif(
    importlib.util.find_spec("xdist") is None, reason="pytest-xdist is not installed"
)
#: Two families of a domain that needs nothing but the package.
SOME = ("--comem-domains=offline_retrieval", "--comem-limit=2", "comembench")
SYSTEMS = "--memory-system=none,full-context,bm25"


def run(project: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    """Run pytest in a process of its own."""
    return project.runpytest_subprocess("-p", "no:cacheprovider", "--tb=short", *arguments)


def play(project: pytest.Pytester, name: str, *arguments: str) -> list[dict[str, Any]]:
    """Return the outcomes of a run of two families, without times."""
    run(project, SYSTEMS, *SOME, f"--comem-run-dir={name}", *arguments)
    return records(project.path / name)


def comem(project: pytest.Pytester, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the ``comem`` command in the project."""
    command = [sys.executable, "-c", "from pytest_comem.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=project.path)


def share(rows: list[dict[str, Any]], system: str, measure: str) -> float:
    """Return how many of a system's outcomes in which a measure applies have it."""
    found = [row["verdict"]["measures"][measure] for row in rows if row["system"]["name"] == system]
    applies = [value for value in found if value is not None]
    return float(sum(applies) / len(applies))


def test_every_node_is_an_item_and_the_papers_figures_are_below(project: pytest.Pytester) -> None:
    """One command plays the nodes, clean and polluted, and prints what they come to."""
    result = run(project, "--memory-system=local-only", *SOME, "-v")
    nodes = result.parseoutcomes()
    assert set(nodes) == {"passed"}
    result.stdout.fnmatch_lines(
        [
            "comem: comembench data *, 2 families, * instances, * nodes, handoff declared, top-k 3",
            "comembench/test_workflows.py::test_node?local-only-offline_retrieval-*clean*PASSED*",
            "comembench/test_workflows.py::test_node?local-only-*polluted*PASSED*",
            "*CoMemBench scorecard*",
            "*SR*VNCR*VHS*ICS*",
            "local-only*100.0*",
        ]
    )


@needs_xdist
def test_outcomes_are_the_same_however_a_run_is_cut_up(project: pytest.Pytester) -> None:
    """Serial, abreast, on two workers, and in another process with another hash seed."""
    serial = play(project, "serial", "--comem-concurrency=1")
    assert {row["failure"] and row["failure"]["attribution"] for row in serial} == {None}
    assert {row["verdict"]["passed"] for row in serial} == {True, False}
    assert play(project, "abreast", "--comem-concurrency=8") == serial
    assert play(project, "workers", "-n", "2") == serial


def test_a_broken_off_run_is_gone_on_with(project: pytest.Pytester) -> None:
    """Workflows that were through are not played anew, and the rest comes out as in one go."""
    whole = play(project, "whole")
    lines = (project.path / "whole" / "outcomes.jsonl").read_text().splitlines(keepends=True)
    kept = len(lines) // 2
    played = [f"{row['system']['name']} {row['episode']}" for row in whole]
    broken = sum(one == played[kept] for one in played[:kept])
    assert broken
    (project.path / "whole" / "outcomes.jsonl").write_text("".join(lines[:kept]))
    result = run(project, SYSTEMS, *SOME, "--comem-resume=whole")
    result.stdout.fnmatch_lines(
        [f"resumed: {kept - broken} of * {broken} of workflows that were not through"]
    )
    assert records(project.path / "whole") == whole


def test_the_memory_alone_has_to_deliver(project: pytest.Pytester) -> None:
    """What remembers nothing shares nothing; what shows all shares all; ranking lies between."""
    rows = play(project, "memory", "--comem-handoff=memory", "--comem-top-k=2")
    none, full, bm25 = (
        share(rows, name, "handoff_success") for name in ("none", "full-context", "bm25")
    )
    assert none == 0
    assert none < bm25 < full


def test_every_trace_of_a_run_holds(project: pytest.Pytester) -> None:
    """A trace an instance lies in the run, and a byte changed in one is found."""
    play(project, "run")
    traces = sorted((project.path / "run" / "traces").iterdir())
    assert len(traces) == len({row["episode"] for row in records(project.path / "run")}) * 3
    assert comem(project, "replay", str(traces[0])).returncode == 0
    text = traces[0].read_text()
    traces[0].write_text(text.replace("verified", "verifies", 1))
    assert comem(project, "replay", str(traces[0])).returncode == 1


def test_domains_are_picked_across_benchmarks(project: pytest.Pytester) -> None:
    """A benchmark without a named domain is left out, and a name that none has is refused."""
    both = run(
        project,
        "--memory-system=none",
        "--comem-domains=offline_retrieval,medical",
        *("--comem-limit=1", "gatemem", "comembench", "--collect-only", "-q"),
    )
    assert "test_checkpoint[none-medical-" in both.stdout.str()
    assert "test_node[none-offline_retrieval-" in both.stdout.str()
    one = run(
        project,
        *("--memory-system=none", "--comem-domains=offline_retrieval", "--comem-limit=1"),
        *("gatemem", "comembench", "--collect-only", "-q"),
    )
    assert "test_checkpoint" not in one.stdout.str()
    wrong = run(project, "--memory-system=none", "--comem-domains=medical", "comembench")
    assert wrong.ret == pytest.ExitCode.USAGE_ERROR
    wrong.stderr.fnmatch_lines(["*--comem-domains: CoMemBench has no domain 'medical'*"])


def test_what_cannot_be_played_with_is_said_before_anything_is(project: pytest.Pytester) -> None:
    """Executor, sandbox and directory of families are looked at first."""
    for option, message in {
        "--comem-executor=topolgy": "*executor 'topolgy' is unknown; did you mean topology?*",
        "--comem-sandbox=bublewrap": "*--comem-sandbox*did you mean bubblewrap*",
        "--comem-prover=cok": "*prover 'cok' is unknown; did you mean coq*",
        "--comem-handoff=memry": "*--comem-handoff*memry*",
        "--comem-families=nowhere": "*nowhere*",
    }.items():
        result = run(project, "--memory-system=none", "comembench", option)
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        result.stderr.fnmatch_lines([message])


def test_families_of_ones_own_are_certified_and_played(project: pytest.Pytester) -> None:
    """A directory of families takes the place of the shipped ones."""
    from pytest_comem.locations import fixture_path

    name = "retrieval-keeper-founder"
    source = fixture_path("comembench", "families", name)
    target = project.path / "mine" / name
    for file in ("family.json", "hidden/oracles.json", "hidden/pollution.json"):
        (target / file).parent.mkdir(parents=True, exist_ok=True)
        (target / file).write_bytes((source / file).read_bytes())
    found = comem(project, "certify", "comembench", "mine")
    assert (found.returncode, found.stdout.splitlines()[-1]) == (0, "1 certified, 0 not")
    result = run(project, "--memory-system=none", "--comem-families=mine", "comembench")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["comem: comembench data *, 1 family, *"])
    _break_gold(target / "hidden" / "oracles.json")
    found = comem(project, "certify", "comembench", "mine")
    assert found.returncode == 1
    assert f"{name}: NOT CERTIFIED" in found.stdout
    assert "gold run: FAILED" in found.stdout


def _break_gold(path: Path) -> None:
    oracles = json.loads(path.read_text())
    quoted = next(one["gold"] for one in oracles["oracles"] if one["gold"].get("evidence"))
    quoted["evidence"][0]["start"] += 1
    path.write_text(json.dumps(oracles))
