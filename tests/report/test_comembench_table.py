"""CoMemBench's part of a scorecard, drawn from plays of the tests' families."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import toy_workflows as toy
from made_outcomes import made
from made_workflows import pairs, play
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
    for part in workflow_parts(sheet, console, strata=strata):
        console.print(part)
    return out.getvalue()


def cells(text: str, name: str) -> list[str]:
    """Return what stands beside a name, in the first row that has it."""
    return next(line for line in text.splitlines() if line.split()[:1] == [name]).split()[1:]


def test_a_row_has_every_metric_with_its_denominator(tmp_path: Path) -> None:
    """Without a memory all succeeds: 3 controls, 12 instances, 9 pairs, which are too few."""
    text = text_of(WorkflowSheet(outcomes_of(tmp_path, "none")), width=80)
    # Consumers: 5 in three instances of two families each, and 8 in six of the third.
    expected = ["100.0", "3/3", "100.0", "12", "100.0", "78/78", BLANK, "9/9"]
    assert cells(text, "none") == expected
    assert cells(text, "repository_code")[:2] == ["100.0", "1/1"]
    assert "sibling_crosswire" not in text
    assert (
        max(map(len, text_of(WorkflowSheet(outcomes_of(tmp_path, "none")), width=80).splitlines()))
        <= 80
    )


def test_strata_are_shown_where_they_are_asked_for(tmp_path: Path) -> None:
    """An operator's row has no clean instance, so that SR is blank."""
    text = text_of(WorkflowSheet(outcomes_of(tmp_path, "full-context")), strata=True)
    assert cells(text, "stale_version")[:2] == [BLANK, "0/0"]
    assert cells(text, "bounded_revision_loop")[:2] == ["100.0", "1/1"]


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
        Attribution.INFRASTRUCTURE: "none: 1 instance broke off through no fault of the memory",
        Attribution.BENCHMARK: "in quarantine, for a defect of their own",
    }
    named = {
        Attribution.INFRASTRUCTURE: "  bridge-search.clean: gone",
        Attribution.BENCHMARK: "  bridge-search: gone",
    }
    assert told[attribution] in text
    assert named[attribution] in text.splitlines()
    assert cells(text, "none")[1] == "2/2"


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


def table(outcomes: list[Outcome], width: int, *, strata: bool = False) -> str:
    """Return the parts of outcomes made by hand."""
    return text_of(WorkflowSheet(outcomes), width=width, strata=strata)


def test_an_interval_stands_below_a_row() -> None:
    """In two lines where it is narrow, in one where there is room; with strata below each row."""
    outcomes = pairs(12, 12)
    narrow, wide = table(outcomes, 80), table(outcomes, 120)
    # Twelve of twelve: Wilson's interval begins at 75.8 (n / (n + z^2)).
    assert cells(narrow, "95")[:3] == ["%", "from", "75.8"]
    assert "75.8-100.0" in wide
    assert narrow.count("95 % from") == 1
    assert table(outcomes, 80, strata=True).count("95 % from") == 5


def test_systems_are_seen_between_sharing_and_isolation() -> None:
    """SR stands for sharing where the harness delivers, VHS where the memory alone does."""
    outcomes = [*pairs(12, 12, system="none"), *pairs(12, 3), *play("x", True, False)]
    text = table(outcomes, 100)
    assert " ".join(cells(text, "sharing")) == "and isolation SR 95 % ICS 95 % ahead"
    rows = [line.split() for line in text[text.index("sharing and") :].splitlines()]
    assert [row[-1] for row in rows if row[:1] in (["none"], ["bm25"])][:2] == ["yes", "no"]
    alone = [replace(each, scoring="memory") for each in outcomes]
    assert cells(table(alone, 100), "sharing")[2] == "VHS"
    assert "the memory alone" in table(alone, 100)
    assert "sharing and isolation" not in table(pairs(12, 12), 100)


@pytest.mark.parametrize("width", [80, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    """With thousands of consumers, too."""
    outcomes = [
        each for number in range(3) for each in pairs(12, 12, system=f"s{number}", tokens=123_456)
    ]
    assert max(map(len, table(outcomes, width, strata=True).splitlines())) <= width


def test_repeats_are_said_to_be_means() -> None:
    """24 plays of 12 pairs: the denominators are sums, and the legend says so."""
    twice = [each for repeat in range(2) for each in pairs(12, 6 + repeat, repeat=repeat)]
    text = table(twice, 120)
    assert cells(text, "bm25")[6:] == ["54.2", "13/24"]
    assert "Of 2 repeats" in " ".join(text.split())
    assert "repeats" not in table(pairs(12, 6), 120)
