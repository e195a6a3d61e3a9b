"""How dates and numbers can be written: find them in a text, and write them.

Date styles: ``iso`` 2025-03-31, ``slash`` 31/03/2025, ``us`` 03/31/2025, ``dotted`` 31.03.2025,
``long`` 31 March 2025; and, never a plan's but found in texts, ``short`` 31 Mar 2025 and
``month_first`` March 31, 2025.

A number style is what 1234.5 looks like in it: its mark between thousands, its decimal mark, and
how many decimals it always has, such as ``1,234.50`` or ``1 235``. Only ``1234.5`` itself has as
many as a number needs (at most six): it is the plain way. Every blank that is no line break counts
as one.

Dates and numbers that are part of a path, an identifier, a version or a time are not found.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Final, final

MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
#: Styles that a date can be written in.
DATE_STYLES: Final = ("iso", "slash", "us", "dotted", "long", "short", "month_first")
#: The style of a number as a program prints it.
PLAIN: Final = "1234.5"

_MONTH: Final[Mapping[str, int]] = {
    name: number
    for number, month in enumerate(MONTHS, 1)
    for name in (month.lower(), month[:3].lower(), *(("sept",) if number == 9 else ()))
}
_NAMES: Final = "|".join(sorted(_MONTH, key=len, reverse=True))
_TH: Final = "(?:st|nd|rd|th)?"
_DATE: Final = re.compile(
    r"(?<![\w/\\-])(?<!\w\.)(?:"
    r"(?P<iso>(?P<iy>\d{4})-(?P<im>\d{2})-(?P<id>\d{2}))"
    r"|(?P<slash>(?P<sa>\d{1,2})/(?P<sb>\d{1,2})/(?P<sy>\d{4}))"
    r"|(?P<dotted>(?P<dd>\d{1,2})\.(?P<dm>\d{1,2})\.(?P<dy>\d{4}))"
    rf"|(?P<long>(?P<ld>\d{{1,2}}){_TH}[ \xa0](?P<lm>{_NAMES})\.?,?[ \xa0](?P<ly>\d{{4}}))"
    rf"|(?P<first>(?P<fm>{_NAMES})\.?[ \xa0](?P<fd>\d{{1,2}}){_TH},?[ \xa0](?P<fy>\d{{4}}))"
    r")(?![\w/\\-])(?!\.\w)",
    re.IGNORECASE | re.ASCII,
)


@final
@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date of a text, ``text[start:end]``.

    :param styles: that it can be in; 03/04/2025 can be in two.
    :param date: as the first style reads it.
    """

    start: int
    end: int
    styles: tuple[str, ...]
    date: datetime.date
    text: str

    def can_be(self, style: str) -> bool:
        """Return whether it can be meant in a style."""
        return style in self.styles


def dates_in(text: str) -> list[FoundDate]:
    """Return the dates of a text in order; what looks like one and is on no calendar is none."""
    found = []
    for match in _DATE.finditer(text):
        readings = list(_readings_of_date(match))
        if readings:
            styles = tuple(style for style, _ in readings)
            found.append(FoundDate(*match.span(), styles, readings[0][1], match[0]))
    return found


def _readings_of_date(match: re.Match[str]) -> Iterator[tuple[str, datetime.date]]:
    for style, year, month, day in _parts(match):
        try:
            yield style, datetime.date(int(year), int(month), int(day))
        except ValueError:
            continue


def _parts(match: re.Match[str]) -> Iterator[tuple[str, str, str | int, str]]:
    """Yield style, year, month and day of each way to read a match."""
    if match["iso"]:
        yield "iso", match["iy"], match["im"], match["id"]
    elif match["slash"]:
        yield "slash", match["sy"], match["sb"], match["sa"]
        yield "us", match["sy"], match["sa"], match["sb"]
    elif match["dotted"]:
        yield "dotted", match["dy"], match["dm"], match["dd"]
    elif match["long"]:
        number, named = _MONTH[match["lm"].lower()], match["lm"].lower()
        full = named == MONTHS[number - 1].lower()
        yield "long" if full else "short", match["ly"], number, match["ld"]
    else:
        yield "month_first", match["fy"], _MONTH[match["fm"].lower()], match["fd"]


