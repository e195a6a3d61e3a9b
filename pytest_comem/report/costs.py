"""The scorecard's tables of time, tokens and money."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.core.notices import PROBE
from pytest_comem.core.outcomes import Usage, plus
from pytest_comem.core.printable import printable
from pytest_comem.metrics.sheet import PHASES, Sheet, SystemSheet
from pytest_comem.report.scores import name_of
from pytest_comem.report.tables import dollars, new_table

LEGEND: Final = (
    "seconds: of the whole phase, summed over steps, many of which run at once; unknown: contains "
    "a price that is not known."
)


def step_table(sheet: Sheet) -> Table:
    """Return what a step takes on average, and how many steps have no verdict or no form."""
    unparsable = any(system.unparsable for _, system in sheet)
    counts = ("unparsable", "unscored") if unparsable else ("unscored",)
    phases = [*PHASES, *([PROBE] if any(system.probed for _, system in sheet) else [])]
    table = new_table("per step", *(f"{phase} ms" for phase in phases), "tokens", *counts)
    for row, system in sheet:
        steps = max(system.recorded, 1)
        table.add_row(
            name_of(row, sheet),
            *(f"{1000 * _seconds(system, phase) / steps:.2f}" for phase in phases),
            f"{system.tokens / steps:.0f}",
            *([str(system.unparsable)] if unparsable else []),
            str(system.unscored),
        )
    return table


def cost_table(sheet: Sheet) -> Table | None:
    """Return what the model calls cost by phase, or ``None`` where none was made."""
    rows = [(name, phases) for name, spent in _spent(sheet) if (phases := list(_phases(spent)))]
    if not rows:
        return None
    table = new_table("model calls", "calls", "tokens", "cost", "seconds", "retries")
    everything = Usage()
    for name, phases in rows:
        table.add_row(name, style="bold")
        total = Usage()
        for phase, usage in phases:
            table.add_row(f"  {phase}", *_cells(usage))
            total = plus(total, usage)
        table.add_row("  total", *_cells(total))
        table.add_section()
        everything = plus(everything, total)
    if len(rows) > 1:
        table.add_row("all", *_cells(everything), style="bold")
    return table


def call_lines(statistics: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the run's calls came to beyond its steps.

    :param statistics: as ``CallStatistics.as_json`` gives them; what is missing is not said.
    """
    if texts := statistics.get("embedded"):
        tokens = statistics.get("embedding_tokens", 0)
        cost = dollars(statistics.get("embedding_cost"))
        yield f"embeddings, shared by all steps: {texts:,} texts, {tokens:,} tokens, {cost}"
    if retries := statistics.get("retries"):
        kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(retries.items()))
        yield f"retries: {sum(retries.values()):,} ({kinds})"
    hits, misses, recorded = (statistics.get(name, 0) for name in ("hits", "misses", "recorded"))
    if hits or misses or recorded:
        yield f"cassette: {hits:,} replayed, {misses:,} not found, {recorded:,} recorded"
    if unreported := statistics.get("unreported"):
        yield f"without the calls of {unreported} workers that died before they could tell"


def _seconds(system: SystemSheet, phase: str) -> float:
    return system.usage.get(phase, Usage()).seconds


def _spent(sheet: Sheet) -> Iterator[tuple[RenderableType, Mapping[str, Usage]]]:
    """Yield the name of every row, and what it cost by phase."""
    for row, system in sheet:
        yield name_of(row, sheet), system.usage
    spent = sheet.tasks.usage()
    several = len({model for _, model in spent}) > 1
    for (name, model), usage in spent.items():
        told = f"{name} with {model}" if several else name
        yield Text(printable(f"{told}, ContextWeave" if any(sheet) else told)), usage


def _phases(spent: Mapping[str, Usage]) -> Iterator[tuple[str, Usage]]:
    """Yield the phases in which models were called; seconds are of the phase, not of the calls."""
    for phase, usage in spent.items():
        if usage.calls:
            yield phase, usage


def _cells(usage: Usage) -> list[str]:
    return [
        f"{usage.calls:,}",
        f"{usage.tokens:,}",
        dollars(usage.cost),
        f"{usage.seconds:,.1f}",
        f"{usage.retries:,}",
    ]
