"""``comem replay``: a workflow's trace, verified again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def replay(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A trace, a .jsonl file of a run directory.")
    ],
    key: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The run's key; trace.key beside TRACE when not given."),
    ] = None,
) -> None:
    """Verify a whole trace again, without running anything.

    Exit status 0 where every check passes, 1 where one fails, 2 where the trace or the key cannot
    be read. Without the key, signatures are not checked, and it says so.
    """
    from pytest_comem.workflows.checks import check_lines
    from pytest_comem.workflows.replay import passed, replay
    from pytest_comem.workflows.signing import KEY_FILE, key_beside, read_signer

    found = key or key_beside(trace)
    checks = replay(trace, None if found is None else read_signer(found))
    for one in checks:
        for line in check_lines(one):
            typer.echo(line)
    if found is None:
        typer.echo(f"signatures were not checked: no {KEY_FILE} beside the trace; give --key FILE")
    if not passed(checks):
        typer.echo("the trace does not hold", err=True)
        raise typer.Exit(1)
    typer.echo("the trace holds")
