"""ContextWeave's part of a run as blocks: scores, diagnostics, strata, recalled tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import Row
from pytest_comem.metrics.contextweave import DIVISIONS, TaskSheet
from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
from pytest_comem.metrics.contextweave_infos import MAIN
from pytest_comem.report.blocks import (
    MOST_ITEMS,
    Block,
    Grid,
    Paragraph,
    Span,
    Verbatim,
    listing,
)
from pytest_comem.report.office_paper import PAPER_METRICS, OfficePaper
from pytest_comem.report.office_rows import (
    DIAGNOSTICS,
    INTERVALS,
    MAIN_LEGEND,
    STRATA,
    TRADE_OFF,
    TRADE_OFF_LEGEND,
    OfficeRow,
    diagnostic_legend,
    divides,
    head,
    known,
    limits,
    number,
    office_rows,
    paper_number,
    placed,
    strata_names,
    uneven_lines,
)
from pytest_comem.report.tables import ABSENT

#: Scores that stand against recalled tokens.
_SCORES: Final = ("Workspace", "Preference")


def office_blocks(rows: Mapping[Row, Sequence[Outcome]], most: int = MOST_ITEMS) -> Iterator[Block]:
    """Yield what is to be shown of a run's ContextWeave rows.

    :param rows: with the outcomes as they were recorded.
    :param most: items of one listing.
    """
    sheet = TaskSheet(each for outcomes in rows.values() for each in outcomes)
    found = office_rows(sheet, models=True)
    yield _metrics("system", found, known(found, MAIN))
    yield Paragraph((f"{MAIN_LEGEND} {INTERVALS} n: scored tasks.",), quiet=True)
    systems = [row for row in found if not row.alone]
    diagnostics = known(systems, DIAGNOSTICS)
    if diagnostics:
        yield _metrics("diagnostics", systems, diagnostics)
        yield Paragraph((diagnostic_legend(diagnostics),), quiet=True)
    for division in DIVISIONS:
        if divides(found, division):
            yield _strata(found, division)
    yield _trade_off(found)
    yield Paragraph((TRADE_OFF_LEGEND,), quiet=True)
    yield from _left_out(sheet, most)


def paper_blocks(paper: OfficePaper) -> Iterator[Block]:
    """Yield what the paper says, as a table for reference, and what has to be said of it."""
    metrics = [name for name in PAPER_METRICS if any(name in row.values for row in paper.rows)]
    lines: list[tuple[Span, ...]] = [
        (row.told, *(paper_number(name, row.values.get(name)) for name in metrics))
        for row in paper.rows
    ]
    heads = ("ContextWeave's paper", *map(head, metrics))
    yield Grid(heads, tuple(lines), quiet=frozenset(range(len(lines))))
    for note in paper.notes:
        yield Paragraph((note,), quiet=True)


def _metrics(title: str, rows: Sequence[OfficeRow], metrics: Sequence[str]) -> Grid:
    lines: list[tuple[Span, ...]] = [
        (Verbatim(row.name), *(_whole(row, name) for name in metrics), f"{row.row.scored:,}")
        for row in rows
    ]
    strong = frozenset(place for place, row in enumerate(rows) if not row.alone)
    return Grid((title, *map(head, metrics), "n"), tuple(lines), strong=strong)


def _whole(row: OfficeRow, metric: str) -> str:
    """Return a value with its interval and, for a share of problems or tasks, what it is of."""
    found = row.found.get(metric)
    if found is None:
        return ABSENT
    text = f"{number(metric, found.value)} ({limits(metric, found)})"
    if CONTEXTWEAVE.metrics[metric].kind != "proportion":
        return text
    count, of = row.row.overall.behind(metric)
    return f"{text} [{count:,.0f}/{of:,.0f}]"


def _strata(rows: Sequence[OfficeRow], division: str) -> Grid:
    lines: list[tuple[Span, ...]] = []
    for part in strata_names(rows, division):
        for row in rows:
            if (sample := row.row.strata[division].get(part)) is not None:
                values = sample.values()
                cells = (number(name, values.get(name)) for name in STRATA)
                tasks = f"{round(sample.behind('Workspace')[1]):,}"
                lines.append((Verbatim(part), Verbatim(row.name), *cells, tasks))
    return Grid((f"by {division}", "system", *map(head, STRATA), "n"), tuple(lines), names=2)


def _trade_off(rows: Sequence[OfficeRow]) -> Grid:
    lines: list[tuple[Span, ...]] = []
    strong: list[int] = []
    for one in placed(rows):
        if one.ahead:
            strong.append(len(lines))
        cells = (_whole(one.row, name) for name in ("RecallTokens", *_SCORES))
        lines.append((Verbatim(one.row.name), *cells, ", ".join(one.ahead) or ABSENT))
    heads = (TRADE_OFF, "RecallTokens", *map(head, _SCORES), "ahead")
    return Grid(heads, tuple(lines), strong=frozenset(strong))


def _left_out(sheet: TaskSheet, most: int) -> Iterator[Block]:
    for name, told in uneven_lines(sheet):
        yield Paragraph((Verbatim(name), f"{told}."))
    if sheet.quarantined:
        count = len(sheet.quarantined)
        tasks = "1 task" if count == 1 else f"{count:,} tasks"
        title = f"{tasks} in quarantine, for a defect of the benchmark; scored for nobody:"
        items: list[tuple[Span, ...]] = [
            (Verbatim(name), ": ", Verbatim(why)) for name, why in sheet.quarantined.items()
        ]
        yield listing((title,), items, most)
