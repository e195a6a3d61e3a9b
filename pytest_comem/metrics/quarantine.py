"""Families with a benchmark defect, taken out of a run's figures for every memory system."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

from pytest_comem.core.outcomes import Attribution, Failure, Outcome
from pytest_comem.metrics.workflow_plays import WORKFLOWS

#: Type of the failure that stands for a verdict on a node of such a family.
QUARANTINE: Final = "quarantine"
_Row = TypeVar("_Row")


def defects(outcomes: Iterable[Outcome]) -> dict[str, str]:
    """Return the families with a benchmark defect, by name, with the first that was found."""
    found: dict[str, str] = {}
    for outcome in outcomes:
        failure = outcome.failure
        if (
            outcome.step.suite == WORKFLOWS
            and failure is not None
            and failure.attribution is Attribution.BENCHMARK
            and failure.type != QUARANTINE
        ):
            found.setdefault(outcome.labels["pair"], failure.message)
    return dict(sorted(found.items()))


def without_defective(
    rows: Mapping[_Row, Sequence[Outcome]],
) -> Mapping[_Row, Sequence[Outcome]]:
    """Return a run's rows with every verdict on a defective family taken back.

    A defect shows on one memory system and not on another, and neither's verdicts count then.
    """
    found = defects(outcome for outcomes in rows.values() for outcome in outcomes)
    if not found:
        return rows
    return {
        row: [_unscored(outcome, found) for outcome in outcomes] for row, outcomes in rows.items()
    }


def _unscored(outcome: Outcome, found: Mapping[str, str]) -> Outcome:
    if outcome.step.suite != WORKFLOWS or outcome.verdict is None:
        return outcome
    family = outcome.labels["pair"]
    if family not in found:
        return outcome
    message = f"the family {family} is in quarantine: {found[family]}"
    return replace(
        outcome, verdict=None, failure=Failure(Attribution.BENCHMARK, QUARANTINE, message)
    )
