"""A comparison as CSV, a fact a line; no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import Any, Final

from pytest_comem.core.printable import printable
from pytest_comem.report.comparison import Compared, Comparison, kind_of

COLUMNS: Final = (
    *("suite", "run_before", "system_before", "model_before"),
    *("run_after", "system_after", "model_after"),
    *("fact", "name", "before", "after", "difference", "low", "high"),
    *("p", "p_holm", "detectable", "domain", "kind"),
)
#: Characters that begin a formula in spreadsheets, wide forms included.
_FORMULA: Final = tuple("=+-@\uff1d\uff0b\uff0d\uff20")


def as_csv(comparison: Comparison) -> str:
    """Return the comparison as CSV with a line of heads."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\n")
    writer.writeheader()
    for row in comparison.rows:
        for fact in _facts(row):
            writer.writerow({name: cell(value) for name, value in {**_sides(row), **fact}.items()})
    return out.getvalue()


def _sides(row: Compared) -> dict[str, str]:
    return {
        "suite": row.suite,
        "run_before": str(row.before.run),
        "system_before": row.before.system,
        "model_before": row.before.model,
        "run_after": str(row.after.run),
        "system_after": row.after.system,
        "model_after": row.after.model,
    }


def _facts(row: Compared) -> Iterator[dict[str, Any]]:
    for name, found in row.differences.items():
        yield {
            "fact": "metric",
            "name": name,
            "before": found.before,
            "after": found.after,
            "difference": found.difference,
            "low": found.low,
            "high": found.high,
            "p": found.p,
            "p_holm": found.p_holm,
            "detectable": found.detectable,
        }
    for flip in row.flips:
        yield {
            "fact": "lost" if flip.before else "gained",
            "name": flip.label,
            "before": "passed" if flip.before else "failed",
            "after": "passed" if flip.after else "failed",
            "domain": flip.domain,
            "kind": kind_of(flip),
        }
    for each in row.spent:
        yield {
            "fact": each.measure,
            "name": each.phase,
            "before": each.before,
            "after": each.after,
            "difference": each.change,
        }
    yield from _absent(row)


def _absent(row: Compared) -> Iterator[dict[str, Any]]:
    for name, side, only in (
        ("before", row.before, row.only_before),
        ("after", row.after, row.only_after),
    ):
        for label, reason in side.unscored.items():
            yield {"fact": f"unscored_{name}", "name": label, name: reason}
        for label in only:
            yield {"fact": f"scored_{name}_only", "name": label}


def cell(value: Any) -> str:
    """Return a cell: numbers with ten digits, nothing for what is not defined."""
    if value is None or value != value:
        return ""
    if not isinstance(value, str):
        return f"{value:.10g}"
    text = printable(value)
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
