"""A comparison in each of its formats: the same flips everywhere, harmless in each."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_outcomes import made

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Usage
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.report.comparison import Comparison, compare_runs
from pytest_comem.report.comparison_forms import FORMATS, comparison_in, parse_format
from pytest_comem.report.paper import Conditions, paper_rows

REASON = "=HYPERLINK(1) | `x` <b>\nnext"


def outcomes(*, turned: bool) -> list[Outcome]:
    """Return steps of two systems, of which some differ where *turned*."""
    usage = {"answer": Usage(1.0, 100 if turned else 200, 0.02, 1)}
    broken = Failure(Attribution.INFRASTRUCTURE, "adapter", REASON)
    found = []
    for system in ("bm25", "module:Class"):
        for number in range(60):
            passed = number % 4 > 0 if turned else number % 5 > 0
            privacy = number % 2 > 0
            step = made(
                number,
                passed,
                system=system,
                category="privacy" if privacy else "utility",
                attack="role_play" if privacy else "",
                domain=("medical", "office")[number // 30],
                usage=usage,
            )
            found.append(replace(step, step=replace(step.step, episode=f"e{number // 6}")))
        found.append(made(60, None, system=system, failure=broken))
    return found


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """Two runs of two systems."""
    runs = [
        RecordedRun(Path(path), {"finished": {"planned": 1}}, tuple(outcomes(turned=turned)))
        for path, turned in (("before", False), ("-after", True))
    ]
    return compare_runs(runs)


def flips(comparison: Comparison) -> list[str]:
    """Return the labels of all flips."""
    return [flip.label for row in comparison.rows for flip in row.flips]


@pytest.mark.parametrize("form", FORMATS)
def test_every_flip_is_in_every_format(form: str, comparison: Comparison) -> None:
    """Each step's label stands there, whatever the format."""
    shown = comparison_in(form, comparison, 200)
    labels = flips(comparison)
    assert len(labels) > 20
    if form == "latex":
        labels = [label.replace("_", r"\_").replace("-", "{-}") for label in labels]
    assert all(label in shown for label in labels)


@pytest.mark.parametrize("width", [80, 200])
def test_the_table_keeps_to_the_width(width: int, comparison: Comparison) -> None:
    """No number is cut, and the letters name each row once."""
    shown = comparison_in("table", comparison, width)
    lines = [line for line in shown.splitlines() if not line.startswith("  ")]
    assert max(map(len, lines)) <= width
    assert "…" not in shown
    assert "gatemem: A against B" in shown
    assert "gatemem: C against D" in shown
    assert "60 steps of 10 episodes scored in both; unscored: A 1, B 1" in shown.replace("\n", " ")
    assert "\x1b" not in shown


def test_a_significant_difference_has_its_mark() -> None:
    """A star at the corrected p and a word, without colour; elsewhere neither."""
    steps = [made(number, True) for number in range(40)]
    before = [replace(each, step=replace(each.step, episode=each.step.id)) for each in steps]
    after = [
        replace(each, verdict=each.verdict and replace(each.verdict, passed=False))
        for each in before
    ]
    runs = [
        RecordedRun(Path(name), {}, tuple(rows)) for name, rows in (("a", before), ("b", after))
    ]
    lines = comparison_in("table", compare_runs(runs), 80).splitlines()
    (utility,) = (line for line in lines if line.startswith("U "))
    assert "-100.0" in utility
    assert utility.split()[-3:-1] == ["<0.001*", "worse"]
    assert max(map(len, lines)) <= 80
    assert not any("…" in line for line in lines)
    (refusal,) = (line for line in lines if line.startswith("OR "))
    assert "*" not in refusal
    assert "worse" not in refusal


def test_json_holds_what_a_program_needs(comparison: Comparison) -> None:
    """Sides, metrics with intervals and p, flips with groups, cost; NaN nowhere."""
    found = json.loads(comparison_in("json", comparison, 80))
    first = found["comparisons"][0]
    assert first["before"]["run"] == "before"
    assert first["before"]["unscored"] == {"bm25-medical-medical-e-s60": REASON}
    utility = first["metrics"]["U"]
    assert utility["low"] <= utility["difference"] <= utility["high"]
    assert {"before", "after", "p", "p_holm", "detectable", "verdict"} <= utility.keys()
    assert [flip["step"] for row in found["comparisons"] for flip in row["flips"]] == flips(
        comparison
    )
    lost = sum(flip["after"] == "failed" for flip in first["flips"])
    assert sum(each["lost"] for each in first["flips_by"]["domain"].values()) == lost
    (tokens,) = (
        each for each in first["spent"] if (each["measure"], each["phase"]) == ("tokens", "total")
    )
    assert (tokens["before"], tokens["after"], tokens["change"]) == (12000, 6000, -6000)


def test_csv_is_no_formula_to_a_spreadsheet(comparison: Comparison) -> None:
    """Text that begins like a formula is quoted; negative numbers stay numbers."""
    rows = list(csv.DictReader(io.StringIO(comparison_in("csv", comparison, 80))))
    assert {row["run_after"] for row in rows} == {"'-after"}
    reasons = {row["before"] for row in rows if row["fact"] == "unscored_before"}
    assert reasons == {"'=HYPERLINK(1) | `x` <b>\\nnext"}
    (tokens,) = (
        row
        for row in rows
        if (row["fact"], row["name"], row["system_before"]) == ("tokens", "total", "bm25")
    )
    assert float(tokens["difference"]) == -6000
    for row in rows:
        for name, cell in row.items():
            if cell[:1] in ("=", "+", "-", "@"):
                assert name in ("difference", "low", "high")
                float(cell)


def test_the_papers_rows_can_stand_below(comparison: Comparison) -> None:
    """They are marked as a paper's, with what keeps them from being comparable."""
    paper = paper_rows(Conditions.of(outcomes(turned=False)))
    for form in ("table", "markdown", "latex"):
        shown = comparison_in(form, comparison, 80, paper=paper)
        assert "Mem0 with GPT" in shown
        assert "not comparable with the paper" in shown
    found = json.loads(comparison_in("json", comparison, 80, paper=paper))
    assert found["paper"]["rows"][0]["method"] == "Long-Context"


def test_an_unknown_format_is_answered_with_the_nearest() -> None:
    """The option is named."""
    with pytest.raises(
        SettingsError, match=r"--format: 'markdwn' is unknown; did you mean markdown"
    ):
        parse_format("markdwn")
