"""What has changed since the baseline, as lines below the scorecard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_comem.baseline.changes import Changes
from pytest_comem.baseline.standing import Baseline, StepId
from pytest_comem.core.printable import printable
from pytest_comem.engine.runs import Row

_MOST: Final = 20

#: Returns what a step of a row is called, such as its node id.
Names = Callable[[Row, StepId], str]


def header(baseline: Baseline, rows: Sequence[Row]) -> list[str]:
    """Return the lines of pytest's header.

    :param rows: of the run that begins.
    """
    path = printable(str(baseline.run.path))
    known = [row for row in rows if row in baseline]
    lines = [f"comem: baseline {path}, {_count(known, baseline):,} steps of this run's rows"]
    lines.extend(
        f"comem: the baseline has no {_row(row)}; its steps count by themselves"
        for row in rows
        if row not in baseline
    )
    return lines


def change_lines(
    found: Sequence[Changes], path: Path, name: Names, *, whole: bool = False
) -> Iterator[str]:
    """Yield what has changed, with the steps by name.

    :param path: of the baseline.
    :param whole: every step is listed, however many there are.
    """
    several = len(found) > 1
    yield f"against the baseline {printable(str(path))}:"
    for each in found:
        who = f"{_row(each.row)}: " if several else ""
        yield (
            f"  {who}{_of(each.regressions, 'regression')}, {len(each.newly_passing):,} newly "
            f"passing, {_of(each.expected, 'expected failure')}"
            + (f", {_of(each.unknown, 'step')} not in it" if each.unknown else "")
        )
        for metric, points in each.worse:
            yield f"  {who}as a whole {metric} is worse by {points:.1f} points"
        for word, steps in (
            ("regression", each.regressions),
            ("newly passing", each.newly_passing),
        ):
            shown = steps if whole else steps[:_MOST]
            yield from (f"    {word}: {name(each.row, step)}" for step in shown)
            if more := len(steps) - len(shown):
                yield f"    and {more:,} more of them (-v and manifest.json have all)"


def as_json(found: Sequence[Changes], path: Path) -> Mapping[str, Any]:
    """Return what has changed, for the manifest."""
    return {
        "path": str(path),
        "rows": [
            {
                "suite": each.row[0],
                "system": each.row[1],
                "model": each.row[2],
                "known": each.known,
                "expected_failures": len(each.expected),
                "unknown": len(each.unknown),
                "regressions": [list(step) for step in each.regressions],
                "newly_passing": [list(step) for step in each.newly_passing],
                "worse": dict(each.worse),
            }
            for each in found
        ],
    }


def _of(steps: Sequence[StepId], what: str) -> str:
    return f"{len(steps):,} {what}{'' if len(steps) == 1 else 's'}"


def _row(row: Row) -> str:
    return printable(f"row of {row[1]} with {row[2]}")


def _count(rows: Sequence[Row], baseline: Baseline) -> int:
    return sum(len(baseline.steps(row)) for row in rows)
