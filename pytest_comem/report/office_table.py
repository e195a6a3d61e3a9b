"""ContextWeave's part of a scorecard: scores and gains, diagnostics, strata, recalled tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.core.printable import printable
from pytest_comem.metrics.contextweave import DIVISIONS, TaskSheet
from pytest_comem.metrics.contextweave_infos import MAIN
from pytest_comem.report.interval_rows import WIDE
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
    placed,
    strata_names,
    uneven_lines,
)
from pytest_comem.report.tables import ABSENT, indented, new_table

#: Columns that names have at least.
_NAMES: Final = 14
#: The one name that is longer than its numbers, at the head of a narrow column.
_SHORT: Final = {"RecallTokens": "tokens"}
#: Names that a list of what counts nowhere has, at most.
_MOST: Final = 5


def task_parts(sheet: TaskSheet, console: Console, *, strata: bool) -> Iterator[RenderableType]:
    """Yield what a scorecard shows of ContextWeave, from top to bottom.

    :param strata: whether all strata are shown, or participants alone.
    """
    rows = office_rows(sheet)
    wide = console.width >= WIDE
    main, diagnostics = known(rows, MAIN), known(rows, DIAGNOSTICS)
    for names in _fitting(rows, main, console.width - 4, wide=wide):
        yield _metrics("system", rows, names, wide=wide, counted=names[0] == main[0])
    yield Text(f"{_about(sheet)} {MAIN_LEGEND} {INTERVALS}{_repeats(sheet)}", style="dim")
    systems = [row for row in rows if not row.alone]
    for names in _fitting(systems, diagnostics, console.width, wide=wide):
        yield _metrics("diagnostics", systems, names, wide=wide)
    yield Text(diagnostic_legend(diagnostics), style="dim")
    for division in DIVISIONS:
        if (strata or division == "participant") and divides(rows, division):
            yield _strata(rows, division)
    yield _trade_off(rows, wide=wide)
    yield Text(TRADE_OFF_LEGEND, style="dim")
    yield from _left_out(sheet)


def _about(sheet: TaskSheet) -> str:
    return f"ContextWeave, scored by {printable(', '.join(sheet.judges))}; n: scored tasks."


def _repeats(sheet: TaskSheet) -> str:
    if sheet.repeats == 1:
        return ""
    return f" Of {sheet.repeats} repeats: their mean, n summed; a task is drawn with all of them."


def _fitting(
    rows: Sequence[OfficeRow], metrics: Sequence[str], width: int, *, wide: bool
) -> Iterator[list[str]]:
    """Yield the metrics of each table, as many as have room beside the names."""
    found: list[str] = []
    room = width - _NAMES
    for metric in metrics:
        texts = [_SHORT.get(metric, head(metric))]
        for row in rows:
            if (one := row.found.get(metric)) is not None:
                texts.append(number(metric, one.value))
                both = [number(metric, one.low), number(metric, one.high)]
                texts += [limits(metric, one)] if wide else both
        needed = 1 + max(map(cell_len, texts))
        if found and needed > room:
            yield found
            found, room = [], width - _NAMES
        found.append(metric)
        room -= needed
    if found:
        yield found


def _metrics(
    title: str,
    rows: Sequence[OfficeRow],
    metrics: Sequence[str],
    *,
    wide: bool,
    counted: bool = False,
) -> Table:
    heads = [_SHORT.get(name, head(name)) for name in metrics]
    table = new_table(title, *heads, *(["n"] if counted else []))
    for row in rows:
        values = [row.found.get(name) for name in metrics]
        cells = [number(name, one and one.value) for name, one in zip(metrics, values, strict=True)]
        count = [f"{row.row.scored:,}"] if counted else []
        style = "" if row.alone else "bold"
        table.add_row(Text(printable(row.name), style=style), *cells, *count, style=style)
        for line in _intervals(row, metrics, wide=wide):
            table.add_row(*line)
        table.add_section()
    return table


def _intervals(
    row: OfficeRow, metrics: Sequence[str], *, wide: bool
) -> Iterator[list[RenderableType]]:
    """Yield a row's intervals: in one line, or in two, which are narrower."""
    found = [(name, row.found.get(name)) for name in metrics]
    if not any(one for _, one in found):
        return
    if wide:
        yield _dim("  95 %", [limits(name, one) if one else "" for name, one in found])
    else:
        yield _dim("  95 % from", [number(name, one.low) if one else "" for name, one in found])
        yield _dim("         to", [number(name, one.high) if one else "" for name, one in found])


def _dim(name: str, values: Sequence[str]) -> list[RenderableType]:
    return [Text(name, style="dim"), *(Text(value, style="dim") for value in values)]


def _strata(rows: Sequence[OfficeRow], division: str) -> Table:
    table = new_table(f"by {division}", *map(head, STRATA), "n")
    for part in strata_names(rows, division):
        table.add_row(Text(printable(part), style="bold"))
        for row in rows:
            if (sample := row.row.strata[division].get(part)) is not None:
                values = sample.values()
                cells = (number(name, values.get(name)) for name in STRATA)
                tasks = f"{round(sample.behind('Workspace')[1]):,}"
                table.add_row(indented(printable(row.name)), *cells, tasks)
        table.add_section()
    return table


def _trade_off(rows: Sequence[OfficeRow], *, wide: bool) -> Table:
    """Return the rows by the tokens that they recall."""
    names = ("Workspace", "Preference")
    table = new_table(TRADE_OFF, "tokens", *(text for name in names for text in (name, "95 %")),
                      "ahead")  # fmt: skip
    for one in placed(rows):
        found = [(name, one.row.found.get(name)) for name in names]
        cells = (
            text
            for name, value in found
            for text in (number(name, value and value.value), limits(name, value) if value else "")
        )
        tokens = one.row.found.get("RecallTokens")
        ahead = "both" if len(one.ahead) == len(names) else " ".join(one.ahead)
        short = ahead if wide else ahead[:4]
        table.add_row(
            Text(printable(one.row.name)),
            number("RecallTokens", tokens and tokens.value),
            *cells,
            short or ABSENT,
        )
    return table


def _left_out(sheet: TaskSheet) -> Iterator[RenderableType]:
    """Yield which rows are of fewer tasks than others, and which tasks have a defect."""
    for name, told in uneven_lines(sheet):
        yield Text(printable(f"{name}{told}."))
    if sheet.quarantined:
        yield Text("in quarantine, for a defect of their own, and scored for nobody:")
        yield from _listed(sheet.quarantined)


def _listed(found: Mapping[str, str]) -> Iterator[Text]:
    for name, why in list(found.items())[:_MOST]:
        yield Text(f"  {printable(name)}: {printable(why)}")
    if len(found) > _MOST:
        yield Text(f"  and {len(found) - _MOST} more (manifest.json has all)")
