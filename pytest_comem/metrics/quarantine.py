"""Families and tasks with a benchmark defect, taken out of a run's figures for every system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.workflow_plays import WORKFLOWS

#: Type of the failure that stands for a verdict on a node of such a family, or on such a task.
QUARANTINE: Final = "quarantine"
_Row = TypeVar("_Row")


def defects(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Return what has a benchmark defect, by name, with the first that was found.

    Families are called by their name, tasks by their participant and id.
    """
    found: dict[str, str] = {}
    for outcome in outcomes:
        if (defect := _defect(outcome)) is not None:
            found.setdefault(_name(outcome), defect)
    return dict(sorted(found.items()))


def defects_told(outcomes: Iterable[Outcome]) -> Iterator[str]:
    """Yield what has a benchmark defect, with what it is, a sentence each."""
    found: dict[str, str] = {}
    for outcome in outcomes:
        if (defect := _defect(outcome)) is not None:
            found.setdefault(f"the {_what(outcome)} {_name(outcome)}", defect)
    for name, defect in sorted(found.items()):
        yield f"{name} is in quarantine and scored for nobody: {defect}"


def _defect(outcome: Outcome) -> str | None:
    """Return the defect that a step has met; ``None`` where it met none of the benchmark's."""
    failure = outcome.failure
    if (
        outcome.step.suite not in (WORKFLOWS, OFFICE)
        or failure is None
        or failure.attribution is not Attribution.BENCHMARK
        or failure.type == QUARANTINE
    ):
        return None
    return failure.message


def without_defective(
    rows: Mapping[_Row, Sequence[Outcome]],
) -> Mapping[_Row, Sequence[Outcome]]:
    """Return a run's rows with every verdict on a defective family or task taken back.

    A defect shows on one memory system and not on another, and neither's verdicts count then.
    """
    found = defects(outcome for outcomes in rows.values() for outcome in outcomes)
    if not found:
        return rows
    return {
        row: [_unscored(outcome, found) for outcome in outcomes] for row, outcomes in rows.items()
    }


def _name(outcome: Outcome) -> str:
    if outcome.step.suite == WORKFLOWS:
        return outcome.labels["pair"]
    return f"{outcome.labels['participant']}/{outcome.step.id}"


def _what(outcome: Outcome) -> str:
    return "family" if outcome.step.suite == WORKFLOWS else "task"


def _unscored(outcome: Outcome, found: Mapping[str, str]) -> Outcome:
    if outcome.step.suite not in (WORKFLOWS, OFFICE) or outcome.verdict is None:
        return outcome
    name = _name(outcome)
    if name not in found:
        return outcome
    message = f"the {_what(outcome)} {name} is in quarantine: {found[name]}"
    return replace(
        outcome, verdict=None, failure=Failure(Attribution.BENCHMARK, QUARANTINE, message)
    )
