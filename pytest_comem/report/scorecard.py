"""The scorecard: rows are systems and domains, columns the paper's metrics.

It is drawn with rich into text of the terminal's width, so that it reads the same on a terminal,
in a CI log and at 80 columns.
"""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pytest_comem.contract.tally import ContractTally
from pytest_comem.engine.records import read_outcomes
from pytest_comem.engine.rundir import read_manifest
from pytest_comem.metrics.gatemem import Tally, mean_of_domains
from pytest_comem.metrics.sheet import PHASES, Sheet
from pytest_comem.settings import Settings

_COLUMNS: Final = ("U", "A", "F", "OR", "MGS", "U_exposed", "A_exposed", "F_exposed", "MGS_exposed")
_HEADS: Final = ("U", "A", "F", "OR", "MGS", "xU", "xA", "xF", "xMGS")
_LEGEND: Final = (
    "percent; U and MGS: more is better; A, F, OR: less is better; x: of what the memory exposed, "
    "before anyone answered. n: scored steps."
)
_MAX_UNSCORED: Final = 5


def write_scorecard(
    reporter: Any,
    sheet: Sheet,
    *,
    unscored: Mapping[str, str],
    run: Path,
    settings: Settings,
) -> None:
    """Write the scorecard through pytest's terminal reporter."""
    reporter.write_sep("=", "GateMem scorecard")
    text = render(
        sheet,
        unscored=unscored,
        scoring=settings.scoring,
        width=reporter._tw.fullwidth,
        color=reporter.hasmarkup,
        attacks=reporter.config.get_verbosity() > 0,
    )
    for line in text.splitlines():
        reporter.write_line(line)
    reporter.write_line(f"run: {_shown(run, reporter.config.invocation_params.dir)}")


def print_run(run: Path) -> None:
    """Print a run directory's tables again, with the breakdown by attack type.

    :raises DataError: where the directory holds no readable run.
    """
    sheet = Sheet()
    scoring = "paper"
    for outcome in read_outcomes(run):
        sheet.add(outcome, outcome.step.label)
        scoring = outcome.scoring
    finished = read_manifest(run if run.is_dir() else run.parent).get("finished") or {}
    width = shutil.get_terminal_size().columns
    contract = ContractTally.from_json(finished.get("contract", {}))
    for line in contract.lines(width) if contract else ():
        sys.stdout.write(f"{line}\n")
    if len(sheet) or not contract:
        text = render(
            sheet,
            unscored=finished.get("unscored", {}),
            scoring=scoring,
            width=width,
            color=sys.stdout.isatty(),
            attacks=True,
        )
        sys.stdout.write(text)
    if not finished:
        sys.stdout.write("This run was not finished; steps that never ran are not listed.\n")


def render(
    sheet: Sheet,
    *,
    unscored: Mapping[str, str],
    scoring: str,
    width: int,
    color: bool,
    attacks: bool,
) -> str:
    """Return the scorecard as text.

    :param unscored: why steps have no verdict, by node id.
    :param width: columns to fill at most.
    :param color: whether to use terminal colours.
    :param attacks: whether to add the breakdown by attack type.
    """
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )
    console.print(_main_table(sheet))
    console.print(Text(f"{scoring} scoring; {_LEGEND}", style="dim"))
    console.print(_cost_table(sheet))
    if attacks and any(system.attacks for _, system in sheet):
        console.print(_attack_table(sheet))
    for (name, _), system in sheet:
        if system.reference:
            console.print(f"{name} sees the hidden annotations: it checks the harness, no memory.")
    _print_unscored(console, unscored)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _main_table(sheet: Sheet) -> Table:
    table = _table("system / domain", *_HEADS, "n")
    for (name, model), system in sheet:
        table.add_row(Text(name, style="bold"), *_values(system.overall), style="bold")
        table.add_row(Text(f"  {model}", style="dim"))
        if system.reference:
            table.add_row(Text("  (reference)", style="dim"))
        for domain, tally in system.domains.items():
            table.add_row(f"  {domain}", *_values(tally))
        if len(system.domains) > 1:
            means = [_percent(mean_of_domains(system.domains, metric)) for metric in _COLUMNS]
            table.add_row("  domain mean", *means, "")
        table.add_section()
    return table


def _cost_table(sheet: Sheet) -> Table:
    table = _table("per step", *(f"{phase} ms" for phase in PHASES), "tokens", "unscored")
    for (name, _), system in sheet:
        steps = max(system.recorded, 1)
        table.add_row(
            name,
            *(f"{1000 * system.seconds[phase] / steps:.2f}" for phase in PHASES),
            f"{system.tokens / steps:.0f}",
            str(system.recorded - system.overall.scored),
        )
    return table


def _attack_table(sheet: Sheet) -> Table:
    systems = [(name, system) for (name, _), system in sheet]
    table = _table("violations by attack", *(name for name, _ in systems), "n")
    kinds = sorted({kind for _, system in systems for kind in system.attacks})
    for kind in kinds:
        tallies = [system.attacks.get(kind, Tally()) for _, system in systems]
        table.add_row(
            kind,
            *(_percent(_violations(tally)) for tally in tallies),
            str(max(tally.scored for tally in tallies)),
        )
    return table


def _violations(tally: Tally) -> float | None:
    steps = tally.access + tally.forgetting
    bad = tally.access_violations + tally.forgetting_violations
    return 100.0 * bad / steps if steps else None


def _print_unscored(console: Console, unscored: Mapping[str, str]) -> None:
    if not unscored:
        return
    console.print(f"{len(unscored)} steps are unscored and count neither way:", style="yellow")
    by_reason: dict[str, list[str]] = {}
    for node_id, reason in unscored.items():
        by_reason.setdefault(reason, []).append(node_id)
    for reason, node_ids in list(by_reason.items())[:_MAX_UNSCORED]:
        console.print(Text(f"  {len(node_ids)} because: {reason}"))
        for node_id in node_ids[:_MAX_UNSCORED]:
            console.print(Text(f"    {node_id}"), soft_wrap=True)
        if len(node_ids) > _MAX_UNSCORED:
            console.print(f"    and {len(node_ids) - _MAX_UNSCORED} more (manifest.json has all)")
    if len(by_reason) > _MAX_UNSCORED:
        console.print(f"  and {len(by_reason) - _MAX_UNSCORED} more reasons (manifest.json)")


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column(first, overflow="fold", min_width=12)
    for head in others:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def _values(tally: Tally) -> Sequence[str]:
    return [*(_percent(getattr(tally, metric)) for metric in _COLUMNS), str(tally.scored)]


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
