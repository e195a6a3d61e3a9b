"""The ``comem`` command: data, scoring of others' predictions, export, and reports on runs.

Commands only parse and call; what they need is imported inside them, so that ``comem --help`` is
quick.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, final

import typer
from typer.core import TyperGroup

from pytest_comem import __version__
from pytest_comem.errors import ComemError


@final
class _Group(TyperGroup):
    """The top-level group: an error raised on purpose is one message and exit status 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ComemError as error:
            typer.echo(f"comem: {error}", err=True)
            raise typer.Exit(2) from None


def _new(summary: str, **options: Any) -> typer.Typer:
    return typer.Typer(
        help=summary,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        **options,
    )


app = _new("Agent-memory benchmarks: data, scores, reports.", cls=_Group, add_completion=False)
_data = _new("Get benchmark data.")
_fetch = _new("Download the released files of a benchmark.")
_score = _new("Score predictions that another harness has made.")
_export = _new("Write a run's predictions in a benchmark's own format.")

app.add_typer(_data, name="data")
_data.add_typer(_fetch, name="fetch")
app.add_typer(_score, name="score")
app.add_typer(_export, name="export")

Run = Annotated[
    Path, typer.Argument(metavar="RUN", help="A run directory, such as .comem/runs/latest.")
]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"comem {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Agent-memory benchmarks: data, scores, reports."""


@_fetch.command("gatemem")
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


@_score.command("gatemem")
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


@_export.command("gatemem")
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


@app.command("report")
def report(run: Run) -> None:
    """Print a run's scorecard again."""
    from pytest_comem.report.scorecard import print_run

    print_run(run)


@app.command("merge")
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


@app.command("judge-agreement")
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


@app.command("doctor")
def doctor(
    systems: Annotated[
        str, typer.Argument(metavar="SYSTEMS", help="Names as for --memory-system, such as mem0.")
    ],
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM.KEY=VALUE", help="As --memory-option; several times."),
    ] = None,
    top_k: Annotated[str, typer.Option(metavar="N", help="As --comem-top-k.")] = "20",
    embedder: Annotated[str, typer.Option(metavar="NAME", help="As --comem-embedder.")] = "hash",
    memory_model: Annotated[
        str, typer.Option(metavar="NAME", help="As --comem-memory-model.")
    ] = "scripted",
    memory_api_base: Annotated[
        str, typer.Option(metavar="URL", help="As --comem-memory-api-base.")
    ] = "",
) -> None:
    """Show a memory system's effective configuration and try it on a handful of entries.

    Exit status 1 where something is not as it should be.
    """
    from pytest_comem.consultation import consult

    healthy = consult(
        systems,
        options=tuple(option or ()),
        top_k=top_k,
        embedder=embedder,
        memory_model=memory_model,
        memory_api_base=memory_api_base,
        say=typer.echo,
    )
    if not healthy:
        raise typer.Exit(1)


def main() -> None:
    """Run the ``comem`` command."""
    app(prog_name="comem")
