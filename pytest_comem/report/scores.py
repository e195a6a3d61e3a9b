"""The scorecard's tables of metrics: by system and domain, over repeats, by attack type."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from pytest_comem.metrics.gatemem import METRICS
from pytest_comem.metrics.repeats import RepeatedTally, estimate_of_domains
from pytest_comem.metrics.sheet import Sheet, SystemSheet
from pytest_comem.report.interval_rows import LEGEND as INTERVALS
from pytest_comem.report.interval_rows import WIDE, Intervals, intervals_of
from pytest_comem.report.tables import ABSENT, indented, new_table, percent, width_of_numbers

_HEADS: Final = {name: name.replace("_exposed", "") for name in METRICS}
#: Of what the agent did; the others are of what the memory exposed.
_ANSWERED: Final = tuple(name for name in METRICS if "_exposed" not in name)
_EXPOSED: Final = tuple(name for name in METRICS if "_exposed" in name)
#: Columns of a terminal that names should have beside numbers.
_NAMES_WIDTH: Final = 20
#: The same of one system's violations, whose head and interval may take several lines.
_ATTACK_WIDTH: Final = 8
_LEGEND: Final = (
    "percent; U and MGS: more is better; A, F, OR: less is better; x: of what the memory exposed, "
    "before anyone answered. n: scored steps."
)


def legend(sheet: Sheet, scoring: str) -> str:
    """Return what the metrics mean, who judged and by which scoring."""
    judge = f" by {', '.join(sheet.judges)}" if sheet.judges else ""
    text = f"{scoring} scoring{judge}; {_LEGEND}"
    if sheet.repeats > 1:
        text += (
            f" Of {sheet.repeats} repeats: mean ± half of the 95 % interval of the expected value "
            "(Student's t), n summed."
        )
    else:
        text += f" {INTERVALS}"
    return text


def metric_tables(sheet: Sheet, console: Console, *, every: bool = False) -> Iterator[Table]:
    """Yield the table of all metrics; two where it would be wider than *console*.

    :param every: whether the rows of domains have intervals too; on a wide terminal they have.
    """
    wide = console.width >= WIDE
    intervals = intervals_of(sheet, every=every or wide, one_line=wide)
    whole = _metric_table(sheet, METRICS, intervals)
    if sheet.repeats == 1 or _NAMES_WIDTH + width_of_numbers(whole) <= console.width:
        yield whole
    else:
        yield _metric_table(sheet, _ANSWERED, intervals)
        yield _metric_table(sheet, _EXPOSED, intervals)


def repeats_table(sheet: Sheet) -> Table:
    """Return how many steps pass once, and how many always."""
    table = new_table(
        f"{sheet.repeats} repeats", "pass@1", f"pass^{sheet.repeats}", "steps", "left out"
    )
    for row, system in sheet:
        found = sheet.in_all_repeats(system)
        share = f"{100 * found.passed / found.steps:.1f}" if found.steps else ABSENT
        once = percent(system.overall.estimate("passed_share"))
        table.add_row(name_of(row, sheet), once, share, str(found.steps), str(found.left_out))
    return table


def repeats_legend(sheet: Sheet) -> str:
    """Return what the table of repeats means."""
    count = sheet.repeats
    return (
        f"pass@1: share of steps that pass, mean over repeats; pass^{count}: share of steps that "
        f"pass in all {count} repeats, of the steps scored in all {count}; left out: not scored in "
        f"all {count}."
    )


def attack_tables(sheet: Sheet, width: int) -> Iterator[Table]:
    """Yield the violations by attack type, a column a row of the scorecard.

    :param width: columns of the terminal; what has no room beside goes into a further table.
    """
    rows = list(sheet)
    kinds = sorted({kind for _, system in rows for kind in system.attacks})
    several = _several_models(sheet)
    room = max(1, (width - _NAMES_WIDTH) // _ATTACK_WIDTH - 1)
    for beside in (rows[start : start + room] for start in range(0, len(rows), room)):
        heads = (f"{name}\n{model}" if several else name for (name, model), _ in beside)
        table = new_table("violations by attack", *heads, "n", fold=True)
        for kind in kinds:
            tallies = [system.attacks.get(kind, RepeatedTally()) for _, system in beside]
            table.add_row(
                kind,
                *(percent(tally.estimate("violations")) for tally in tallies),
                str(max(tally.scored for tally in tallies)),
            )
        yield table


def name_of(row: tuple[str, str], sheet: Sheet) -> RenderableType:
    """Return the name of a row outside the main table: with its model where there are several."""
    system, model = row
    return Group(Text(system), indented(model)) if _several_models(sheet) else Text(system)


def plain_name_of(row: tuple[str, str], sheet: Sheet) -> str:
    """Return the name of a row within a sentence."""
    system, model = row
    return f"{system} with {model}" if _several_models(sheet) else system


def _several_models(sheet: Sheet) -> bool:
    return len({model for (_, model), _ in sheet}) > 1


def _metric_table(sheet: Sheet, metrics: Sequence[str], intervals: Intervals) -> Table:
    heads = (f"x{_HEADS[name]}" if name in _EXPOSED else name for name in metrics)
    table = new_table("system / domain", *heads, "n")
    for row, system in sheet:
        name, model = row
        table.add_row(Text(name, style="bold"), *_values(system.overall, metrics), style="bold")
        table.add_row(indented(model, "dim"))
        if system.reference:
            table.add_row(indented("(reference)", "dim"))
        for cells in intervals.rows(row, "", metrics):
            table.add_row(*cells)
        for domain, values in _domain_rows(system, metrics):
            table.add_row(f"  {domain or 'domain mean'}", *values)
            for cells in intervals.rows(row, domain, metrics):
                table.add_row(*cells)
        table.add_section()
    return table


def _domain_rows(
    system: SystemSheet, metrics: Sequence[str]
) -> Iterator[tuple[str | None, Sequence[str]]]:
    """Yield the values of each domain and, with ``None`` for a name, those of their mean."""
    for domain, tally in system.domains.items():
        yield domain, _values(tally, metrics)
    if len(system.domains) > 1:
        means = (percent(estimate_of_domains(system.domains, metric)) for metric in metrics)
        yield None, [*means, ""]


def _values(tally: RepeatedTally, metrics: Sequence[str]) -> Sequence[str]:
    return [*(percent(tally.estimate(metric)) for metric in metrics), str(tally.scored)]
