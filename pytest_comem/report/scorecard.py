"""The scorecard: rows are systems and domains, columns the paper's metrics.

It is drawn with rich into text of the terminal's width, so that it reads the same on a terminal,
in a CI log and at 80 columns.
"""

from __future__ import annotations

import io
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from rich.console import Console, RenderableType
from rich.text import Text

from pytest_comem.contract.tally import ContractTally
from pytest_comem.core.notices import BROKEN
from pytest_comem.core.printable import printable
from pytest_comem.engine.records import read_outcomes
from pytest_comem.engine.rundir import read_manifest
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.report import costs, scores
from pytest_comem.report.comembench_table import workflow_parts
from pytest_comem.report.office_table import task_parts
from pytest_comem.report.paper import Conditions, PaperRows, paper_rows
from pytest_comem.report.paper_table import paper_parts
from pytest_comem.report.tables import console_on
from pytest_comem.report.workflow_blocks import excluded_families
from pytest_comem.report.workflow_commands import without_commands
from pytest_comem.settings import Settings

#: Where the manifest's summary keeps what the run's model calls came to.
CALLS: Final = "calls"
_MAX_UNSCORED: Final = 5
_STEP: Final = re.compile(r"^step \S+, ")
#: Why steps are unscored that come after the end of a run that was ended early.
NOT_ASKED: Final = "the run was ended before they were asked"


def write_scorecard(
    reporter: Any,
    sheet: Sheet,
    *,
    unscored: Mapping[str, str],
    run: Path,
    settings: Settings,
    statistics: Mapping[str, Any] | None = None,
    ended: str | None = None,
    paper: PaperRows | None = None,
) -> None:
    """Write the scorecard through pytest's terminal reporter.

    :param statistics: what the run's model calls came to, as ``CallStatistics.as_json`` gives it.
    :param ended: why the run was ended early, or ``None``.
    :param paper: rows of a paper to be shown below the run's.
    """
    reporter.write_sep("=", _title(sheet))
    text = render(
        sheet,
        unscored=unscored,
        scoring=settings.scoring,
        width=reporter._tw.fullwidth,
        color=reporter.hasmarkup,
        attacks=reporter.config.get_verbosity() > 0,
        statistics=statistics or {},
        ended=ended,
        paper=paper,
    )
    for line in without_commands(text).splitlines():
        reporter.write_line(line)
    reporter.write_line(f"run: {_shown(run, reporter.config.invocation_params.dir)}")


def print_run(run: Path, *, reference: bool = False) -> None:
    """Print a run directory's tables again, with the breakdown by attack type.

    :param reference: whether the papers' rows stand below the run's.
    :raises DataError: where the directory holds no readable run.
    """
    manifest = read_manifest(run if run.is_dir() else run.parent)
    finished = _mapping(manifest.get("finished"))
    sheet = Sheet(_repeats_in(manifest))
    scoring = "paper"
    for outcome in read_outcomes(run):
        sheet.add(outcome, outcome.step.label)
        scoring = outcome.scoring
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
            statistics=_mapping(finished.get(CALLS)),
            ended=finished.get("ended"),
            paper=paper_rows(Conditions.of(read_outcomes(run))) if reference else None,
        )
        sys.stdout.write(text)
    for family, why in excluded_families(manifest).items():
        sys.stdout.write(printable(f"{family} was left out: {why}") + "\n")
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
    statistics: Mapping[str, Any] | None = None,
    ended: str | None = None,
    paper: PaperRows | None = None,
) -> str:
    """Return the scorecard as text.

    A run in which nothing was scored has no table of metrics: dashes look like results.

    :param unscored: why steps have no verdict, by node id.
    :param width: columns to fill at most.
    :param color: whether to use terminal colours.
    :param attacks: whether to add the breakdown by attack type, and the interval of every row.
    :param statistics: what the run's model calls came to, as ``CallStatistics.as_json`` gives it.
    :param ended: why the run was ended early, or ``None``.
    :param paper: rows of a paper to be shown below the run's.
    """
    out = io.StringIO()
    console = console_on(out, width, color=color)
    if any(system.overall.scored for _, system in sheet):
        _print_scores(console, sheet, scoring, every_interval=attacks)
    if not sheet.scored:
        console.print(Text(_nothing_scored(sheet, unscored, ended), style="bold"))
    for part in _other_parts(sheet, console, strata=attacks) if sheet.scored else ():
        console.print(part)
    for part in paper_parts(paper) if paper else ():
        console.print(part)
    if (table := costs.cost_table(sheet)) is not None:
        console.print(table)
        console.print(Text(costs.LEGEND, style="dim"))
    for line in costs.call_lines(statistics or {}):
        console.print(line)
    if attacks and any(system.attacks for _, system in sheet):
        for table in scores.attack_tables(sheet, console.width):
            console.print(table)
    for (name, _), system in sheet:
        if system.reference:
            console.print(f"{name} sees the hidden annotations: it checks the harness, no memory.")
    for line in _probe_lines(sheet):
        console.print(Text(line, style="yellow"))
    _print_unscored(console, unscored)
    if ended and sheet.scored:
        console.print(Text(f"The run was ended early: {ended}", style="bold"))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _title(sheet: Sheet) -> str:
    """Return what stands above the tables: the benchmarks that they are of."""
    has = {
        "GateMem": any(sheet),
        "CoMemBench": bool(sheet.workflows),
        "ContextWeave": bool(sheet.tasks),
    }
    *others, last = [name for name, there in has.items() if there] or ["GateMem"]
    return f"{', '.join(others)} and {last} scorecard" if others else f"{last} scorecard"


