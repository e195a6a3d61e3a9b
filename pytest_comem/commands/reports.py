"""``comem report`` and ``comem judge-agreement``: what a run says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_comem.commands.arguments import Run, Runs
from pytest_comem.errors import SettingsError


def report(
    runs: Runs,
    form: Annotated[
        str, typer.Option("--format", metavar="NAME", help="table or markdown.")
    ] = "table",
    reference: Annotated[
        bool, typer.Option("--reference", help="Show the papers' rows beside the run's.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write one HTML page of the runs, beside each other.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="With -o: where the data are, if not where the runs had them."
        ),
    ] = None,
) -> None:
    """Print a run's scorecard again, or its summary in markdown, or write an HTML page."""
    if out is not None:
        if form != "table" or reference:
            raise SettingsError("-o writes an HTML page; leave out --format and --reference")
        from pytest_comem.report.html.page import write_page

        write_page(runs, out, data=data)
        typer.echo(f"written: {out}")
        return
    if len(runs) > 1:
        raise SettingsError(
            "several runs make one HTML page: say where with -o FILE, or see 'comem compare'"
        )
    (run,) = runs
    from pytest_comem.report.run_forms import parse_format, print_markdown
    from pytest_comem.report.scorecard import print_run

    if parse_format(form) == "markdown":
        print_markdown(run, reference=reference)
    else:
        print_run(run, reference=reference)


def judge_agreement(
    run: Run,
    against: Annotated[
        str,
        typer.Option(
            metavar="RUN",
            help="rules, which a model judge's run records beside its own verdicts, or a run over "
            "the same replies with another judge.",
        ),
    ] = "rules",
    form: Annotated[str, typer.Option("--format", metavar="NAME", help="table or json.")] = "table",
) -> None:
    """Show how far two judges agree on a run: 2x2 counts, percent, Cohen's kappa."""
    import shutil

    from pytest_comem.report.agreement import agreement_of, as_json, as_table, parse_format

    wanted = parse_format(form)
    found = agreement_of(run, against)
    width = shutil.get_terminal_size().columns
    typer.echo(as_json(found) if wanted == "json" else as_table(found, width), nl=False)
