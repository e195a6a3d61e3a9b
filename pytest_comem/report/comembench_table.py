"""CoMemBench's part of a scorecard: metrics with their denominators, strata, tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.core.printable import printable
from pytest_comem.core.workflow_measures import PURPOSES
from pytest_comem.metrics.comembench import (
    BLANK,
    LEAST_PAIRS,
    SHARES,
    Ratio,
    WorkflowFigures,
    WorkflowRow,
    workflow_rows,
)
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.workflow_plays import WorkflowSheet
from pytest_comem.report.interval_rows import WIDE
from pytest_comem.report.tables import indented, new_table
from pytest_comem.report.trade_off import (
    HEADING,
    ISOLATION,
    sharing_metric,
    sharing_plane,
    trade_offs,
)
from pytest_comem.report.trade_off import LEGEND as TRADE_OFF

LEGEND: Final = (
    "percent, more is better. SR: clean instances whose last node is verified; VNCR: "
    "verified nodes of an instance, mean over n; VHS: eligible consumers that got and used their "
    "inputs; ICS: pairs whose target still succeeds with one more artifact about; "
    f"{BLANK}: fewer than {LEAST_PAIRS} pairs, or nothing, stand behind it. 95 %: interval over "
    "the families that might have been played instead (Wilson's)."
)
TOKENS: Final = (
    "tokens of an instance (words where no model counted); p90: ninetieth percentile; per success: "
    "all of them for one instance whose last node is verified; by purpose: mean."
)
#: Names that a list of what counts nowhere has, at most.
_MOST: Final = 5
#: Rows by memory system and model.
_Rows: TypeAlias = Mapping[tuple[str, str], WorkflowRow]


def workflow_parts(
    sheet: WorkflowSheet, console: Console, *, strata: bool
) -> Iterator[RenderableType]:
    """Yield what a scorecard shows of CoMemBench, from top to bottom.

    :param strata: whether topologies and operators are shown beside the domains, and the interval
        of every row; on a wide terminal every row has it anyway.
    """
    rows = workflow_rows(sheet)
    wide = console.width >= WIDE
    yield _metrics(rows, strata=strata, wide=wide)
    yield Text(f"{_handoff(sheet)} {LEGEND}{_repeats(sheet)}", style="dim")
    if len(rows) > 1 and (table := _trade_off(sheet, rows)) is not None:
        yield table
        yield Text(TRADE_OFF, style="dim")
    yield _tokens(rows)
    yield Text(TOKENS, style="dim")
    yield from _left_out(sheet, rows)


def _handoff(sheet: WorkflowSheet) -> str:
    if sheet.handoff == "memory":
        return "CoMemBench, inputs delivered by the memory alone;"
    return "CoMemBench, declared inputs delivered by the harness;"


def _repeats(sheet: WorkflowSheet) -> str:
    if sheet.repeats == 1:
        return ""
    return f" Of {sheet.repeats} repeats: their mean, k and n summed; pairs are counted once."


def _metrics(rows: _Rows, *, strata: bool, wide: bool) -> Table:
    heads = (head for name in SHARES for head in (name, "n" if name == "VNCR" else "k/n"))
    table = new_table("system / stratum", *heads)
    for (system, model), row in rows.items():
        name = _name(system, model, rows)
        table.add_row(Text(name, style="bold"), *_cells(row.overall), style="bold")
        for cells in _interval_rows(row.overall, "  ", wide=wide):
            table.add_row(*cells)
        for kind, parts in row.strata().items():
            if not strata and kind != "domain":
                continue
            if strata:
                table.add_row(indented(f"by {kind}", "dim"))
            for stratum, figures in parts.items():
                table.add_row(indented(printable(stratum)), *_cells(figures))
                if strata or wide:
                    for cells in _interval_rows(figures, "    ", wide=wide):
                        table.add_row(*cells)
        table.add_section()
    return table


def _cells(figures: WorkflowFigures) -> Iterator[str]:
    for name in SHARES:
        ratio = figures.ratio(name)
        yield from (str(ratio), _behind(name, ratio))


def _behind(name: str, ratio: Ratio) -> str:
    """Return what a share is of; that of a mean has no numerator."""
    return str(ratio.of) if name == "VNCR" else f"{ratio.count:.0f}/{ratio.of}"


def _interval_rows(
    figures: WorkflowFigures, indent: str, *, wide: bool
) -> Iterator[list[RenderableType]]:
    """Yield the interval of a row's values: in one line, or in two, which are narrower."""
    found = measure(figures.sample)
    if not found.keys() & set(SHARES):
        return
    if wide:
        yield _dim(f"{indent}95 %", [_both(found.get(name)) for name in SHARES])
    else:
        known = [found.get(name) for name in SHARES]
        yield _dim(f"{indent}95 % from", [f"{one.low:.1f}" if one else "" for one in known])
        yield _dim(f"{indent}       to", [f"{one.high:.1f}" if one else "" for one in known])


