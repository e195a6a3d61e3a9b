"""ContextWeave's part of a scorecard, drawn from tasks made by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from made_outcomes import made
from made_tasks import BROKEN, DEFECT, run_of_four, task, tasks
from made_workflows import play

from pytest_comem.core.outcomes import Outcome, Usage
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.report.paper import Conditions, paper_rows
from pytest_comem.report.scorecard import render


def card(
    outcomes: Iterable[Outcome],
    width: int = 100,
    *,
    strata: bool = False,
    reference: bool = False,
) -> str:
    """Return the scorecard of outcomes."""
    sheet, found = Sheet(), list(outcomes)
    for outcome in found:
        sheet.add(outcome, f"{outcome.step.suite} {outcome.step.label} {outcome.model}")
    return render(
        sheet,
        unscored={},
        scoring="paper",
        width=width,
        color=False,
        attacks=strata,
        paper=paper_rows(Conditions.of(found)) if reference else None,
    )


def cells(text: str, name: str) -> list[str]:
    """Return what stands beside a name, in the first row that has it."""
    words = name.split()
    line = next(line for line in text.splitlines() if line.split()[: len(words)] == words)
    return line.split()[len(words) :]


def test_the_first_row_is_without_recall() -> None:
    """Then the systems in order, with gains over it on the same tasks."""
    text = card(run_of_four())
    names = ["no recall", "none", "stale", "bm25", "oracle (reference)"]
    places = [text.index(f"\n{name} ") for name in names]
    assert places == sorted(places)
    assert cells(text, "no recall") == ["50.0", "40.0", "-", "-", "-", "0", "30"]
    # Gains are 7 p mod 23 plus 2, of thirty tasks: 331 points more in all.
    gain = sum((7 * place) % 23 + 2 for place in range(30)) / 30
    told = [f"{50 + gain:.1f}", f"{40 + gain:.1f}", "100.0", *[f"+{gain:.1f}"] * 2, "900", "30"]
    assert cells(text, "bm25") == told
    assert cells(text, "system")[:5] == [
        *("Workspace↑", "Preference↑", "Win↑", "dWorkspace↑", "dPreference↑")
    ]


def test_diagnostics_stand_in_a_table_of_their_own() -> None:
    """With arrows to where they are better; ratings only where a judge has given some."""
    text = card(run_of_four(), 200)
    assert cells(text, "diagnostics")[-3:] == ["PSR↑", "RSP↓", "MITR↓"]
    assert "dExploration↓" in text
    assert "Ratings: only with a judge model." in text
    rated = card([task(relevance_rating=3.0)], 200)
    assert "RelevanceRating↑" in rated
    assert "FamiliarityRating" not in rated
    assert "only with a judge model" not in rated


@pytest.mark.parametrize("width", [80, 100, 120, 200])
@pytest.mark.parametrize("strata", [False, True])
def test_nothing_is_wider_than_the_terminal_or_cut(width: int, strata: bool) -> None:
    """With long names, large numbers and every rating."""
    outcomes = [
        *run_of_four(),
        *tasks(
            [30] * 6,
            system="a-memory-system-with-a-long-name",
            recalled_tokens=123_456.0,
            relevance_rating=4.0,
            familiarity_rating=4.0,
            robustness_rating=4.0,
        ),
    ]
    text = card(outcomes, width, strata=strata, reference=True)
    assert max(map(len, text.splitlines())) <= width
    assert "…" not in text


def test_strata_are_shown_where_they_are_asked_for() -> None:
    """Participants always, where there are several; everything else with -v."""
    text, every = card(run_of_four()), card(run_of_four(), strata=True)
    assert "by participant" in text
    assert "by distance" not in text
    for kind in ("participant", "activity", "distance", "project"):
        assert f"by {kind}" in every
    assert "by main workflow" not in every
    assert "by participant" not in card(tasks([1, 2], participants=1))
    part = every[every.index("by distance") :]
    assert part.index("\nnone\n") < part.index("\n2-3\n") < part.index("\nmore than 10\n")


def test_scores_stand_beside_recalled_tokens() -> None:
    """The fewest first; nobody scores more for less than whoever is ahead."""
    text = card(run_of_four(), 120)
    rows = text[text.index("score and recalled tokens") :].splitlines()[2:]
    assert [row.split()[0] for row in rows[:5]] == ["no", "none", "oracle", "bm25", "stale"]
    assert [row.split()[-1] for row in rows[:5]] == ["both", "both", "both", "-", "-"]


def test_rows_of_fewer_tasks_are_told() -> None:
    """Whoever lacks tasks is not to be read against the others."""
    outcomes = [
        *tasks([1, 2, 3], system="whole"),
        *tasks([1, 2], system="short"),
        task("t2", participant="p2", system="short", failure=BROKEN),
    ]
    text = " ".join(card(outcomes).split())
    assert "short with offline is scored on 2 of the 3 tasks of the row without recall" in text
    assert "whole with" not in text


def test_a_defect_is_told() -> None:
    """It is scored for nobody."""
    outcomes = [*tasks([1, 2]), task("x", failure=DEFECT)]
    text = card(outcomes)
    assert "  ana/x: no such column" in text.splitlines()


def test_models_have_their_own_row_without_recall() -> None:
    """Above the systems that were run with that model."""
    text = card([*tasks([1], model="one"), *tasks([2], model="two", workspace_alone=70.0)])
    assert cells(text, "no recall with one")[0] == "50.0"
    assert cells(text, "no recall with two")[0] == "70.0"
    assert text.index("bm25 with one") < text.index("no recall with two")


def test_model_calls_are_told_with_their_cost() -> None:
    """By system and phase; offline there are none."""
    usage = {"answer": Usage(seconds=2.0, tokens=1_000, cost=0.25, calls=3)}
    outcomes = [replace(each, usage=usage) for each in tasks([1, 2])]
    text = card(outcomes)
    assert cells(text, "answer") == ["6", "2,000", "$0.5000", "4.0", "0"]
    both = card([*outcomes, made(1, True)])
    assert "bm25, ContextWeave" in both
    assert "model calls" not in card(tasks([1]))


def test_names_from_data_command_no_terminal() -> None:
    """Whatever a corpus calls its participants and projects."""
    outcomes = [
        replace(
            each,
            labels={**each.labels, "participant": f"{place}\x1b[31m", "project": f"\x07{place}"},
        )
        for place, each in enumerate(tasks([1, 2]))
    ]
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", card(outcomes, strata=True))


def test_a_run_of_all_benchmarks_has_all_tables() -> None:
    """Each keeps its own rows."""
    text = card([made(1, True), *play("f", True, True), *tasks([1])])
    assert text.index("MGS") < text.index("VNCR") < text.index("Workspace↑")


def test_the_papers_rows_stand_below() -> None:
    """Marked as a paper's, with what keeps them apart from this run's."""
    text = card(run_of_four(), 120, reference=True)
    assert cells(text, "a-mem (paper; a-mem here)") == ["78.20", "70.60", "72.70", "-", "-"]
    assert "not comparable with the paper" in " ".join(text.split())
    assert "paper" not in card(run_of_four(), 120)
