"""``comem data``: get a benchmark's files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fetch_gatemem(
    to: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Where to; the user's cache directory when not given."),
    ] = None,
    origin: Annotated[
        str, typer.Option("--from", metavar="URL", help="A mirror; Hugging Face when not given.")
    ] = "",
) -> None:
    """Download GateMem's files, check them, and skip those that are right already."""
    from pytest_comem.datasets.download import ORIGIN, default_directory, fetch
    from pytest_comem.report.fetching import fetching_display

    directory = (to or default_directory()).absolute()
    with fetching_display() as listener:
        fetch(directory, listener, origin=origin or ORIGIN)
    typer.echo(f"GateMem is in {directory}")
    typer.echo(f"use it: pytest --memory-system=bm25 --comem-data {directory} gatemem")
