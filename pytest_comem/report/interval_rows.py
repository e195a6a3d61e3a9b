"""The scorecard's intervals: rows below those of the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from rich.console import RenderableType
from rich.text import Text

from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.sheet import Sheet, SystemSheet

#: Columns of a terminal from which on an interval has one line, and every row has one.
WIDE: Final = 120
LEGEND: Final = (
    "95 %: interval over the episodes that might have been asked instead (Wilson's for plain "
    "shares, bootstrap for MGS and means of domains)."
)

#: One row: system, model and domain; the domain is empty for all of them, ``None`` for their mean.
_Row: TypeAlias = tuple[tuple[str, str], str | None]


@final
@dataclass(frozen=True, slots=True)
class Intervals:
    """The intervals of a scorecard's rows.

    :param found: by row, those that have one.
    :param one_line: whether an interval stands in one line, or in two, which are narrower.
    """

    found: Mapping[_Row, Mapping[str, Measured]]
    one_line: bool

    def rows(
        self, system: tuple[str, str], domain: str | None, metrics: Sequence[str]
    ) -> Iterator[list[RenderableType]]:
        """Yield the cells of the rows below those of one row's values; none where it has none."""
        known = self.found.get((system, domain))
        if known is None:
            return
        indent = "  " if domain == "" else "    "
        if self.one_line:
            yield _cells(f"{indent}95 %", [_both(known.get(name)) for name in metrics])
        else:
            lows = [f"{known[name].low:.1f}" if name in known else "" for name in metrics]
            highs = [f"{known[name].high:.1f}" if name in known else "" for name in metrics]
            yield _cells(f"{indent}95 % from", lows)
            yield _cells(f"{indent}       to", highs)


def intervals_of(sheet: Sheet, *, every: bool, one_line: bool) -> Intervals:
    """Return the intervals of the systems' rows; none with repeats, whose means have their own.

    :param every: whether domains and their mean have one too.
    """
    found: dict[_Row, Mapping[str, Measured]] = {}
    if sheet.repeats == 1:
        for name, system in sheet:
            found[name, ""] = measure(system.episodes.sample())
            if every:
                found |= {(name, domain): one for domain, one in _of_domains(system)}
    return Intervals(found, one_line)


def _of_domains(system: SystemSheet) -> Iterator[tuple[str | None, Mapping[str, Measured]]]:
    sample = system.episodes.sample()
    for domain in system.domains:
        yield domain, measure(sample.of_domain(domain))
    if len(system.domains) > 1:
        yield None, measure(sample, by_domain_mean=True)


def _both(measured: Measured | None) -> str:
    return "" if measured is None else f"{measured.low:.1f}-{measured.high:.1f}"


def _cells(name: str, values: Sequence[str]) -> list[RenderableType]:
    return [Text(name, style="dim"), *(Text(value, style="dim") for value in values)]
