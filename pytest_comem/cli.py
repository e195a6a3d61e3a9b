"""The ``comem`` command: data, scoring of others' predictions, export, and reports on runs.

Commands only parse and call; what they need is imported inside them, so that ``comem --help`` is
quick.
"""

from __future__ import annotations

import codecs
import io
import sys
from typing import Annotated, Any, Final, final

import typer
from typer.core import TyperGroup

from pytest_comem import __version__
from pytest_comem.commands import (
    build,
    certify,
    certify_contextweave,
    ci,
    compare,
    data,
    gate,
    predictions,
    reports,
    runs,
    sandbox,
    systems,
    tools,
    traces,
)
from pytest_comem.core.printable import printable
from pytest_comem.errors import ComemError

_LINE_END: Final = "\n"
#: Rules of tables and dashes.
_DASHES: Final = "─–—"  # noqa: RUF001


@final
class _Group(TyperGroup):
    """The top-level group: an error raised on purpose is one message and exit status 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except ComemError as error:
            typer.echo(f"comem: {printable(str(error), keep=_LINE_END)}", err=True)
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
_build = _new("Make material for a benchmark from your own work.")
_certify = _new("Hold the material of a benchmark against what it promises.")
_sandbox = _new("Where programs run that nobody trusts.")
_tools = _new("MCP servers for CoMemBench's tools domain.")

app.add_typer(_data, name="data")
_data.add_typer(_fetch, name="fetch")
app.add_typer(_score, name="score")
app.add_typer(_export, name="export")
app.add_typer(_sandbox, name="sandbox")
app.add_typer(_tools, name="tools")
app.add_typer(_build, name="build")
app.add_typer(_certify, name="certify")

_fetch.command("gatemem")(data.fetch_gatemem)
_score.command("gatemem")(predictions.score_gatemem)
_export.command("gatemem")(predictions.export_gatemem)
app.command("report")(reports.report)
app.command("compare")(compare.compare)
app.command("ci")(ci.ci)
app.command("baseline")(gate.baseline)
app.command("gate")(gate.gate)
app.command("merge")(runs.merge)
app.command("judge-agreement")(reports.judge_agreement)
app.command("doctor")(systems.doctor)
_build.command("contextweave")(build.build_contextweave)
_certify.command("comembench")(certify.certify_comembench)
_certify.command("contextweave")(certify_contextweave.certify_contextweave)
app.command("replay")(traces.replay)
_sandbox.command("check")(sandbox.check)
_sandbox.command("build")(sandbox.build)
_tools.command("list")(tools.list_servers)
_tools.command("install")(tools.install)
_tools.command("check")(tools.check)
app.command("clean")(runs.clean)


def _shown_otherwise(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    shown = missing.encode("ascii", "backslashreplace").decode()
    for dash in _DASHES:
        shown = shown.replace(ascii(dash)[1:-1], "-")
    return shown, error.end


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


def main() -> None:
    """Run the ``comem`` command.

    What the terminal's encoding has no form for is shown as an escape, or as ``-`` in lines.
    """
    codecs.register_error("comem", _shown_otherwise)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="comem")
    app(prog_name="comem")
