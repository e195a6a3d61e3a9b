"""``comem compare``: runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def compare(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN...",
            help="Runs, or baselines' files: each is compared with the first. Of a single run, "
            "each row with the first.",
        ),
    ],
    form: Annotated[
        str,
        typer.Option("--format", metavar="NAME", help="table, markdown, json, csv or latex."),
    ] = "table",
    row: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=OTHER]",
            help="A row to compare: a system, a model or SYSTEM/MODEL; with =OTHER, the row of the "
            "other run that stands against it. Several times.",
        ),
    ] = None,
    reference: Annotated[
        bool, typer.Option("--reference", help="Show the papers' rows as well.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to; the terminal when not given."),
    ] = None,
) -> None:
    """Compare runs step by step: differences with intervals, what flipped, what it cost.

    Runs whose data, scoring or judge differ are refused, with everything that differs.
    """
    import shutil
    import sys

    from pytest_comem.baseline.file import read_baseline
    from pytest_comem.engine.runs import read_run
    from pytest_comem.report.comparison import compare_runs
    from pytest_comem.report.comparison_forms import comparison_in, parse_format
    from pytest_comem.report.paper import Conditions, paper_rows
    from pytest_comem.writing import write_files

    wanted = parse_format(form)
    read = [read_baseline(run) if run.is_file() else read_run(run) for run in runs]
    found = compare_runs(read, row or ())
    text = comparison_in(
        wanted,
        found,
        shutil.get_terminal_size().columns,
        paper=paper_rows(Conditions.of(read[0].outcomes)) if reference else None,
        color=out is None and sys.stdout.isatty(),
    )
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_files({out: [text]})
        typer.echo(f"written: {out}")
