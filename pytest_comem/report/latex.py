"""Blocks as LaTeX, with the package booktabs; every character of the text stands for itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_comem.core.printable import printable
from pytest_comem.report.blocks import (
    Block,
    Grid,
    Heading,
    Listing,
    Paragraph,
    Span,
    Verbatim,
    plain,
)

#: Some would begin a command; brackets and stars mean something after the end of a row; some are
#: drawn as another character or joined to the next one.
_SPECIAL: Final = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    **{one: f"\\{one}" for one in "&%$#_{}"},
    **{one: f"{{{one}}}" for one in "[]*-"},
}
_NEGATIVE: Final = re.compile(r"(?<![\w.])-(?=\d)")


def as_latex(blocks: Iterable[Block]) -> str:
    """Return *blocks* as LaTeX to be put into a document."""
    parts = [r"% needs \usepackage{booktabs} and \usepackage[T1]{fontenc}"]
    parts.extend(_of(block) for block in blocks)
    return "\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Return *text* as LaTeX that prints just it."""
    return "".join(_SPECIAL.get(one, one) for one in printable(text))


def _of(block: Block) -> str:
    match block:
        case Heading():
            return f"\\paragraph{{{escaped(plain(block.spans))}}}"
        case Paragraph():
            size = r"\footnotesize " if block.quiet else ""
            return f"{{{size}{_spans(block.spans)}\\par}}"
        case Grid():
            return _table(block)
        case Listing():
            return _list(block)


def _spans(spans: Sequence[Span]) -> str:
    return "".join(
        f"\\texttt{{{escaped(each.text)}}}" if isinstance(each, Verbatim) else escaped(each)
        for each in spans
    )


def _table(grid: Grid) -> str:
    columns = "l" * grid.names + "r" * (len(grid.heads) - grid.names)
    lines = [
        f"\\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(escaped, grid.heads)) + r" \\",
        r"\midrule",
    ]
    for place, row in enumerate(grid.rows):
        lines.append(" & ".join(_cell(cell, place, grid) for cell in row) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _cell(cell: Span, place: int, grid: Grid) -> str:
    if isinstance(cell, Verbatim):
        return _spans((cell,))
    # A minus of mathematics, as long as the plus.
    parts = [escaped(part) for part in _NEGATIVE.split(cell)]
    text = "$-$".join(parts)
    if not text:
        return ""
    if place in grid.strong:
        return f"\\textbf{{{text}}}"
    return f"\\textit{{{text}}}" if place in grid.quiet else text


def _list(listing: Listing) -> str:
    items = [f"  \\item {_spans(item)}" for item in listing.items]
    if listing.more:
        items.append(f"  \\item and {listing.more:,} more")
    title = f"{{{_spans(listing.title)}\\par}}"
    if not items:
        return title
    return "\n".join([title, r"\begin{itemize}", *items, r"\end{itemize}"])
