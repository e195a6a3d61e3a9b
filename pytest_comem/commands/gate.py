"""``comem baseline`` and ``comem gate``: what later runs are held against, and rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_comem.commands.arguments import Run


def baseline(
    run: Run,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FILE", help="The baseline, a JSON file.")
    ],
) -> None:
    """Keep what a run came to in a small file to commit, for --comem-baseline.

    It holds a line a step, and nothing that was asked or answered.
    """
    from pytest_comem.baseline.file import write_baseline
    from pytest_comem.engine.runs import read_run

    found = read_run(run)
    write_baseline(found, out)
    for _, system, model in sorted(found.rows):
        typer.echo(f"row of {system} with {model}")
    typer.echo(f"{out}: {len(found.outcomes):,} outcomes, {out.stat().st_size / 1000:,.0f} kB")
    if without := sum(outcome.verdict is None for outcome in found.outcomes):
        typer.echo(
            f"warning: {without:,} of them have no verdict, so later runs are not held against them"
        )
    if found.manifest and not found.finished:
        typer.echo("warning: the run was not finished; the steps that never ran are not in it")


def gate(
    run: Run,
    against: Annotated[
        Path | None,
        typer.Option(
            "--baseline", metavar="FILE", help="A baseline, a run directory or its outcomes.jsonl."
        ),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="RULE",
            help="Such as 'gatemem.MGS >= 0.30'; several times; the rules of pyproject.toml when "
            "not given.",
        ),
    ] = None,
    pyproject: Annotated[
        Path, typer.Option(metavar="FILE", help="File with the table tool.comem.gate.")
    ] = Path("pyproject.toml"),
    inconclusive: Annotated[
        str, typer.Option(metavar="AS", help="As --comem-inconclusive: pass, fail or warn.")
    ] = "",
) -> None:
    """Judge a run by rules, as --comem-gate does while it is made.

    Exit status 0 where all pass, 1 where one fails, 9 where it is inconclusive, 2 for an error.
    """
    import shutil

    from pytest_comem.baseline.file import read_baseline
    from pytest_comem.engine.runs import read_run
    from pytest_comem.errors import SettingsError
    from pytest_comem.gate.after import judge_recorded
    from pytest_comem.gate.configuration import ON, configured_gate
    from pytest_comem.report.gate import gate_lines
    from pytest_comem.settings import INCONCLUSIVE_AS
    from pytest_comem.suggest import did_you_mean

    if inconclusive not in ("", *INCONCLUSIVE_AS):
        nearest = did_you_mean(inconclusive, INCONCLUSIVE_AS)
        raise SettingsError(f"--inconclusive: {inconclusive!r} is unknown; {nearest}")
    wanted = configured_gate(
        rule or [ON], pyproject, baseline=against, inconclusive=inconclusive, option="--rule"
    )
    before = None if wanted.baseline is None else read_baseline(wanted.baseline)
    result = judge_recorded(read_run(run), wanted, before)
    for line in gate_lines(result, shutil.get_terminal_size().columns):
        typer.echo(line)
    raise typer.Exit(result.exit_status)
