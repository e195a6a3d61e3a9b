"""``comem merge`` and ``comem clean``: run directories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def merge(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Run directories, such as of shards.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="A new directory for the whole run.")
    ],
) -> None:
    """Join runs over parts of a benchmark (--comem-shard) into one.

    Runs that do not belong together are refused, with everything that differs.
    """
    from pytest_comem.engine.merging import merge_runs
    from pytest_comem.report.merging import describe

    for line in describe(merge_runs(runs, out)):
        typer.echo(line)


def clean(
    directories: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="DIR", help="Runs, or directories of runs; .comem/runs when not given."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be removed.")
    ] = False,
) -> None:
    """Remove what killed runs have left: state, processes, Docker containers.

    Found by label; what belongs to a run that goes on, to another host or to nobody stays. Exit
    status 1 where something could not be removed.
    """
    from pytest_comem.cleaning.sweep import finders, sweep
    from pytest_comem.engine.rundir import DEFAULT_PARENT

    default = [DEFAULT_PARENT] if DEFAULT_PARENT.is_dir() else []
    places = [place.absolute() for place in directories or default]
    if not sweep(finders(places), typer.echo, dry_run=dry_run):
        raise typer.Exit(1)