def _dim(name: str, values: Sequence[str]) -> list[RenderableType]:
    cells = (cell for value in values for cell in (value, ""))
    return [Text(name, style="dim"), *(Text(cell, style="dim") for cell in cells)]


def _both(found: Measured | None) -> str:
    return "" if found is None else f"{found.low:.1f}-{found.high:.1f}"


def _trade_off(sheet: WorkflowSheet, rows: _Rows) -> Table | None:
    """Return each system's place between sharing and isolation; nothing where none has one."""
    found = trade_offs(
        [(_name(*name, rows), measure(row.overall.sample)) for name, row in rows.items()],
        sharing_plane(sheet.handoff),
    )
    if all(one.ahead is None for one in found):
        return None
    table = new_table(HEADING, sharing_metric(sheet.handoff), "95 %", ISOLATION, "95 %", "ahead")
    for one in found:
        ahead = {True: "yes", False: "no", None: BLANK}[one.ahead]
        table.add_row(Text(one.name), *_place(one.across), *_place(one.up), ahead)
    return table


def _place(found: Measured | None) -> tuple[str, str]:
    return (BLANK, "") if found is None else (f"{found.value:.1f}", _both(found))


def _tokens(rows: _Rows) -> Table:
    uses = [use for use in PURPOSES if _used(rows, use)]
    heads = (use.split("_")[0] for use in uses)
    table = new_table("tokens", "mean", "median", "p90", "per success", *heads)
    for (system, model), row in rows.items():
        tokens = row.overall.tokens
        each = (tokens.mean, tokens.median, tokens.p90, tokens.per_success)
        means = (
            tokens.by_purpose.get(use, 0) / tokens.instances if tokens.instances else None
            for use in uses
        )
        table.add_row(Text(_name(system, model, rows)), *map(_number, (*each, *means)))
    return table


def _used(rows: _Rows, use: str) -> bool:
    return any(row.overall.tokens.by_purpose.get(use) for row in rows.values())


def _number(value: float | None) -> str:
    return BLANK if value is None else f"{value:,.0f}"


def _left_out(sheet: WorkflowSheet, rows: _Rows) -> Iterator[RenderableType]:
    """Yield which instances broke off and which families have a defect, with the reasons."""
    for (system, model), row in rows.items():
        if broken := row.overall.broken:
            instances = "1 instance" if len(broken) == 1 else f"{len(broken)} instances"
            yield Text(
                f"{_name(system, model, rows)}: {instances} broke off through no fault of the "
                "memory; what they have no verdict on counts nowhere:"
            )
            yield from _listed(broken)
    if sheet.quarantined:
        yield Text("in quarantine, for a defect of their own, and scored for nobody:")
        yield from _listed(sheet.quarantined)


def _listed(found: Mapping[str, str]) -> Iterator[Text]:
    for name, why in list(found.items())[:_MOST]:
        yield Text(f"  {printable(name)}: {printable(why)}")
    if len(found) > _MOST:
        yield Text(f"  and {len(found) - _MOST} more (manifest.json has all)")


def _name(system: str, model: str, rows: _Rows) -> str:
    several = len({model for _, model in rows}) > 1
    return printable(f"{system} with {model}" if several else system)
