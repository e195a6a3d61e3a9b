"""What has changed in one row of results since the baseline: regressions, new passes, and so on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from pytest_comem.baseline.evidence import LEVEL, Draws, grown
from pytest_comem.baseline.standing import Baseline, Standing, StepId, standings
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import Row
from pytest_comem.metrics.paired import compare
from pytest_comem.metrics.suites import suite_metrics


@final
@dataclass(frozen=True, slots=True)
class Changes:
    """One row, held against the baseline.

    :param row: suite, system and model.
    :param known: steps scored in both.
    :param regressions: steps that passed there and fail now (``evidence``).
    :param newly_passing: steps that always failed there and always pass now.
    :param expected: steps that fail now without being regressions, and failed there.
    :param unknown: scored steps that the baseline has no verdict on.
    :param worse: metrics that are worse as a whole, with the points they have lost; only looked
        for with repeats, where single steps may have too few draws to show anything.
    """

    row: Row
    known: int
    regressions: tuple[StepId, ...] = ()
    newly_passing: tuple[StepId, ...] = ()
    expected: tuple[StepId, ...] = ()
    unknown: tuple[StepId, ...] = ()
    worse: tuple[tuple[str, float], ...] = ()

    @property
    def regressed(self) -> bool:
        """Whether anything has become worse by evidence."""
        return bool(self.regressions or self.worse)


def changes(baseline: Baseline, row: Row, outcomes: Sequence[Outcome]) -> Changes:
    """Return what has changed in *row*, whose outcomes now are *outcomes*."""
    now = standings(outcomes, suite_metrics(row[0]))
    there = baseline.steps(row)
    lost = grown(failures(there, now), drawn=baseline.drawn(row))
    known = {
        key: (there[key], standing)
        for key, standing in sorted(now.items())
        if key in there and there[key].scored and standing.scored
    }
    return Changes(
        row,
        len(known),
        regressions=tuple(sorted(lost)),
        newly_passing=tuple(
            key
            for key, (before, after) in known.items()
            if before.passed == 0 and after.failed == 0
        ),
        expected=tuple(
            key
            for key, (before, after) in known.items()
            if after.failed and before.failed and key not in set(lost)
        ),
        unknown=tuple(
            key
            for key, standing in sorted(now.items())
            if standing.scored and (key not in there or not there[key].scored)
        ),
        worse=_worse(baseline, row, outcomes) if known and baseline.drawn(row) else (),
    )


def failures(
    there: Mapping[StepId, Standing], now: Mapping[StepId, Standing]
) -> dict[StepId, Draws]:
    """Return how often each step failed before and fails now, of those known there."""
    return {
        key: Draws(there[key].failed, there[key].scored, standing.failed, standing.scored)
        for key, standing in now.items()
        if key in there
    }


def in_class(
    there: Mapping[StepId, Standing], now: Mapping[StepId, Standing], name: str
) -> dict[StepId, Draws]:
    """Return the same of one class of failures; a step unknown there has no draws before."""
    nothing = Standing()
    return {
        key: Draws(
            there.get(key, nothing).classes.get(name, 0),
            there.get(key, nothing).scored,
            standing.classes.get(name, 0),
            standing.scored,
        )
        for key, standing in now.items()
    }


def _worse(
    baseline: Baseline, row: Row, outcomes: Sequence[Outcome]
) -> tuple[tuple[str, float], ...]:
    """Return the metrics that are worse by the paired test, Holm's correction over all of them."""
    metrics = suite_metrics(row[0])
    found = compare(baseline.rows_of[row], outcomes, metrics).differences
    return tuple(
        (name, abs(each.difference))
        for name, each in found.items()
        if each.p_holm < LEVEL
        # What it took is no quality of what came of it.
        and metrics.metrics[name].kind != "mean"
        and (each.difference < 0) == metrics.metrics[name].higher_is_better
        and each.difference
    )
