"""ContextWeave's rows as every form of a report shows them: names, heads, numbers, places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.metrics.contextweave import NO_RECALL, TaskRow, TaskSheet
from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
from pytest_comem.metrics.contextweave_infos import MAIN
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.report.blocks import amount, figure
from pytest_comem.report.trade_off import CONTEXT, trade_offs

#: Metrics that say why the others are what they are.
DIAGNOSTICS: Final = tuple(name for name in CONTEXTWEAVE.metrics if name not in MAIN)
#: Those of a stratum.
STRATA: Final = tuple(name for name in MAIN if name != "RecallTokens")
#: Resamples for the interval of a stratum: there are dozens of them, and no rule goes by them.
STRATUM_RESAMPLES: Final = 2_000
TRADE_OFF: Final = "score and recalled tokens"
#: What the trade-off's words mean.
TRADE_OFF_LEGEND: Final = (
    "ahead: no other row scores as much for as few recalled tokens and is better at one of the two."
)
MAIN_LEGEND: Final = (
    "Workspace and Preference: mean scores, 0 to 100; Win: percent of tasks whose run with recall "
    "is preferred, where anything was recalled; dWorkspace, dPreference: gain over the same tasks "
    "without recall; RecallTokens: of a task, mean. \N{UPWARDS ARROW} more is better, "
    "\N{DOWNWARDS ARROW} less is better."
)
INTERVALS: Final = (
    "95 %: interval over the tasks that these participants might have been given instead; of other "
    "participants it says nothing."
)


@final
@dataclass(frozen=True, slots=True)
class OfficeRow:
    """A memory system with a model, or the runs of a model without recall.

    :param name: as it is shown.
    :param row: what was counted.
    :param found: its metrics with their intervals.
    :param alone: it is the row without recall.
    """

    name: str
    system: str
    model: str
    row: TaskRow
    found: Mapping[str, Measured]
    alone: bool = False


def office_rows(sheet: TaskSheet, *, models: bool = False) -> list[OfficeRow]:
    """Return a run's rows: for each model that without recall, then those of the systems.

    :param models: whether a row is called by its model where there is only one, too.
    """
    systems, alone = sheet.rows(), sheet.without_recall()
    several = models or len(alone) > 1
    found: list[OfficeRow] = []
    for model, row in alone.items():
        found.append(_office_row(NO_RECALL, model, row, several, alone=True))
        found += [
            _office_row(system, model, one, several)
            for (system, of), one in systems.items()
            if of == model
        ]
    return found


def _office_row(
    system: str, model: str, row: TaskRow, several: bool, *, alone: bool = False
) -> OfficeRow:
    name = f"{system} with {model}" if several else system
    reference = " (reference)" if row.reference else ""
    return OfficeRow(f"{name}{reference}", system, model, row, measure(row.overall), alone)


def head(metric: str) -> str:
    """Return a metric's name with an arrow to where it is better."""
    higher = CONTEXTWEAVE.metrics[metric].higher_is_better
    arrow = {True: "\N{UPWARDS ARROW}", False: "\N{DOWNWARDS ARROW}", None: ""}[higher]
    return f"{metric}{arrow}"


def number(metric: str, value: float | None) -> str:
    """Return a metric's value as it is shown; differences have a sign."""
    info = CONTEXTWEAVE.metrics[metric]
    if info.kind == "mean" and info.digits is None:
        return amount(value)
    digits = 1 if info.digits is None else info.digits
    return figure(value, digits, signed=info.signed)


def limits(metric: str, found: Measured) -> str:
    """Return an interval in one piece, where a minus is no dash between two numbers."""
    between = " to " if CONTEXTWEAVE.metrics[metric].signed else "\N{EN DASH}"
    return f"{number(metric, found.low)}{between}{number(metric, found.high)}"


def paper_number(metric: str, value: float | None) -> str:
    """Return a metric's value as the paper writes it, with two digits."""
    return figure(value, 2, signed=CONTEXTWEAVE.metrics[metric].signed)


def known(rows: Sequence[OfficeRow], metrics: Sequence[str]) -> list[str]:
    """Return those of *metrics* that any row has."""
    return [name for name in metrics if any(name in row.found for row in rows)]


def diagnostic_legend(metrics: Sequence[str]) -> str:
    """Return what diagnostics mean, and that ratings need a judge where there are none."""
    told = (f"{name}: {CONTEXTWEAVE.metrics[name].title}" for name in metrics)
    rated = any(name.endswith("Rating") for name in metrics)
    return f"{'; '.join(told)}.{'' if rated else ' Ratings: only with a judge model.'}"


def strata_names(rows: Sequence[OfficeRow], division: str) -> list[str]:
    """Return the parts of a division, in order, whichever row has them."""
    found: dict[str, None] = {}
    for row in rows:
        found |= dict.fromkeys(row.row.strata[division])
    return list(found)


def divides(rows: Sequence[OfficeRow], division: str) -> bool:
    """Whether a division says more than the whole row does."""
    return len(strata_names(rows, division)) > 1


@final
@dataclass(frozen=True, slots=True)
class Placed:
    """A row between what it recalls and what it scores.

    :param ahead: metrics of which no other row has as much for as few tokens.
    """

    row: OfficeRow
    ahead: tuple[str, ...]


def placed(rows: Sequence[OfficeRow]) -> list[Placed]:
    """Return the rows by the tokens that they recall, the fewest first."""
    named = [(row.name, row.found) for row in rows]
    ahead: list[list[str]] = [[] for _ in rows]
    for plane in CONTEXT:
        for place, one in enumerate(trade_offs(named, plane)):
            if one.ahead:
                ahead[place].append(plane.up)
    tokens = [row.found["RecallTokens"].value if "RecallTokens" in row.found else 0 for row in rows]
    order = sorted(range(len(rows)), key=lambda place: tokens[place])
    return [Placed(rows[place], tuple(ahead[place])) for place in order]


def uneven_lines(sheet: TaskSheet) -> Iterator[tuple[str, str]]:
    """Yield the rows that are of fewer tasks than that without recall, with what to know of it."""
    for (system, model), scored, of in sheet.uneven():
        yield (
            f"{system} with {model}",
            f" is scored on {scored:,} of the {of:,} tasks of the row without recall; compare it "
            "with others on the tasks that both have (comem compare)",
        )
