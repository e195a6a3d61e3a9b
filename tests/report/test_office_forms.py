"""A run of office tasks in every form of ``comem report``, and what JUnit XML says of it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from html_pages import chunks, write_run
from made_tasks import BROKEN, DEFECT, run_of_four, task, tasks

from pytest_comem.engine.runs import read_run
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.report import properties
from pytest_comem.report.comparison import compare_runs
from pytest_comem.report.comparison_forms import FORMATS as COMPARISONS
from pytest_comem.report.comparison_forms import comparison_in
from pytest_comem.report.github import annotations_of, summary_of
from pytest_comem.report.html.page import page
from pytest_comem.report.run_forms import FORMATS, run_in
from pytest_comem.report.scorecard import print_run

#: What bm25 gains on average: see :func:`made_tasks.run_of_four`.
GAIN = sum((7 * place) % 23 + 2 for place in range(30)) / 30


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recorded run of four systems, a broken task and one with a defect."""
    outcomes = [
        *run_of_four(),
        task("broken", system="bm25", failure=BROKEN),
        task("wrong", system="none"),
        task("wrong", system="bm25", failure=DEFECT),
    ]
    return write_run(tmp_path / "run", outcomes)


def suite(run: Path) -> dict[str, Any]:
    """Return the suite of a run's JSON."""
    (found,) = json.loads(run_in("json", run))["suites"]
    assert isinstance(found, dict)
    return found


def test_json_has_every_row_and_its_strata(run: Path) -> None:
    """Also without recall; the defective task counts for nobody."""
    found = suite(run)
    rows = {row["system"]: row for row in found["rows"]}
    assert rows["bm25"]["metrics"]["dWorkspace"]["value"] == pytest.approx(GAIN)
    assert rows["bm25"]["metrics"]["PSR"]["count"] == 60
    assert rows["bm25"]["metrics"]["PSR"]["of"] == 120
    assert rows["bm25"]["scored"] == rows["none"]["scored"] == 30
    (alone,) = found["no_recall"]
    assert alone["metrics"]["Workspace"]["value"] == pytest.approx(50)
    assert (alone["model"], alone["scored"]) == ("offline", 30)
    assert rows["oracle"]["ahead"] == ["Workspace", "Preference"]
    assert rows["bm25"]["ahead"] == []
    distances = rows["bm25"]["strata"]["distance"]
    assert list(distances) == ["none", "1", "2-3", "4-10", "more than 10"]
    assert list(rows["bm25"]["domains"]) == ["office"]
    assert rows["bm25"]["domains"]["office"]["Workspace"]["count"] == pytest.approx(
        0.3 * (50 + GAIN)
    )
    assert {one["class"] for one in rows["stale"]["failures"]} == {"misled"}
    assert found["cluster"] == "task"
    assert found["uneven"] == []


def test_csv_has_a_line_a_fact(run: Path) -> None:
    """The same figures as JSON."""
    lines = list(csv.DictReader(io.StringIO(run_in("csv", run))))
    (one,) = (
        line
        for line in lines
        if (line["system"], line["kind"], line["name"]) == ("bm25", "overall", "dWorkspace")
    )
    assert float(one["value"]) == pytest.approx(GAIN)
    (alone,) = (
        line
        for line in lines
        if (line["system"], line["kind"], line["name"]) == ("no recall", "overall", "Preference")
    )
    assert float(alone["value"]) == pytest.approx(40)
    assert {line["stratum"] for line in lines if line["kind"] == "project"} == {
        *("Harbour", "Orchard")
    }


@pytest.mark.parametrize("form", [form for form in FORMATS if form not in ("table", "csv")])
def test_every_form_has_the_gain_and_the_paper(form: str, run: Path) -> None:
    """Where the paper is asked for."""
    text = run_in(form, run, reference=True)
    assert f"{GAIN:.1f}" in text or str(round(GAIN, 6)) in text
    assert "78.20" in text or "78.2" in text
    assert "568" in text
    assert "568" not in run_in(form, run)


def test_the_table_is_printed_again_with_strata(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``comem report`` says what the run's own scorecard said, and more."""
    print_run(run, reference=True)
    text = capsys.readouterr().out
    assert f"+{GAIN:.1f}" in text
    assert "by distance" in text
    assert "a-mem (paper; a-mem" in " ".join(text.split())


def test_github_sees_scores_and_defects(run: Path) -> None:
    """In the summary as markdown, and as an annotation that calls the task a task."""
    text = summary_of(read_run(run))
    assert f"+{GAIN:.1f}" in text
    assert "| by distance |" in text
    told = [str(each) for each in annotations_of(read_run(run))]
    assert any("the task ana/wrong is in quarantine and scored for nobody" in one for one in told)


def test_the_page_holds_every_row_without_recall_and_the_planes(run: Path) -> None:
    """What the browser draws."""
    index = chunks("".join(page([read_run(run)])))["index"]
    (about,) = index["suites"]
    assert [(plane["x"], plane["y"]) for plane in about["planes"]] == [
        ("RecallTokens", "Workspace"),
        ("RecallTokens", "Preference"),
    ]
    card = next(card for card in index["cards"] if card["row"] == 2)
    scopes = {scope["name"]: scope for scope in card["scopes"]}
    assert scopes["all steps"]["metrics"]["dWorkspace"][0] == pytest.approx(GAIN)
    assert scopes["no recall"]["metrics"]["Workspace"][0] == pytest.approx(50)
    assert scopes["distance: 2-3"]["scored"] == 6
    labels = [each["label"] for each in index["breakdowns"]]
    assert labels == ["participant", "activities", "distance", "project"]


def test_junit_has_the_scores_of_every_row() -> None:
    """Under the suite's name, with those without recall."""
    sheet = Sheet()
    for outcome in [*tasks([10, 20]), task("x", participant="p", failure=DEFECT)]:
        sheet.add(outcome, outcome.step.label)
    found = dict(properties.of_sheet(sheet))
    name = "comem.contextweave.bm25.offline"
    assert (found[f"{name}.dWorkspace"], found[f"{name}.scored"]) == ("15.0000", "2")
    assert found["comem.contextweave.no recall.offline.Workspace"] == "50.0000"
    assert found["comem.contextweave.quarantined"] == "p/x"
    assert f"{name}.RelevanceRating" not in found
    own = dict(properties.of(task(win=None)))
    assert own["comem.workspace"] == 80.0
    assert own["comem.participant"] == "ana"
    assert "comem.win" not in own


def test_systems_are_compared_task_by_task(tmp_path: Path) -> None:
    """With decimals where they matter, the kinds of tasks that flipped, and no better tokens."""
    run = read_run(write_run(tmp_path / "run", run_of_four()))
    comparison = compare_runs([run], ["stale", "oracle"])
    (row,) = comparison.rows
    assert row.clusters == 30
    assert row.verdict("Workspace") == "better"
    assert row.verdict("MITR") == "better"
    assert row.verdict("RecallTokens") == ""
    for form in COMPARISONS:
        text = comparison_in(form, comparison, 120)
        assert "dWorkspace" in text
    text = comparison_in("table", comparison, 120)
    assert "flips by distance" in text
    assert "+40.0" in text
