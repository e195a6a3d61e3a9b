"""``comem score`` and ``comem export``: predictions in a benchmark's own format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pytest_comem.commands.arguments import Run


def score_gatemem(
    data: Annotated[
        Path,
        typer.Option(metavar="DIR", envvar="COMEM_DATA", help="Directory of the benchmark's data."),
    ],
    predictions: Annotated[
        Path, typer.Option(metavar="FILE", help="Predictions, a JSON object a line.")
    ],
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Where scores.jsonl and summary.json go.")
    ],
    scoring: Annotated[
        str, typer.Option(metavar="MODE", help="paper, release-ungated or release-gated.")
    ] = "paper",
) -> None:
    """Score predictions in the release's format by the rule judge."""
    from pytest_comem.datasets.gatemem import load
    from pytest_comem.datasets.gatemem_predictions import read_predictions
    from pytest_comem.metrics.predictions import parse_scoring, score_predictions
    from pytest_comem.report.predictions import print_summary, write_scores

    mode = parse_scoring(scoring)
    scored = score_predictions(load(data), read_predictions(predictions), mode)
    write_scores(scored, out, predictions=predictions)
    print_summary(scored.summary)
    typer.echo(f"written: {out / 'scores.jsonl'}, {out / 'summary.json'}")


def export_gatemem(
    run: Run,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Where to; predictions.jsonl in the run when not given. A run of several systems "
            "or models becomes one file each, with '-SYSTEM-MODEL' before the suffix.",
        ),
    ] = None,
) -> None:
    """Write a run's predictions for GateMem's public submission form."""
    from pytest_comem.report.submission import describe, export

    for submission in export(run, out):
        typer.echo(describe(submission))
