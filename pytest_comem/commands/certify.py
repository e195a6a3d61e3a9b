"""``comem certify``: whether workflow families may count."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def certify_comembench(
    directory: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Families, or one; those that come with the package when not given.",
        ),
    ] = None,
    sandbox: Annotated[
        str, typer.Option(metavar="KIND", help="Kind of sandbox, as --comem-sandbox has it.")
    ] = "auto",
    every: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the checks that passed, too.")
    ] = False,
) -> None:
    """Hold workflow families against everything that makes them count.

    Schema and graph, a gold run that passes every node, mutations that every evaluator has to
    reject, twins that differ from their control in one artifact, and no hidden text in what a
    worker sees. Exit status 0 where every family is certified, 1 where one is not, 2 where there
    is none.
    """
    from pytest_comem.workflow_assembly import domain_checks, shipped_families
    from pytest_comem.workflows.certification import certificates
    from pytest_comem.workflows.checks import check_lines

    granted = refused = 0
    for certificate in certificates(directory or shipped_families(), domain_checks(sandbox)):
        granted, refused = granted + certificate.granted, refused + (not certificate.granted)
        word = "certified" if certificate.granted else "NOT CERTIFIED"
        typer.echo(f"{certificate.name}: {word} ({len(certificate.checks)} checks)")
        for one in certificate.checks:
            if every or not one.passed:
                for line in check_lines(one):
                    typer.echo(f"  {line}")
    typer.echo(f"{granted} certified, {refused} not")
    if refused:
        raise typer.Exit(1)
