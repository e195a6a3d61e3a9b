"""A report as a few plain blocks, which each format draws in its own way.

What stands in a block is text as it came, hostile or not: making it harmless in a format is the
work of that format's module, in one place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from pytest_comem.report.tables import ABSENT


@final
@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text that is not ours: ids, names, reasons."""

    text: str


#: Words of ours, or text from elsewhere.
Span: TypeAlias = str | Verbatim


@final
@dataclass(frozen=True, slots=True)
class Heading:
    """A title.

    :param spans: put together without anything between.
    :param level: 1 for the report's own, 2 for its parts.
    """

    spans: tuple[Span, ...]
    level: int = 2


@final
@dataclass(frozen=True, slots=True)
class Paragraph:
    """Some sentences.

    :param spans: put together without anything between.
    :param quiet: it explains, and need not catch the eye.
    """

    spans: tuple[Span, ...]
    quiet: bool = False


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """A table: names in the first columns, then numbers.

    :param heads: of the columns.
    :param rows: as many cells each.
    :param names: how many of the columns are names, which stand on the left.
    :param strong: places of the rows that matter most.
    :param quiet: places of the rows that are there for reference.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[Span, ...], ...]
    names: int = 1
    strong: frozenset[int] = frozenset()
    quiet: frozenset[int] = frozenset()


@final
@dataclass(frozen=True, slots=True)
class Listing:
    """Items below a title, which a format may fold away.

    :param items: each of spans put together.
    :param more: number of items left out.
    """

    title: tuple[Span, ...]
    items: tuple[tuple[Span, ...], ...]
    more: int = 0


Block: TypeAlias = Heading | Paragraph | Grid | Listing

#: Numbers from which on they are shown in thousands.
_LARGE: Final = 10_000
#: Items of one listing, at most, where a report is read as a whole.
MOST_ITEMS: Final = 50


def listing(
    title: Sequence[Span], items: Sequence[tuple[Span, ...]], most: int = MOST_ITEMS
) -> Listing:
    """Return a listing of at most *most* of the items, which says how many there are more."""
    return Listing(tuple(title), tuple(items[:most]), max(0, len(items) - most))


def plain(spans: Sequence[Span]) -> str:
    """Return spans as one text."""
    return "".join(each.text if isinstance(each, Verbatim) else each for each in spans)


def figure(value: float | None, digits: int = 1, *, signed: bool = False) -> str:
    """Return a number, such as percent or percent points; a dash where there is none."""
    if value is None or value != value:
        return ABSENT
    # No "-0.0", which reads like a small loss.
    rounded = round(value, digits) + 0.0
    return f"{rounded:+,.{digits}f}" if signed and rounded else f"{rounded:,.{digits}f}"


def amount(value: float | None, *, signed: bool = False) -> str:
    """Return a number of tokens: whole, in thousands where it is large; a dash for none."""
    if value is not None and abs(value) >= _LARGE:
        return f"{figure(value / 1000, signed=signed)}k"
    return figure(value, 0, signed=signed)


def probability(p: float | None) -> str:
    """Return a p value; what is smaller than what three digits show is said to be so."""
    if p is None or p != p:
        return ABSENT
    return "<0.001" if p < 0.001 else f"{p:.3f}"
