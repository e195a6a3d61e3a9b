"""Values of simple formulas that no program has computed yet, as libraries write them.

Sums, differences, products, quotients, percentages, parentheses, cells and ranges, of other sheets
too, and the functions of :data:`FUNCTIONS`. Nothing else is computed, and nothing is guessed: what
is not understood, divides by zero, goes round in a circle or takes too long has no value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from typing import Final, final

from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.workbooks import GridCell, place_of_cell

#: Longest formula, cells that are looked at for one, and how deep it may lead.
_LONGEST: Final = 1_000
_MOST_CELLS: Final = 100_000
_DEEPEST: Final = 40
_TOKEN: Final = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[A-Z][A-Z.]*)(?=\()"
    r"|(?:(?:'(?P<quoted>[^']{1,31})'|(?P<sheet>\w{1,31}))!)?"
    r"(?P<cell>\$?[A-Z]{1,3}\$?[1-9]\d{0,6})|(?P<sign>[-+*/(),:%]))",
)
Grids = Callable[[str], "list[list[GridCell]]"]


class NoValue(Exception):
    """A formula has no value that could be computed here."""


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


#: Functions of any number of arguments; texts and empty cells of ranges are left out.
FUNCTIONS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "SUM": sum,
    "AVERAGE": _mean,
    "MIN": min,
    "MAX": max,
    "COUNT": len,
    "ABS": lambda numbers: abs(numbers[0]),
    "ROUND": lambda numbers: _rounded(*numbers),
}


def _rounded(number: float, places: float = 0) -> float:
    unit = Decimal(1).scaleb(-int(places))
    return float(Decimal(repr(number)).quantize(unit, ROUND_HALF_UP))


@final
class Formulas:
    """Computes cells of one workbook.

    :param grids: returns a sheet's cells by its name.
    """

    def __init__(self, grids: Grids) -> None:
        self._grids = grids
        self._room = _MOST_CELLS
        self._depth = 0

    def value(self, sheet: str, formula: str) -> float | None:
        """Return a formula's value; ``None`` where it has none that can be computed."""
        try:
            return self._formula(sheet, formula)
        except (NoValue, UnreadableError, ArithmeticError, ValueError, TypeError, IndexError):
            return None

    def _formula(self, sheet: str, formula: str) -> float:
        self._depth += 1
        try:
            if self._depth > _DEEPEST or len(formula) > _LONGEST:
                raise NoValue
            reading = _Reading(self, sheet, _tokens(formula))
            found = reading.sum()
            if not reading.at_end or not isfinite(found):
                raise NoValue
            return found
        finally:
            self._depth -= 1

    def deeper(self, step: int) -> None:
        """Count how deep parentheses lie, down by one or up by minus one."""
        self._depth += step
        if self._depth > _DEEPEST:
            raise NoValue

    def cells(self, sheet: str, first: str, last: str) -> list[float]:
        """Return the numbers of a range."""
        grid = self._grids(sheet)
        (left, top), (right, bottom) = place_of_cell(first), place_of_cell(last)
        found = []
        for row in grid[top - 1 : bottom]:
            for cell in row[left : right + 1]:
                self._room -= 1
                if self._room < 0:
                    raise NoValue
                if cell.formula and not cell.text:
                    found.append(self._formula(sheet, cell.formula))
                elif cell.kind in ("n", "d") and cell.text:
                    found.append(float(cell.text))
        return found


def _tokens(formula: str) -> list[re.Match[str]]:
    found, at = [], 0
    text = formula.strip().upper() if "!" not in formula else formula.strip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NoValue
        found.append(match)
        at = match.end()
    return found


@final
class _Reading:
    """One formula, read from left to right."""

    def __init__(self, book: Formulas, sheet: str, tokens: Sequence[re.Match[str]]) -> None:
        self._book = book
        self._sheet = sheet
        self._tokens = tokens
        self._at = 0

    @property
    def at_end(self) -> bool:
        return self._at == len(self._tokens)

    def sum(self) -> float:
        """Read products with plus and minus between them."""
        found = self._product()
        while (sign := self._taken("+", "-")) is not None:
            found += self._product() if sign == "+" else -self._product()
        return found

    def _product(self) -> float:
        found = self._single()
        while (sign := self._taken("*", "/")) is not None:
            found = found * self._single() if sign == "*" else found / self._single()
        return found

    def _single(self) -> float:
        factor = 1.0
        while (sign := self._taken("+", "-")) is not None:
            factor = -factor if sign == "-" else factor
        values = self._values()
        if len(values) > 1:
            raise NoValue
        # An empty cell counts as zero.
        found = factor * (values[0] if values else 0.0)
        return found / 100 if self._taken("%") else found

    def _values(self) -> list[float]:
        """Read a number, cell, range, function or what is in parentheses."""
        if self.at_end:
            raise NoValue
        token = self._tokens[self._at]
        self._at += 1
        if token["number"]:
            return [float(token["number"])]
        if token["cell"]:
            sheet = token["quoted"] or token["sheet"] or self._sheet
            first = token["cell"].replace("$", "")
            last = first
            if self._taken(":") is not None:
                last = self._tokens[self._at]["cell"].replace("$", "")
                self._at += 1
            return self._book.cells(sheet, first, last)
        if token["name"]:
            return [self._function(token["name"])]
        if token["sign"] != "(":
            raise NoValue
        return [self._enclosed()]

    def _enclosed(self) -> float:
        self._book.deeper(1)
        found = self.sum()
        self._book.deeper(-1)
        if self._taken(")") is None:
            raise NoValue
        return found

    def _function(self, name: str) -> float:
        if name not in FUNCTIONS or self._taken("(") is None:
            raise NoValue
        self._book.deeper(1)
        given: list[float] = []
        while True:
            given += self._argument()
            if self._taken(")") is not None:
                break
            if self._taken(",") is None:
                raise NoValue
        self._book.deeper(-1)
        return float(FUNCTIONS[name](given))

    def _argument(self) -> list[float]:
        """Read a range by itself, or what comes to one number."""
        start = self._at
        if not self.at_end and self._tokens[start]["cell"]:
            values = self._values()
            if not self.at_end and self._tokens[self._at]["sign"] in (",", ")"):
                return values
            self._at = start
        return [self.sum()]

    def _taken(self, *signs: str) -> str | None:
        """Return the next token and step over it, where it is one of these signs."""
        if self.at_end or self._tokens[self._at]["sign"] not in signs:
            return None
        self._at += 1
        return self._tokens[self._at - 1]["sign"]
