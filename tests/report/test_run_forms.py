"""A run with workflows in every form of ``comem report``."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from html_pages import chunks, write_run
from made_outcomes import made
from made_workflows import BROKEN, DEFECT, node, pairs, play

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import read_run
from pytest_comem.errors import SettingsError
from pytest_comem.report.github import annotations_of, summary_of
from pytest_comem.report.html.page import page
from pytest_comem.report.run_forms import FORMATS, form_in, run_in
from pytest_comem.report.scorecard import print_run


def outcomes() -> list[Outcome]:
    """Return 12 pairs of two systems, one of which keeps 6; a broken and a defective family."""
    return [
        *pairs(12, 12, system="none"),
        *pairs(12, 6, system="bm25"),
        *play("broken", True, True, system="none")[:2],
        node("broken", "end", False, system="none", failure=BROKEN),
        *play("wrong", False, False, system="none"),
        *play("wrong", True, True, system="bm25")[:2],
        node("wrong", "end", False, system="bm25", failure=DEFECT),
    ]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recorded run."""
    manifest = {"data": {"comembench": {"excluded": {"far": "PostgreSQL is not installed"}}}}
    return write_run(tmp_path / "run", outcomes(), manifest)


def facts(run: Path) -> dict[str, Any]:
    """Return a run's JSON."""
    found: dict[str, Any] = json.loads(run_in("json", run))
    return found


def test_json_has_every_figure_with_what_it_is_of(run: Path) -> None:
    """The defective family counts for nobody, the broken one as far as it has verdicts."""
    (suite,) = facts(run)["suites"]
    rows = {row["system"]: row for row in suite["rows"]}
    none, bm25 = rows["none"]["metrics"], rows["bm25"]["metrics"]
    assert (none["SR"]["count"], none["SR"]["of"]) == (12, 12)
    assert (bm25["ICS"]["value"], bm25["ICS"]["count"], bm25["ICS"]["of"]) == (50.0, 6, 12)
    assert bm25["ICS"]["low"] < 50 < bm25["ICS"]["high"]
    assert rows["none"]["broken"] == {"broken.clean": "gone"}
    assert rows["bm25"]["strata"]["operator"]["wrong_entity"]["ICS"]["of"] == 12
    assert rows["bm25"]["strata"]["operator"]["wrong_entity"]["SR"]["value"] is None
    assert rows["none"]["trade_off"]["ahead"] is True
    assert rows["bm25"]["tokens"]["instances"] == 24
    assert {one["class"] for one in rows["bm25"]["failures"]} == {"misled"}
    assert suite["cluster"] == "family"


def test_json_names_what_counts_nowhere(run: Path) -> None:
    """Quarantine, families left out, and steps without a verdict."""
    found = facts(run)
    assert found["quarantined"] == {"wrong": "no such theorem"}
    assert found["excluded"] == {"far": "PostgreSQL is not installed"}
    assert sorted(found["unscored"].values()) == ["gone", "no such theorem"]


def test_csv_has_a_line_a_fact(run: Path) -> None:
    """The same figures as JSON."""
    lines = list(csv.DictReader(io.StringIO(run_in("csv", run))))
    (ics,) = (
        line
        for line in lines
        if (line["system"], line["kind"], line["name"]) == ("bm25", "overall", "ICS")
    )
    assert (ics["fact"], ics["value"], ics["count"], ics["of"]) == ("metric", "50", "6", "12")
    kinds = {line["fact"] for line in lines}
    assert kinds == {
        *("metric", "tokens", "failed", "broken"),
        *("unscored", "quarantined", "excluded"),
    }


@pytest.mark.parametrize("form", ["markdown", "latex"])
def test_texts_say_the_same(form: str, run: Path) -> None:
    """Values, what they are of, quarantine with its reason, and what was left out."""
    text = run_in(form, run).replace("{", "").replace("}", "").replace("\\", "")
    for said in ("50.0 (", "[6/12]", "no such theorem", "PostgreSQL is not installed", "misled"):
        assert said in text, said


def test_a_github_summary_is_the_markdown(run: Path) -> None:
    """And an annotation's budget holds with many families."""
    assert summary_of(read_run(run)) == run_in("markdown", run)
    assert len(summary_of(read_run(run), limit=2_000).encode()) <= 2_000


def test_a_mixed_run_has_a_part_for_each_benchmark(tmp_path: Path) -> None:
    """GateMem's figures are those of a run without workflows."""
    steps = [made(number, number > 2) for number in range(6)]
    alone = facts(write_run(tmp_path / "alone", steps))
    both = facts(write_run(tmp_path / "both", [*steps, *outcomes()]))
    assert [suite["name"] for suite in both["suites"]] == ["gatemem", "comembench"]
    assert both["suites"][0] == alone["suites"][0]


@pytest.mark.parametrize("form", FORMATS[1:])
def test_a_gatemem_run_has_every_form(form: str, tmp_path: Path) -> None:
    """With its metrics, each with its value."""
    run = write_run(tmp_path / "run", [made(number, number > 2) for number in range(6)])
    text = run_in(form, run, reference=True)
    assert "OR" in text
    assert "50" in text


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *(("x.md", "markdown"), ("x.json", "json"), ("x.CSV", "csv"), ("x.tex", "latex")),
        *(("x.html", "html"), ("x", "html")),
    ],
)
def test_the_end_of_a_name_says_the_form(name: str, form: str) -> None:
    """Another one beside it is refused; without a file the form is as named."""
    assert form_in(Path(name), "table") == form
    other = "csv" if form != "csv" else "json"
    with pytest.raises(SettingsError, match="leave out --format"):
        form_in(Path(name), other)
    assert form_in(None, other) == other


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    """A family whose name is a formula, a tag and a control sequence."""
    name = "=cmd|'<b>\x1b[31m"
    run = write_run(tmp_path / "run", [*pairs(12, 6), *play(name, True, False)[:2],
                                       node(name, "end", False, failure=DEFECT)])  # fmt: skip
    cells = [cell for line in csv.reader(io.StringIO(run_in("csv", run))) for cell in line]
    assert not any(cell.startswith("=") for cell in cells)
    for form in FORMATS[1:]:
        assert "\x1b" not in run_in(form, run)
    assert "<b>" not in run_in("markdown", run).replace("`=cmd|'<b>", "")


def test_the_terminal_names_what_was_left_out(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Families whose needs were not there, those in quarantine, and instances that broke off."""
    print_run(run)
    shown = capsys.readouterr().out
    assert "far was left out: PostgreSQL is not installed" in shown
    assert "  wrong: no such theorem" in shown
    assert "  broken.clean: gone" in shown


def test_a_defect_is_an_annotation_and_a_note(run: Path) -> None:
    """On GitHub and above the page: a maintainer of the families has to see it."""
    told = "the family wrong is in quarantine and scored for nobody: no such theorem"
    found = [each for each in annotations_of(read_run(run)) if each.title == "benchmark defect"]
    assert [(each.level, each.message) for each in found] == [("warning", told)]
    index = chunks("".join(page([read_run(run)])))["index"]
    assert index["notes"] == [f"T{told[1:]}"]
    rows = {card["row"]: card for card in index["cards"]}
    assert [card["unscored"] for card in rows.values()] == [
        [["benchmark/quarantine", 3], ["infrastructure/sandbox", 1]],
        [["benchmark/quarantine", 2], ["benchmark/workflow", 1]],
    ]
