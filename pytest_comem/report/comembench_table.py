"""CoMemBench's part of a scorecard: metrics with their denominators, strata, tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.core.printable import printable
from pytest_comem.core.workflow_measures import PURPOSES
from pytest_comem.metrics.comembench import (
    BLANK,
    LEAST_PAIRS,
    Ratio,
    WorkflowFigures,
    WorkflowRow,
    workflow_rows,
)
from pytest_comem.metrics.workflow_plays import WorkflowSheet
from pytest_comem.report.tables import indented, new_table

LEGEND: Final = (
    "CoMemBench, percent, more is better; n: what each is a share of. SR: clean instances whose "
    "last node is verified; VNCR: verified nodes of an instance, mean; VHS: eligible consumers "
    "that got and used their inputs; ICS: pairs whose target still succeeds with one more artifact "
    f"about; {BLANK}: fewer than {LEAST_PAIRS} pairs, or nothing, stand behind it."
)
TOKENS: Final = "tokens of an instance (words where no model counted): p90 is the 90th percentile."
_STRATA: Final[Mapping[str, Callable[[WorkflowRow], Mapping[str, WorkflowFigures]]]] = {
    "domain": lambda row: row.domains,
    "topology": lambda row: row.topologies,
    "operator": lambda row: row.operators,
}


def workflow_parts(sheet: WorkflowSheet, *, strata: bool) -> Iterator[RenderableType]:
    """Yield what a scorecard shows of CoMemBench, from top to bottom.

    :param strata: whether topologies and operators are shown beside the domains.
    """
    rows = workflow_rows(sheet)
    shown = list(_STRATA) if strata else ["domain"]
    yield _metrics(rows, shown)
    yield Text(LEGEND, style="dim")
    yield _tokens(rows)
    yield Text(TOKENS, style="dim")
    if broken := sum(row.overall.broken for row in rows.values()):
        yield Text(f"{broken} instances broke off through no fault of a memory; they count nowhere")
    for family in sheet.quarantined:
        yield Text(f"{printable(family)} has a defect of its own and is scored for nobody")


def _metrics(rows: Mapping[tuple[str, str], WorkflowRow], strata: list[str]) -> Table:
    heads = (head for name in ("SR", "VNCR", "VHS", "ICS") for head in (name, "n"))
    table = new_table("system / stratum", *heads)
    for (system, model), row in rows.items():
        name = _name(system, model, rows)
        table.add_row(Text(name, style="bold"), *_cells(row.overall), style="bold")
        for kind in strata:
            for stratum, figures in sorted(_STRATA[kind](row).items()):
                table.add_row(indented(printable(stratum)), *_cells(figures))
    return table


def _cells(figures: WorkflowFigures) -> Iterator[str]:
    for ratio in (figures.SR, figures.VNCR, figures.VHS, figures.ICS):
        yield from _cell(ratio)


def _cell(ratio: Ratio) -> tuple[str, str]:
    return str(ratio), str(ratio.of)


def _tokens(rows: Mapping[tuple[str, str], WorkflowRow]) -> Table:
    uses = [use for use in PURPOSES if _used(rows, use)]
    heads = (use.split("_")[0] for use in uses)
    table = new_table("tokens", "mean", "median", "p90", "per success", *heads)
    for (system, model), row in rows.items():
        tokens = row.overall.tokens
        each = (tokens.mean, tokens.median, tokens.p90, tokens.per_success)
        count = max(tokens.instances, 1)
        means = (tokens.by_purpose.get(use, 0) / count for use in uses)
        table.add_row(Text(_name(system, model, rows)), *map(_number, (*each, *means)))
    return table


def _used(rows: Mapping[tuple[str, str], WorkflowRow], use: str) -> bool:
    return any(row.overall.tokens.by_purpose.get(use) for row in rows.values())


def _number(value: float | None) -> str:
    return BLANK if value is None else f"{value:,.0f}"


def _name(system: str, model: str, rows: Mapping[tuple[str, str], WorkflowRow]) -> str:
    several = len({model for _, model in rows}) > 1
    return printable(f"{system} with {model}" if several else system)
