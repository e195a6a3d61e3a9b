"""Blocks as GitHub's markdown, in which text from elsewhere stays text.

What is not ours stands in code spans: there nothing is a link, a mention or a tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_comem.core.printable import printable
from pytest_comem.report.blocks import Block, Grid, Heading, Listing, Paragraph, Span, Verbatim

_SPECIAL: Final = re.compile(r"[\\`*_\[\]|~#]")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_TICKS: Final = re.compile(r"`+")


def as_markdown(blocks: Iterable[Block]) -> str:
    """Return *blocks* as markdown."""
    return "\n".join(markdown_of(block) for block in blocks)


def markdown_of(block: Block) -> str:
    """Return one block with its newline."""
    match block:
        case Heading():
            return f"{'#' * (block.level + 1)} {_spans(block.spans)}\n"
        case Paragraph():
            text = _spans(block.spans)
            return f"<sub>{text}</sub>\n" if block.quiet else f"{text}\n"
        case Grid():
            return _table(block)
        case Listing():
            return _details(block)


def escaped(text: str) -> str:
    """Return words as markdown that says just them."""
    shown = _SPECIAL.sub(r"\\\g<0>", printable(text))
    return "".join(_ENTITIES.get(one, one) for one in shown)


def code(text: str) -> str:
    """Return *text* as a code span, whatever backticks are in it."""
    shown = printable(text) or " "
    longest = max(map(len, _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    # Spaces inside the fence are dropped in pairs: they keep the text's own ends apart from it.
    apart = " " if shown.strip() and (longest or shown != shown.strip()) else ""
    return f"{fence}{apart}{shown}{apart}{fence}"


def _spans(spans: Sequence[Span]) -> str:
    return "".join(
        code(each.text) if isinstance(each, Verbatim) else escaped(each) for each in spans
    )


def _table(grid: Grid) -> str:
    rule = [":--" if place < grid.names else "--:" for place in range(len(grid.heads))]
    lines = [_row(map(escaped, grid.heads)), _row(rule)]
    for place, row in enumerate(grid.rows):
        lines.append(_row(_cell(cell, place, grid) for cell in row))
    return "\n".join(lines) + "\n"


def _cell(cell: Span, place: int, grid: Grid) -> str:
    if isinstance(cell, Verbatim):
        # A bar ends a cell even inside of code.
        return code(cell.text).replace("|", "\\|") if cell.text else ""
    text = escaped(cell)
    if not text.strip():
        return text
    return f"**{text}**" if place in grid.strong else f"*{text}*" if place in grid.quiet else text


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _details(listing: Listing) -> str:
    lines = [f"<details><summary>{_summary(listing.title)}</summary>", ""]
    lines.extend(f"- {_spans(item)}" for item in listing.items)
    if listing.more:
        lines.append(f"- and {listing.more:,} more")
    return "\n".join([*lines, "", "</details>", ""])


def _summary(spans: Sequence[Span]) -> str:
    """Return a title as HTML, which is what markdown is not read in."""
    return "".join(
        f"<code>{_html(each.text)}</code>" if isinstance(each, Verbatim) else _html(each)
        for each in spans
    )


def _html(text: str) -> str:
    return "".join(_ENTITIES.get(one, one) for one in printable(text))