def _other_parts(sheet: Sheet, console: Console, *, strata: bool) -> Iterator[RenderableType]:
    """Yield the tables of the benchmarks that have rows of their own."""
    if sheet.workflows:
        yield from workflow_parts(sheet.workflows, console, strata=strata)
    if sheet.tasks:
        yield from task_parts(sheet.tasks, console, strata=strata)


def _probe_lines(sheet: Sheet) -> Iterator[str]:
    """Yield which memories seem to have lost what they were told last, a line each."""
    for row, system in sheet:
        name, of = scores.plain_name_of(row, sheet), f"of {len(system.probed)} episodes"
        if system.lost:
            yield (
                f"{name}: in {len(system.lost)} {of} nothing of the last entries was recallable "
                "after they were told; it may have lost them unseen"
            )
        if system.unanswered:
            yield f"{name}: in {len(system.unanswered)} {of} {BROKEN}; outcomes say why"


def _print_scores(console: Console, sheet: Sheet, scoring: str, *, every_interval: bool) -> None:
    for table in scores.metric_tables(sheet, console, every=every_interval):
        console.print(table)
    console.print(Text(scores.legend(sheet, scoring), style="dim"))
    if sheet.repeats > 1:
        console.print(scores.repeats_table(sheet))
        console.print(Text(scores.repeats_legend(sheet), style="dim"))
    console.print(costs.step_table(sheet))


def _nothing_scored(sheet: Sheet, unscored: Mapping[str, str], ended: str | None) -> str:
    """Return why there are no metrics: the most frequent reason, and how often it is one."""
    if ended:
        return f"No step was scored. The run was ended early: {ended}"
    reasons = Counter(map(without_step, unscored.values() or sheet.reasons().elements()))
    if not reasons:
        return "No step was scored, because none was recorded."
    reason, count = reasons.most_common(1)[0]
    steps = "step" if reasons.total() == 1 else "steps"
    return f"No step was scored. For {count} of {reasons.total()} {steps}: {reason}"


def _print_unscored(console: Console, unscored: Mapping[str, str]) -> None:
    if not unscored:
        return
    console.print(f"{len(unscored)} steps are unscored and count neither way:", style="yellow")
    by_reason: dict[str, list[str]] = {}
    for node_id, reason in unscored.items():
        by_reason.setdefault(without_step(reason), []).append(node_id)
    for reason, node_ids in list(by_reason.items())[:_MAX_UNSCORED]:
        console.print(Text(f"  {len(node_ids)} because: {reason}"))
        if reason == NOT_ASKED:
            continue
        for node_id in node_ids[:_MAX_UNSCORED]:
            console.print(Text(f"    {node_id}"), soft_wrap=True)
        if len(node_ids) > _MAX_UNSCORED:
            console.print(f"    and {len(node_ids) - _MAX_UNSCORED} more (manifest.json has all)")
    if len(by_reason) > _MAX_UNSCORED:
        console.print(f"  and {len(by_reason) - _MAX_UNSCORED} more reasons (manifest.json)")


def without_step(reason: str) -> str:
    """Return *reason* without the step it begins with, so that equal trouble is told once."""
    return _STEP.sub("", reason)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _repeats_in(manifest: Mapping[str, Any]) -> int:
    found = _mapping(manifest.get("settings")).get("repeats")
    return found if isinstance(found, int) and found > 0 else 1


def _shown(path: Path, base: Path) -> str:
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
