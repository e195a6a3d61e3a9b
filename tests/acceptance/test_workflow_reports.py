"""A real run of workflows on two memories: every way to read it says the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from html_pages import chunks

#: Two families are twelve pairs and more.
ARGUMENTS = ("--comem-domains=offline_retrieval", "--comem-limit=2", "--comem-top-k=4")
SYSTEMS = "--memory-system=none,full-context"


def play(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Play in a process of its own, into the directory ``run``."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("COMEM_", "PYTEST_", "GITHUB_")) and name != "CI"
    }
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--comem-run-dir=run"]
    return subprocess.run(
        [*command, *ARGUMENTS, *arguments],
        cwd=folder,
        env={**kept, "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def comem(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command."""
    code = "from pytest_comem.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )


def counted(run: Path) -> dict[str, dict[str, tuple[int, int]]]:
    """Return SR, VHS and ICS by system, counted here from the recorded lines."""
    rows = [json.loads(line) for line in (run / "outcomes.jsonl").read_text().splitlines()]
    found: dict[str, dict[str, tuple[int, int]]] = {}
    for system in dict.fromkeys(row["system"]["name"] for row in rows):
        own = [row for row in rows if row["system"]["name"] == system]
        clean = {
            (row["labels"]["pair"], row["step"]): row["verdict"]["measures"]["handoff_success"]
            for row in own
            if row["labels"]["condition"] == "clean"
        }
        ends = [
            row["verdict"]["passed"]
            for row in own
            if row["labels"]["terminal"] and row["labels"]["condition"] == "clean"
        ]
        handoffs = [row["verdict"]["measures"]["handoff_success"] for row in own]
        kept = [
            row["verdict"]["measures"]["handoff_success"] is True
            for row in own
            if row["labels"]["target"] and clean[row["labels"]["pair"], row["step"]]
        ]
        eligible = [each for each in handoffs if each is not None]
        found[system] = {
            "SR": (sum(ends), len(ends)),
            "VHS": (sum(eligible), len(eligible)),
            "ICS": (sum(kept), len(kept)),
        }
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder of a run on GitHub Actions, and its output."""
    folder = tmp_path_factory.mktemp("workflows")
    gate = ("--comem-gate=comembench.ICS >= 50%", "--junitxml=j.xml", "--comem-html=p.html")
    done = play(
        folder,
        *(SYSTEMS, *gate, "comembench"),
        CI="true",
        GITHUB_ACTIONS="true",
        GITHUB_STEP_SUMMARY=str(folder / "summary.md"),
    )
    assert done.returncode in (0, 1, 9), done.stdout + done.stderr
    return folder, done.stdout


def facts(folder: Path) -> Mapping[str, Mapping[str, Any]]:
    """Return the rows of a run's JSON, by system."""
    done = comem(folder, "report", "run", "--format", "json")
    assert done.returncode == 0, done.stderr
    (suite,) = json.loads(done.stdout)["suites"]
    return {row["system"]: row for row in suite["rows"]}


def test_figures_are_those_of_the_recorded_lines(played: tuple[Path, str]) -> None:
    """Counted by hand; what exposes everything leads some targets astray, and nothing none."""
    folder, _ = played
    expected, rows = counted(folder / "run"), facts(folder)
    assert set(rows) == {"none", "full-context"}
    for system, metrics in expected.items():
        for name, (count, of) in metrics.items():
            one = rows[system]["metrics"][name]
            assert (one["count"], one["of"]) == (count, of), (system, name)
            assert one["value"] == pytest.approx(100 * count / of)
            assert one["low"] <= one["value"] <= one["high"]
    assert rows["none"]["metrics"]["ICS"]["value"] == 100.0
    assert rows["full-context"]["metrics"]["ICS"]["value"] < 100.0


def test_every_form_has_the_same_isolation(played: tuple[Path, str]) -> None:
    """Terminal, summary, JUnit, HTML page, and all that ``comem report`` writes."""
    folder, output = played
    count, of = counted(folder / "run")["full-context"]["ICS"]
    value = f"{100 * count / of:.1f}"
    assert re.search(rf"^full-context .* {value} +{count}/{of}$", output, re.MULTILINE)
    summary = (folder / "summary.md").read_text()
    assert rf"\[{count}/{of}\]" in summary
    xml = ET.parse(folder / "j.xml")
    properties = {each.get("name"): each.get("value") for each in xml.iter("property")}
    names = [name for name in properties if str(name).endswith("full-context.offline.ICS")]
    assert [properties[name] for name in names] == [f"{100 * count / of:.4f}"]
    index = chunks((folder / "p.html").read_text())["index"]
    cards = {card["row"]: card["scopes"][0]["metrics"]["ICS"] for card in index["cards"]}
    assert f"{cards[1][0]:.1f}" == value
    for name in ("x.md", "x.tex", "x.csv"):
        assert comem(folder, "report", "run", "-o", name).returncode == 0
    assert (folder / "x.md").read_text() in summary
    assert value in (folder / "x.tex").read_text()
    assert f",ICS,{100 * count / of:.10g}," in (folder / "x.csv").read_text()


def test_a_run_reads_the_same_later(played: tuple[Path, str]) -> None:
    """``comem report`` has the lines of the run's own scorecard, and strata beside them."""
    folder, output = played
    later = comem(folder, "report", "run").stdout
    # Strata have longer names and numbers, so that columns are wider there.
    row = next(line for line in output.splitlines() if line.startswith("full-context"))
    assert row.split() in [line.split() for line in later.splitlines()]
    assert "by operator" in later
    assert "by operator" not in output


def test_systems_of_a_run_are_compared(played: tuple[Path, str]) -> None:
    """By family, with tokens, and the operators that the lost nodes were struck by."""
    folder, _ = played
    text = comem(folder, "compare", "run").stdout
    assert "of 2 families scored in both" in text
    assert "with so few families no p can be below 0.500" in " ".join(text.split())
    for name in ("SR", "VNCR", "VHS", "ICS", "tokens", "flips by pollution operator"):
        assert re.search(rf"^{name}\b", text, re.MULTILINE), name


def test_a_gate_names_the_row_that_fails(played: tuple[Path, str]) -> None:
    """Live, later, and as an annotation where it does not pass."""
    folder, output = played
    rulings = [line for line in output.splitlines() if re.match(r"(PASS|FAIL|INCONCLUSIVE) ", line)]
    assert len(rulings) == 2
    later = comem(folder, "gate", "run", "--rule", "comembench.ICS >= 50%").stdout
    assert [line for line in later.splitlines() if line in rulings] == rulings
    assert output.count("::warning") + output.count("::error") >= 1


def test_a_failing_node_says_why(played: tuple[Path, str]) -> None:
    """Its verdict and what its handoff lacked, in one paragraph without a traceback."""
    _, output = played
    start = output.index("_ test_node[full-context")
    block = output[start : output.index("\n_", start + 1)]
    assert re.search(r"^Rejected: .*\bHandoff: ", block, re.MULTILINE)
    assert "Traceback" not in block


def test_a_run_of_both_benchmarks_has_both_tables(tmp_path: Path) -> None:
    """In one command; each keeps its own rows."""
    done = play(tmp_path, "--memory-system=bm25", "--tb=no", "-q", "comembench", "gatemem",
                "--comem-domains=offline_retrieval,medical", "--comem-limit=1")  # fmt: skip
    assert "GateMem and CoMemBench scorecard" in done.stdout, done.stdout + done.stderr
    text = comem(tmp_path, "report", "run", "--format", "markdown").stdout
    assert text.index("### ") < text.index("MGS")
    assert "native evaluators, inputs delivered by the harness" in text
