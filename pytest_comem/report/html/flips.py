"""Later runs against the first: differences of the metrics, and where results changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from pytest_comem.errors import ComemError
from pytest_comem.report.comparison import GROUPINGS, Compared, compare_rows, grouped
from pytest_comem.report.html.table import Row, Table, plain


def comparisons_of(table: Table) -> list[dict[str, Any]]:
    """Return each row that a later run shares with the first, compared with it."""
    return list(_comparisons(table))


def _comparisons(table: Table) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(table.rows):
        for run in sorted(row.names):
            if run and 0 in row.names and table.metrics(row.suite) is not None:
                yield from _compared(table, number, row, run)


def _compared(table: Table, number: int, row: Row, run: int) -> Iterator[dict[str, Any]]:
    before, after = (
        (table.runs[one].path, row.names[one], table.outcomes(one, row)) for one in (0, run)
    )
    try:
        found = compare_rows(row.suite, before, after)
    except ComemError as error:
        table.notes.append(str(error))
        return
    yield {
        "row": number,
        "run": run,
        "common": found.common,
        "onlyBefore": len(found.only_before),
        "onlyAfter": len(found.only_after),
        "lost": len(found.lost),
        "gained": len(found.gained),
        "p": plain(found.mcnemar.p),
        "differences": [
            {name: plain(value) for name, value in asdict(one).items()}
            | {"verdict": found.verdict(metric)}
            for metric, one in found.differences.items()
        ],
        "groups": _groups(found),
    }


def _groups(found: Compared) -> list[list[Any]]:
    """Return how many steps were lost and gained by kind of step."""
    return [
        [title, group, *counts]
        for label, title in GROUPINGS.items()
        for group, counts in grouped(found.flips, label).items()
    ]
