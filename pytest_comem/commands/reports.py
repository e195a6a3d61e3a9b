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
        str,
        typer.Option("--format", metavar="NAME", help="table, markdown, json, csv or latex."),
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
            help="Where to: one HTML page of all the runs, or by the file's end the form of one "
            "run: .md, .json, .csv, .tex.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="With -o: where the data are, if not where the runs had them."
        ),
    ] = None,
) -> None:
    """Print a run's scorecard again, or write it in another form, or as an HTML page."""
    from pytest_comem.report.run_forms import form_in, parse_format, run_in
    from pytest_comem.writing import write_files

    wanted = form_in(out, parse_format(form))
    if out is not None and wanted == "html":
        if reference:
            raise SettingsError("an HTML page has no rows of papers; leave out --reference")
        from pytest_comem.report.html.page import write_page

        write_page(runs, out, data=data)
        typer.echo(f"written: {out}")
        return
    if len(runs) > 1:
        raise SettingsError(
            "several runs make one HTML page: say where with -o FILE.html, or see 'comem compare'"
        )
    (run,) = runs
    if wanted == "table":
        from pytest_comem.report.scorecard import print_run

        print_run(run, reference=reference)
        return
    text = run_in(wanted, run, reference=reference)
    if out is None:
        typer.echo(text, nl=False)
    else:
        write_files({out: [text]})
        typer.echo(f"written: {out}")


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
