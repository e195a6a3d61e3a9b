"""The papers' rows beside a run's, and what is said of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from made_outcomes import made

from pytest_comem.datasets.gatemem_release import RELEASE
from pytest_comem.datasets.reference import load_reference
from pytest_comem.report.paper import Conditions, paper_rows

FOUR = ("medical", "office", "education", "household")
LIKE_THE_PAPER: dict[str, Any] = {
    "domains": FOUR,
    "models": ("openai/gpt-4o-mini",),
    "judges": ("openai/gpt-4o",),
    "scorings": ("paper",),
    "data": (RELEASE,),
    "steps": 2218,
}


def notes(**other: Any) -> tuple[str, ...]:
    """Return what is said beside a run that differs from the paper's in *other*."""
    return paper_rows(Conditions(**{**LIKE_THE_PAPER, **other})).notes


def test_the_model_of_the_run_is_looked_up() -> None:
    """A run with a model of the paper stands beside that model's rows, whatever its spelling."""
    found = paper_rows(Conditions(**LIKE_THE_PAPER))
    assert {row.backbone for row in found.rows} == {"GPT-4o-mini"}
    assert [row.system for row in found.rows[:2]] == ["full-context", "rag"]
    other = paper_rows(Conditions(**{**LIKE_THE_PAPER, "models": ("offline",)}))
    assert {row.backbone for row in other.rows} == {"GPT-5.4"}


def test_values_are_means_over_the_domains_of_the_run() -> None:
    """One domain is the paper's own line."""
    found = paper_rows(Conditions(**{**LIKE_THE_PAPER, "models": (), "domains": ("medical",)}))
    (mem0,) = (row for row in found.rows if row.method == "Mem0")
    assert mem0.values == {"U": 38.1, "A": 28.1, "F": 5.6, "MGS": 25.8}
    both = paper_rows(Conditions(**{**LIKE_THE_PAPER, "models": (), "domains": FOUR[:2]}))
    (mem0,) = (row for row in both.rows if row.method == "Mem0")
    assert mem0.values["U"] == (38.1 + 40.3) / 2


def test_a_whole_run_on_the_released_data_is_only_told_who_answered_and_judged() -> None:
    """Models and judges are named; nothing forbids to compare."""
    (line,) = notes()
    assert line == (
        "paper: arXiv 2606.18829, mean over the run's domains, answered by GPT-4o-mini and judged "
        "by GPT-4o; this run: answered by openai/gpt-4o-mini and judged by openai/gpt-4o"
    )


def test_what_keeps_it_from_being_comparable_is_said() -> None:
    """Other data, a part of the steps, another scoring."""
    assert notes(data=("embedded-1",))[1] == (
        "This run is not comparable with the paper: its data are embedded-1 instead of the "
        "released ones."
    )
    assert notes(steps=1000, scorings=("release-gated",))[1] == (
        "This run is not comparable with the paper: it scored 1,000 of 2,218 checkpoints; its "
        "scoring is release-gated."
    )


def test_conditions_come_from_outcomes() -> None:
    """Repeats of a step are one step, and a row without a verdict counts none."""
    steps = [made(0, True, repeat=0), made(0, False, repeat=1), made(1, None, repeat=0)]
    other = replace(made(3, True, system="rag", model="m/x", domain="office"), judge="m/j")
    found = Conditions.of([*steps, other])
    assert found == Conditions(
        domains=("medical", "office"),
        models=("offline", "m/x"),
        judges=("rules-1", "m/j"),
        scorings=("paper",),
        data=("made",),
        steps=1,
    )
    assert paper_rows(Conditions.of([])).rows == ()


def test_every_method_has_a_system_of_ours() -> None:
    """The names are those that --memory-system takes."""
    from pytest_comem.memory.registry import BUILT_IN

    assert set(load_reference("gatemem").systems.values()) <= set(BUILT_IN)
