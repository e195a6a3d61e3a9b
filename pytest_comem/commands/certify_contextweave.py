"""``comem certify contextweave``: whether scored office tasks may count."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def certify_contextweave(
    directory: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DIR]",
            help="Streams, or one; those that come with the package when not given.",
        ),
    ] = None,
    sandbox: Annotated[
        str, typer.Option(metavar="KIND", help="Kind of sandbox, as --comem-sandbox has it.")
    ] = "auto",
    every: Annotated[
        bool, typer.Option("--verbose", "-v", help="Show the conditions that are met, too.")
    ] = False,
) -> None:
    """Hold the scored tasks of office streams against everything that makes them count.

    A rubric whose every check catches its own mutation and nothing else, a reference workspace that
    scores 80 and more, an initial one below 60, a plan that gets there with the right choices and
    not without them, and no hidden text in what an agent sees. Exit status 0 where every task is
    certified, 1 where one is not, 2 where there is none.
    """
    from pytest_comem.core.printable import printable
    from pytest_comem.locations import fixture_path
    from pytest_comem.office.certification import certificates

    granted = refused = 0
    for one in certificates(directory or fixture_path("contextweave"), sandbox):
        granted, refused = granted + one.granted, refused + (not one.granted)
        word = "certified" if one.granted else "NOT CERTIFIED"
        typer.echo(printable(f"{one.name}: {word} ({len(one.conditions)} conditions)"))
        for condition in one.conditions:
            if every or not condition.met:
                met = "met" if condition.met else "NOT MET"
                typer.echo(printable(f"  {condition.name}: {met} ({condition.detail})"))
                for problem in condition.problems:
                    typer.echo(printable(f"    {problem}"))
    typer.echo(f"{granted} certified, {refused} not")
    if refused:
        raise typer.Exit(1)
