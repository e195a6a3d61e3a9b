"""The page put together: frame, style, script, and the runs' data in chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from string import Template
from typing import Any

from pytest_comem.engine.runs import RecordedRun, read_run
from pytest_comem.errors import SettingsError
from pytest_comem.report.html.about import about
from pytest_comem.report.html.assets import asset, digest, script
from pytest_comem.report.html.cards import breakdowns_of, cards_of, suites_of
from pytest_comem.report.html.chunks import element
from pytest_comem.report.html.details import details_of
from pytest_comem.report.html.flips import comparisons_of
from pytest_comem.report.html.sources import Source, find_source
from pytest_comem.report.html.steps import index_of_steps
from pytest_comem.report.html.table import Table, head_of
from pytest_comem.writing import write_files


def write_page(runs: Iterable[Path], out: Path, *, data: Path | None = None) -> None:
    """Write the page of *runs* to *out*, whole or not at all.

    :param data: where the benchmark's data are, if not where the runs had them.
    :raises DataError: where a run cannot be read.
    :raises SettingsError: where *out* cannot be written, or a run is named twice.
    """
    paths = list(runs)
    for path in paths:
        if [other.resolve() for other in paths].count(path.resolve()) > 1:
            raise SettingsError(f"{path} is named more than once; name every run once")
    write_files({out: page([read_run(path) for path in paths], data=data)})


def page(runs: Sequence[RecordedRun], *, data: Path | None = None) -> Iterator[str]:
    """Yield the page of *runs* in pieces; the same runs make the same page.

    :param data: where the benchmark's data are, if not where the runs had them.
    """
    sources = [find_source(run, data) for run in runs]
    table = Table(runs)
    style, code = asset("style.css"), script()
    before, after = (
        Template(asset("page.html"))
        .substitute(
            style=style,
            script=code,
            style_hash=digest(style),
            script_hash=digest(code),
            index=element("index", index(table, sources)),
            details="\0",
        )
        .split("\0")
    )
    yield before
    for number, value in details_of(table, sources):
        yield element(f"e{number}", value)
    yield after


def index(table: Table, sources: Sequence[Source]) -> dict[str, Any]:
    """Return all that a page shows before a step is opened."""
    found = {
        "runs": [about(run, source) for run, source in zip(table.runs, sources, strict=True)],
        "suites": suites_of(table),
        "rows": [_row(table, number) for number in range(len(table.rows))],
        "cards": cards_of(table),
        "breakdowns": breakdowns_of(table),
        "comparisons": comparisons_of(table),
        **index_of_steps(table),
    }
    # Last: making the others may have left some.
    return {**found, "notes": list(dict.fromkeys(table.notes))}


def _row(table: Table, number: int) -> dict[str, Any]:
    """Return what a row is called in each run, and how its labels begin there."""
    row = table.rows[number]
    return {
        "suite": row.suite,
        "sides": [
            {
                "system": row.names[run][0],
                "model": row.names[run][1],
                "head": head_of(table.outcomes(run, row)[0]),
            }
            if run in row.names
            else None
            for run in range(len(table.runs))
        ],
    }