def format_date(date: datetime.date, style: str) -> str:
    """Return a date in a style.

    :raises ValueError: for a style that is none.
    """
    year, month, day, name = f"{date.year:04}", date.month, date.day, MONTHS[date.month - 1]
    written = {
        "iso": f"{year}-{month:02}-{day:02}",
        "slash": f"{day:02}/{month:02}/{year}",
        "us": f"{month:02}/{day:02}/{year}",
        "dotted": f"{day:02}.{month:02}.{year}",
        "long": f"{day} {name} {year}",
        "short": f"{day} {name[:3]} {year}",
        "month_first": f"{name} {day}, {year}",
    }
    if style not in written:
        raise ValueError(f"no date style {style!r}; there are {', '.join(DATE_STYLES)}")
    return written[style]


_BLANKS: Final = " \xa0\u2009\u202f"
_STYLE: Final = re.compile(r"1(?P<group>[,.' ]?)23(?:5|4(?P<decimal>[.,])5(?P<more>0{0,5}))")
_RUN: Final = re.compile(
    rf"\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,'\u2019]\d+)*", re.ASCII
)
_WHOLE: Final = re.compile(
    r"(?P<whole>\d{1,3}(?:(?P<group>[^\d])\d{3})(?:(?P=group)\d{3})*|\d+)", re.ASCII
)
_NUMBER: Final = re.compile(_WHOLE.pattern + r"(?:(?P<mark>[.,])(?P<part>\d+))?", re.ASCII)
#: Longest run of digits that is taken for a number, in characters.
_LONGEST: Final = 40
_NAMED: Final = re.compile(
    r"(?:\b(?:versions?|release|section|chapter|step|figure|table|issue|ticket|page|python|sqlite)"
    rf"[{_BLANKS}]|§[{_BLANKS}]?|#)\Z",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(r"[A-Za-zµ]{1,3}(?![\w-])")


@final
@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number of a text, ``text[start:end]``, with its sign and without a unit.

    :param readings: each style that it can be in, and what it is then, the likeliest first: 1,235
        is 1235 or 1.235. A number without mark, below 1000 or with decimals, can be in many.
    """

    start: int
    end: int
    readings: tuple[tuple[str, float], ...]
    text: str

    @property
    def styles(self) -> tuple[str, ...]:
        """Return all styles that it can be in."""
        return tuple(style for style, _ in self.readings)

    @property
    def value(self) -> float:
        """Return what it is in the likeliest style."""
        return self.readings[0][1]

    @property
    def values(self) -> tuple[float, ...]:
        """Return all that it can be, each once."""
        return tuple(dict.fromkeys(value for _, value in self.readings))

    @property
    def telling(self) -> bool:
        """Return whether it shows a style: it has decimals or four digits, and is no plain year."""
        digits = self.text.lstrip("+-\u2212")
        if digits.isdigit():
            return len(digits) >= 4 and not (len(digits) == 4 and 1900 <= int(digits) <= 2100)
        return True

    def can_be(self, style: str) -> bool:
        """Return whether it can be meant in a style."""
        return style in self.styles


def numbers_in(text: str) -> list[FoundNumber]:
    """Return the numbers of a text in order, without those of dates, paths, versions and times."""
    taken = [(date.start, date.end) for date in dates_in(text)]
    found: list[FoundNumber] = []
    at = 0
    for match in _RUN.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] < match.end():
            continue
        if match.end() - match.start() <= _LONGEST and _stands_alone(text, *match.span()):
            found.extend(_numbers_of(text, *match.span()))
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Return whether a run of digits is no part of a path, an identifier, a version or a time."""
    before, after = text[max(0, start - 12) : start], text[end : end + 4]
    if before[-1:] in ("_", "/", "\\", ".") or (before and before[-1].isalnum()):
        return False
    if before[-1:] == "-" and before[-2:-1].isalnum():
        return False
    if (before[-1:] == ":" and before[-2:-1].isdigit()) or _NAMED.search(before):
        return False
    if after[:1] in ("-", "/", ".", ":", "'", "\u2019") and after[1:2].isalnum():
        return after[0] in "/'\u2019" and not after[1].isdigit()
    if after and (after[0].isalpha() or after[0] == "_"):
        # A unit may follow decimals at once, as in 1.5h; 4f2a is an identifier.
        return not text[start:end].isdigit() and _UNIT.match(after) is not None
    return True


def _numbers_of(text: str, start: int, end: int) -> Iterator[FoundNumber]:
    """Yield what a run is: one number, or a list of them separated by commas, as in CSV."""
    run = text[start:end]
    row = text[start - 1 : start] == "," or (
        text[end : end + 1] == "," and text[end + 1 : end + 2].strip() != ""
    )
    if "," not in run or (not row and _readings_of_number(run)):
        parts = [(start, run)]
    else:
        parts = [(start + piece.start(), piece[0]) for piece in re.finditer("[^,]+", run)]
    for place, piece in parts:
        sign = text[place - 1 : place] if place else ""
        signed = sign != "" and sign in "-\u2212+"
        factor = -1.0 if signed and sign != "+" else 1.0
        found = tuple((style, factor * value) for style, value in _readings_of_number(piece))
        if found:
            begin = place - signed
            yield FoundNumber(begin, place + len(piece), found, text[begin : place + len(piece)])


def _readings_of_number(run: str) -> list[tuple[str, float]]:
    """Return each style that a run of digits and marks can be in, with its value."""
    match = _NUMBER.fullmatch(re.sub(f"[{_BLANKS}]", " ", run).replace("\u2019", "'"))
    if match is None:
        return []
    whole, group, mark, part = match["whole"], match["group"], match["mark"], match["part"]
    if group is not None and (mark == group or group not in ",.' "):
        return []
    digits = whole.replace(group, "") if group else whole
    return _decimal_readings(digits, group, mark, part) if mark else _whole_readings(digits, group)


def _decimal_readings(
    digits: str, group: str | None, mark: str, part: str
) -> list[tuple[str, float]]:
    value = float(f"{digits}.{part}")
    groups = (group,) if group else ("",) if len(digits) > 3 else ("", *_others(mark))
    readings = [(f"1{g}234{mark}5" + "0" * (len(part) - 1), value) for g in groups]
    if mark == "." and not group and not (len(part) > 1 and part.endswith("0")):
        readings.insert(0, (PLAIN, value))
    return list(dict.fromkeys(readings))


def _whole_readings(digits: str, group: str | None) -> list[tuple[str, float]]:
    if group is None:
        marks = ("",) if len(digits) > 3 else ("", *_others(""))
        return [(PLAIN, float(digits)), *((f"1{g}235", float(digits)) for g in marks)]
    readings = [(f"1{group}235", float(digits))]
    if group in ",." and len(digits) <= 6:
        # One mark and three digits can be decimals as well.
        readings += _decimal_readings(digits[:-3], None, group, digits[-3:])
    return readings


def _others(mark: str) -> tuple[str, ...]:
    """Return the marks between thousands that go with a decimal mark."""
    return tuple(one for one in ",.' " if one != mark)


def format_number(value: float, style: str) -> str:
    """Return a number in a style, halves rounded away from zero.

    :raises ValueError: for a style that is none, and for what is no finite number.
    """
    match = _STYLE.fullmatch(re.sub(f"[{_BLANKS}]", " ", style))
    if match is None or (match["group"] and match["group"] == match["decimal"]):
        raise ValueError(f"no number style {style!r}; write 1234.5 in it, such as 1,234.50")
    if not math.isfinite(value):
        raise ValueError(f"{value!r} is no finite number")
    places = 6 if style == PLAIN else 1 + len(match["more"] or "") if match["decimal"] else 0
    rounded = Decimal(repr(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    whole, _, part = f"{abs(rounded):,.{places}f}".partition(".")
    if style == PLAIN:
        part = part.rstrip("0")
    sign = "-" if rounded < 0 else ""
    return sign + whole.replace(",", match["group"]) + (f"{match['decimal']}{part}" if part else "")
