"""What has changed since the baseline, as a run's manifest holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from pytest_comem.baseline.standing import StepId
from pytest_comem.engine.runs import RecordedRun, Row


@final
@dataclass(frozen=True, slots=True)
class RecordedChanges:
    """One row held against the baseline; see :class:`pytest_comem.baseline.changes.Changes`.

    :param expected: number of failures that the baseline has too.
    :param unknown: number of scored steps that the baseline has no verdict on.
    :param worse: points that a metric has lost, by its name.
    """

    regressions: tuple[StepId, ...]
    newly_passing: tuple[StepId, ...]
    expected: int
    unknown: int
    worse: Mapping[str, float]


@final
@dataclass(frozen=True, slots=True)
class HeldAgainst:
    """A baseline, and what has changed by row.

    :param path: of the baseline.
    """

    path: Path
    rows: Mapping[Row, RecordedChanges]


def held_against(run: RecordedRun) -> HeldAgainst | None:
    """Return what the run's manifest says of its baseline; ``None`` where it had none."""
    try:
        found = run.finished["baseline"]
        rows = {_row(each): _changes(each) for each in found["rows"]}
        return HeldAgainst(Path(found["path"]), rows)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _row(found: Mapping[str, Any]) -> Row:
    return (str(found["suite"]), str(found["system"]), str(found["model"]))


def _changes(found: Mapping[str, Any]) -> RecordedChanges:
    return RecordedChanges(
        regressions=_steps(found["regressions"]),
        newly_passing=_steps(found["newly_passing"]),
        expected=int(found["expected_failures"]),
        unknown=int(found["unknown"]),
        worse={str(name): float(points) for name, points in found["worse"].items()},
    )


def _steps(found: Any) -> tuple[StepId, ...]:
    return tuple((str(domain), str(episode), str(step)) for domain, episode, step in found)
