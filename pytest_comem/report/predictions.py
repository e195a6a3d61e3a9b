"""Scored predictions, as two files and as a table on the terminal."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from pytest_comem.errors import SettingsError
from pytest_comem.metrics.predictions import ScoredPredictions
from pytest_comem.writing import write_files

SCORES: Final = "scores.jsonl"
SUMMARY: Final = "summary.json"

_COLUMNS: Final = {
    "U": "U",
    "A": "A",
    "F": "F",
    "OR": "OR",
    "MGS": "MGS",
    "U_exposed": "xU",
    "A_exposed": "xA",
    "F_exposed": "xF",
    "MGS_exposed": "xMGS",
}
_NOTES: Final = {
    "duplicates": "for a checkpoint that already had one: left out, the first counts",
    "unknown": "for checkpoints the data does not have: left out",
    "unscored": "on rows the benchmark itself cannot evaluate: unscored (see 'defect')",
}


def write_scores(scored: ScoredPredictions, out: Path, *, predictions: Path) -> None:
    """Write ``scores.jsonl`` and ``summary.json`` into *out*, both or neither.

    :param predictions: the file that was scored, which must not be overwritten.
    :raises SettingsError: where a file cannot be written.
    """
    for name in (SCORES, SUMMARY):
        if (out / name).resolve() == predictions.resolve():
            raise SettingsError(f"--out: {out / name} is the predictions file; name another folder")
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in scored.rows)
    summary = json.dumps(scored.summary, ensure_ascii=False, indent=2) + "\n"
    write_files({out / SCORES: lines, out / SUMMARY: [summary]})


def print_summary(summary: Mapping[str, Any]) -> None:
    """Print the metrics as a table, and what did not count a line each."""
    console = Console(highlight=False, markup=False, emoji=False)
    console.print(_table(summary))
    console.print(
        f"{summary['scoring']} scoring, rules judge, data {summary['data']['revision']}; percent; "
        "U and MGS: more is better; A, F, OR: less is better; x: of the exposed context. "
        "n: scored predictions."
    )
    counts = summary["counts"]
    for name, note in _NOTES.items():
        if counts[name]:
            console.print(f"{_plural(counts[name], 'prediction')} {note}{_such_as(summary, name)}.")
    if counts["missing"]:
        console.print(
            f"{counts['missing']} of {_plural(counts['checkpoints'], 'checkpoint')} have no "
            f"prediction{_such_as(summary, 'missing')}: figures are over the {counts['scored']} "
            "scored ones only."
        )
    for warning in summary["data"]["warnings"]:
        console.print(f"warning: {warning}")


def _table(summary: Mapping[str, Any]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    table.add_column("domain", overflow="fold", min_width=11)
    for head in (*_COLUMNS.values(), "n"):
        table.add_column(head, justify="right", no_wrap=True)
    domains = summary["domains"]
    for domain, values in domains.items():
        table.add_row(domain, *_cells(values), str(values["counts"]["scored"]))
    if len(domains) > 1:
        table.add_row("domain mean", *_cells(summary["domain_mean"]), "")
    table.add_row("overall", *_cells(summary), str(summary["counts"]["scored"]), style="bold")
    return table


def _cells(values: Mapping[str, float | None]) -> list[str]:
    found = (values[metric] for metric in _COLUMNS)
    return ["-" if value is None else f"{value:.1f}" for value in found]


def _such_as(summary: Mapping[str, Any], name: str) -> str:
    ids = summary["examples"][name][:3]
    more = summary["counts"][name] - len(ids)
    return f" ({', '.join(ids)}{f' and {more} more' if more else ''})"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
