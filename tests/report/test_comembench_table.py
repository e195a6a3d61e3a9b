"""CoMemBench's part of a scorecard, drawn from plays of the tests' families."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import toy_workflows as toy
from made_outcomes import made
from rich.console import Console
from systems import system_called

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.engine.workflows import WorkflowRun, WorkflowSuite
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.llm.door import Door
from pytest_comem.metrics.comembench import BLANK
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.metrics.workflow_plays import WorkflowSheet
from pytest_comem.report.comembench_table import workflow_parts
from pytest_comem.report.scorecard import render


def outcomes_of(folder: Path, name: str, handoff: Any = "declared") -> list[Outcome]:
    """Play every instance on a memory system."""
    system = system_called(name)
    run = WorkflowRun(folder, handoff=handoff)
    suite = WorkflowSuite(toy.data(), toy.toy_kits(), TopologyExecutor(), run, Door())
    steps = suite.steps(system)
    return [
        outcome
        for episode in dict.fromkeys(step.episode for step in steps)
        for outcome in suite.play([step for step in steps if step.episode == episode], system)
    ]


def text_of(sheet: WorkflowSheet, *, strata: bool = False, width: int = 100) -> str:
    """Return the parts as a terminal of *width* columns shows them."""
    out = io.StringIO()
    console = Console(file=out, width=width, color_system=None)
    for part in workflow_parts(sheet, strata=strata):
        console.print(part)
    return out.getvalue()


def cells(text: str, name: str) -> list[str]:
    """Return what stands beside a name, in the first row that has it."""
    return next(line for line in text.splitlines() if line.split()[:1] == [name]).split()[1:]


def test_a_row_has_every_metric_with_its_denominator(tmp_path: Path) -> None:
    """Without a memory all succeeds: 3 controls, 12 instances, 9 pairs, which are too few."""
    text = text_of(WorkflowSheet(outcomes_of(tmp_path, "none")), width=80)
    # Consumers: 5 in three instances of two families each, and 8 in six of the third.
    assert cells(text, "none") == ["100.0", "3", "100.0", "12", "100.0", "78", BLANK, "9"]
    assert cells(text, "repository_code")[:2] == ["100.0", "1"]
    assert "sibling_crosswire" not in text
    assert (
        max(map(len, text_of(WorkflowSheet(outcomes_of(tmp_path, "none")), width=80).splitlines()))
        <= 80
    )


def test_strata_are_shown_where_they_are_asked_for(tmp_path: Path) -> None:
    """An operator's row has no clean instance, so that SR is blank."""
    text = text_of(WorkflowSheet(outcomes_of(tmp_path, "full-context")), strata=True)
    assert cells(text, "stale_version")[:2] == [BLANK, "0"]
    assert cells(text, "bounded_revision_loop")[:2] == ["100.0", "1"]


def test_a_memory_alone_shares_or_does_not(tmp_path: Path) -> None:
    """Nothing arrives without a memory; what exposes everything brings it all to controls."""
    nothing = text_of(WorkflowSheet(outcomes_of(tmp_path, "none", "memory")))
    assert cells(nothing, "none")[4] == "0.0"
    everything = text_of(WorkflowSheet(outcomes_of(tmp_path, "full-context", "memory")))
    assert cells(everything, "full-context")[0] == "100.0"


@pytest.mark.parametrize("attribution", [Attribution.INFRASTRUCTURE, Attribution.BENCHMARK])
def test_what_counts_nowhere_is_said(attribution: Attribution, tmp_path: Path) -> None:
    """Broken instances and defective families."""
    outcomes = outcomes_of(tmp_path, "none")
    end = next(each for each in outcomes if each.labels["terminal"])
    failure = Failure(attribution, "x", "gone")
    broken = replace(end, verdict=None, failure=failure)
    text = text_of(WorkflowSheet([broken if each is end else each for each in outcomes]))
    told = {
        Attribution.INFRASTRUCTURE: "1 instances broke off",
        Attribution.BENCHMARK: "bridge-search has a defect of its own",
    }
    assert told[attribution] in text
    assert cells(text, "none")[1] == "2"


def test_names_from_data_command_no_terminal(tmp_path: Path) -> None:
    """Whatever a corpus calls its strata."""
    outcomes = [
        replace(each, labels={**each.labels, "domain": "x\x1b[31my"})
        for each in outcomes_of(tmp_path, "none")
    ]
    assert "\x1b" not in text_of(WorkflowSheet(outcomes))


def test_a_scorecard_has_a_table_for_each_benchmark(tmp_path: Path) -> None:
    """Nodes are not counted among GateMem's checkpoints, nor the other way round."""
    sheet = Sheet()
    for outcome in [*outcomes_of(tmp_path, "bm25"), *outcomes_of(tmp_path / "local", "none")]:
        assert sheet.add(outcome, outcome.step.label)
    sheet.arrange(["none", "bm25"], [])
    text = card(sheet)
    assert "SR" in text
    assert "MGS" not in text
    assert text.index("none") < text.index("bm25")
    sheet.add(made(1, True), "checkpoint")
    both = card(sheet)
    assert "MGS" in both
    assert cells(both, "none") == cells(text, "none")


def card(sheet: Sheet) -> str:
    """Return a sheet's scorecard."""
    return render(sheet, unscored={}, scoring="paper", width=100, color=False, attacks=False)
