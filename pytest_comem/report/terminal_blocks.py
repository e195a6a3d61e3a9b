"""Blocks as text for a terminal, a log or a file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import Final

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from pytest_comem.core.printable import printable
from pytest_comem.report.blocks import Block, Grid, Heading, Listing, Paragraph, Span, plain
from pytest_comem.report.tables import console_on, new_table

#: Columns of a terminal that a name has at least.
_NAME_WIDTH: Final = 12


def as_terminal(blocks: Iterable[Block], width: int, *, color: bool = False) -> str:
    """Return *blocks* as lines of at most *width* columns, but for items of listings.

    :param color: whether to use terminal colours.
    """
    out = io.StringIO()
    console = console_on(out, width, color=color)
    for place, block in enumerate(blocks):
        if place and isinstance(block, Heading | Grid):
            console.print()
        match block:
            case Heading():
                console.print(Text(_text(block.spans), style="bold"))
            case Paragraph():
                console.print(Text(_text(block.spans), style="dim" if block.quiet else ""))
            case Grid():
                console.print(_table(block))
            case Listing():
                # Ids are whole, to be copied: the terminal may fold them.
                for line in _lines(block):
                    console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _text(spans: Sequence[Span]) -> str:
    return printable(plain(spans))


def _table(grid: Grid) -> RenderableType:
    table = new_table(grid.heads[0])
    # Short names leave room to numbers, which have no other line to go to.
    names = (_text((cell,)) for cell in (grid.heads[0], *(row[0] for row in grid.rows)))
    table.columns[0].min_width = min(_NAME_WIDTH, max(map(cell_len, names)))
    for place, head in enumerate(grid.heads[1:], start=1):
        if place < grid.names:
            table.add_column(head, overflow="fold")
        else:
            table.add_column(head, justify="right", no_wrap=True)
    table.padding = (0, 1, 0, 0)
    for place, row in enumerate(grid.rows):
        style = "bold" if place in grid.strong else "dim" if place in grid.quiet else ""
        table.add_row(*(Text(_text((cell,)), style=style) for cell in row))
    return table


def _lines(listing: Listing) -> Iterable[Text]:
    yield Text(_text(listing.title))
    for item in listing.items:
        yield Text(f"  {_text(item)}")
    if listing.more:
        yield Text(f"  and {listing.more:,} more")
