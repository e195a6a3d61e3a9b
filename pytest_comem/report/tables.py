"""How the scorecard's tables and numbers look."""

from __future__ import annotations

import io
from math import floor, log10
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pytest_comem.metrics.statistics import Estimate

#: Stands for a value that nothing stands behind.
ABSENT: Final = "-"
UNKNOWN: Final = "unknown"
#: Cheaper than any call: shown as less than this.
_LEAST: Final = 1e-8


def console_on(out: io.StringIO, width: int, *, color: bool = False) -> Console:
    """Return a console that writes plain text, whatever the terminal and environment are.

    :param width: columns to fill at most.
    :param color: whether to use terminal colours.
    """
    return Console(
        file=out,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        emoji=False,
        markup=False,
        legacy_windows=False,
    )


def new_table(first: str, *others: str, fold: bool = False) -> Table:
    """Return an empty table of a column of names and columns of numbers.

    :param fold: whether a long head may take several lines.
    """
    table = Table(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    table.add_column(first, overflow="fold", min_width=12)
    for head in others:
        if fold:
            table.add_column(head, justify="right", overflow="fold")
        else:
            # Where a number does not fit after all, an ellipsis says so.
            table.add_column(head, justify="right", no_wrap=True)
    return table


def width_of_numbers(table: Table) -> int:
    """Return how many columns of a terminal the numbers of *table* take."""
    return sum(
        1 + max(cell_len(str(cell)) for cell in (column.header, *column.cells))
        for column in table.columns[1:]
    )


def indented(text: str, style: str = "") -> RenderableType:
    """Return *text* as a name below another one; every line of it stays indented."""
    return Padding(Text(text, style=style), (0, 0, 0, 2))


def percent(value: Estimate | None) -> str:
    """Return a percentage, with half of its interval's width where it has one."""
    if value is None:
        return ABSENT
    return f"{value.mean:.1f}" + ("" if value.half is None else f" ±{value.half:.1f}")


def dollars(cost: float | None) -> str:
    """Return *cost* in US dollars with the digits that matter; never 0 for what is only small."""
    if cost is None:
        return UNKNOWN
    if cost == 0 or cost >= 1:
        return f"${cost:,.2f}"
    if cost < _LEAST:
        return f"<${_LEAST:.8f}"
    return f"${cost:.{max(4, 1 - floor(log10(cost)))}f}"
