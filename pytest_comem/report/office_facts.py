"""ContextWeave's part of what a run's JSON and CSV are made of."""

from __future__ import annotations

from typing import Any

from pytest_comem.metrics.contextweave import TaskRow, TaskSheet
from pytest_comem.metrics.intervals import measure
from pytest_comem.report.metric_facts import measured
from pytest_comem.report.office_rows import STRATUM_RESAMPLES, OfficeRow, office_rows, placed


def add_tasks(suite: dict[str, Any], sheet: TaskSheet) -> None:
    """Add to a suite's rows their strata and places, and the runs without recall by model.

    :param suite: whose ``rows`` are there already, a mapping for each system and model.
    """
    rows = office_rows(sheet)
    ahead = {(one.row.system, one.row.model): list(one.ahead) for one in placed(rows)}
    by_name = {(row["system"], row["model"]): row for row in suite["rows"]}
    suite["no_recall"] = [_alone(row, ahead[row.system, row.model]) for row in rows if row.alone]
    for row in rows:
        if not row.alone:
            found = by_name[row.system, row.model]
            found["strata"] = _strata(row.row)
            found["ahead"] = ahead[row.system, row.model]
    suite["uneven"] = [
        {"system": system, "model": model, "scored": scored, "of": of}
        for (system, model), scored, of in sheet.uneven()
    ]


def _alone(row: OfficeRow, ahead: list[str]) -> dict[str, Any]:
    return {
        "model": row.model,
        "scored": row.row.scored,
        "metrics": measured(row.found, row.row.overall),
        "strata": _strata(row.row),
        "ahead": ahead,
    }


def _strata(row: TaskRow) -> dict[str, Any]:
    return {
        division: {
            part: measured(measure(sample, resamples=STRATUM_RESAMPLES), sample)
            for part, sample in parts.items()
        }
        for division, parts in row.strata.items()
    }
