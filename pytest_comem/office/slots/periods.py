"""Periods in file names: days, weeks, months, quarters and years, in whatever form they stand."""

from __future__ import annotations

import datetime
import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, final

from pytest_comem.office.styles import MONTHS

#: What a period covers.
Grain: TypeAlias = Literal["day", "week", "month", "quarter", "year"]

_SHORT: Final = tuple(month[:3] for month in MONTHS)
_YEAR: Final = r"(?:19|20)\d\d"
_MM: Final = r"(?:0[1-9]|1[0-2])"
_DD: Final = r"(?:0[1-9]|[12]\d|3[01])"
_MONTH_NAME: Final = "|".join([*MONTHS, *_SHORT])
_SEP: Final = r"[-_. /]?"
#: Each form: what it stands for and how it looks; the first that fits is taken.
_FORMS: Final[tuple[tuple[str, Grain, str], ...]] = (
    (
        "ymd",
        "day",
        rf"(?P<ymd_y>{_YEAR})(?P<ymd_s>{_SEP})(?P<ymd_m>{_MM})(?P=ymd_s)(?P<ymd_d>{_DD})",
    ),
    (
        "dmy",
        "day",
        rf"(?P<dmy_d>{_DD})(?P<dmy_s>[-_.])(?P<dmy_m>{_MM})(?P=dmy_s)(?P<dmy_y>{_YEAR})",
    ),
    ("yq", "quarter", rf"(?P<yq_y>{_YEAR})(?P<yq_s>{_SEP})(?P<yq_c>[qQ])(?P<yq_q>[1-4])"),
    (
        "qy",
        "quarter",
        rf"(?<![A-Za-z])(?P<qy_c>[qQ])(?P<qy_q>[1-4])(?P<qy_s>{_SEP})(?P<qy_y>{_YEAR})",
    ),
    ("yw", "week", rf"(?P<yw_y>{_YEAR})(?P<yw_s>{_SEP})(?P<yw_c>[wW]|[kK][wW])(?P<yw_w>[0-5]\d)"),
    (
        "wy",
        "week",
        rf"(?<![A-Za-z])(?P<wy_c>[wW]|[kK][wW])(?P<wy_w>[0-5]\d)(?P<wy_s>{_SEP})(?P<wy_y>{_YEAR})",
    ),
    ("yn", "month", rf"(?P<yn_y>{_YEAR})(?P<yn_s>{_SEP})(?P<yn_n>(?i:{_MONTH_NAME}))(?![A-Za-z])"),
    ("ny", "month", rf"(?<![A-Za-z])(?P<ny_n>(?i:{_MONTH_NAME}))(?P<ny_s>{_SEP})(?P<ny_y>{_YEAR})"),
    ("ym", "month", rf"(?P<ym_y>{_YEAR})(?P<ym_s>{_SEP})(?P<ym_m>{_MM})"),
    ("my", "month", rf"(?P<my_m>{_MM})(?P<my_s>[-_.])(?P<my_y>{_YEAR})"),
    ("y", "year", rf"(?P<y_y>{_YEAR})"),
)
_PERIOD: Final = re.compile(
    r"(?<![0-9])(?:" + "|".join(f"(?P<{name}>{form})" for name, _, form in _FORMS) + r")(?![0-9])"
)
_GRAIN: Final[Mapping[str, Grain]] = {name: grain for name, grain, _ in _FORMS}

#: From fine to coarse.
_ORDER: Final[tuple[Grain, ...]] = ("day", "week", "month", "quarter", "year")
#: What one kind of report can be about in turn.
_RIVALS: Final = frozenset[Grain]({"week", "month", "quarter"})


@final
@dataclass(frozen=True, slots=True)
class Period:
    """A day, week, month, quarter or year, by its first day."""

    grain: Grain
    start: datetime.date


def period_of(text: str) -> Period | None:
    """Return the period that a text is, in any form that file names have; ``None`` for others."""
    match = _PERIOD.fullmatch(text)
    return _read(match) if match else None


def moved(path: str, period: str) -> str:
    """Return a path with every period in it replaced by another one, each in its own form.

    The finest period of a path is its file's, coarser ones are folders and the like. Coarser ones
    are computed (the quarter of a month). The file's own keeps its form where it is no finer than
    the new period; a month, a quarter and a week give way to each other; a last or first day
    becomes that of the new period; any other day gives way to the new period.

    :param period: such as ``2025-03``; one that is no period replaces nothing.
    """
    target = period_of(period)
    found = [(match, read) for match in _PERIOD.finditer(path) if (read := _read(match))]
    if target is None or not found:
        return path
    finest = min(_ORDER.index(read.grain) for _, read in found)
    parts, start = [], 0
    for match, read in found:
        own = _ORDER.index(read.grain) == finest
        parts += [path[start : match.start()], _replaced(match, read, target, own)]
        start = match.end()
    return "".join([*parts, path[start:]])


def _replaced(match: re.Match[str], read: Period, target: Period, own: bool) -> str:
    """Return what stands for a match; *own* where it is the file's own period."""
    if own and read.grain != target.grain and {read.grain, target.grain} <= _RIVALS:
        return _written_anew(match, target)
    day = _day_for(read, target)
    return _written_anew(match, target) if day is None else _write(match, day)


def _written_anew(match: re.Match[str], target: Period) -> str:
    """Return the new period in its own form, with the mark and the place of the year of a match."""
    between = match.groupdict().get(f"{_form_of(match)}_s") or "-"
    year, week, _ = target.start.isocalendar()
    rest = {
        "day": f"{target.start.month:02}{between}{target.start.day:02}",
        "week": f"w{week:02}",
        "month": f"{target.start.month:02}",
        "quarter": f"Q{(target.start.month + 2) // 3}",
        "year": "",
    }[target.grain]
    shown = f"{year if target.grain == 'week' else target.start.year:04}"
    first = match[0][:4].isdigit()
    return between.join(one for one in ((shown, rest) if first else (rest, shown)) if one)


def _form_of(match: re.Match[str]) -> str:
    return next(name for name, _, _ in _FORMS if match[name] is not None)


def _read(match: re.Match[str]) -> Period | None:
    """Return the period of a match; ``None`` for a day or week on no calendar."""
    name = _form_of(match)
    parts, grain = match.groupdict(), _GRAIN[name]
    year = int(match[f"{name}_y"])
    if grain == "week":
        try:
            return Period(grain, datetime.date.fromisocalendar(year, int(match[f"{name}_w"]), 1))
        except ValueError:
            return None
    month, day = int(parts.get(f"{name}_m") or 1), int(parts.get(f"{name}_d") or 1)
    if grain == "quarter":
        month = 3 * int(match[f"{name}_q"]) - 2
    elif f"{name}_n" in parts:
        month = _SHORT.index(match[f"{name}_n"][:3].capitalize()) + 1
    try:
        return Period(grain, datetime.date(year, month, day))
    except ValueError:
        return None


def _day_for(theirs: Period, target: Period) -> datetime.date | None:
    """Return a day of the period that stands for *target* in the grain of *theirs*."""
    if _ORDER.index(theirs.grain) >= _ORDER.index(target.grain):
        # A week belongs to the month of its Thursday, as in ISO 8601.
        ahead = 3 if target.grain == "week" and theirs.grain != "week" else 0
        return target.start + datetime.timedelta(days=ahead)
    if theirs.grain != "day":
        return None
    if target.grain == "week":
        return target.start + datetime.timedelta(days=theirs.start.weekday())
    if theirs.start.day == monthrange(theirs.start.year, theirs.start.month)[1]:
        return _last_day(target)
    return target.start if theirs.start.day == 1 else None


def _last_day(period: Period) -> datetime.date:
    months = {"month": 0, "quarter": 2, "year": 11}[period.grain]
    month = period.start.month + months
    return datetime.date(period.start.year, month, monthrange(period.start.year, month)[1])


def _write(match: re.Match[str], day: datetime.date) -> str:
    """Return a day's period in the form of a match."""
    name = _form_of(match)
    between = match.groupdict().get(f"{name}_s") or ""
    year, week, _ = day.isocalendar()
    written = {"y": f"{day.year:04}", "m": f"{day.month:02}", "d": f"{day.day:02}"}
    letter = match.groupdict().get(f"{name}_c") or ""
    written["q"] = f"{letter}{(day.month + 2) // 3}"
    written["w"] = f"{letter}{week:02}"
    if _GRAIN[name] == "week":
        written["y"] = f"{year:04}"
    if f"{name}_n" in match.groupdict() and match[f"{name}_n"]:
        written["n"] = _named_like(match[f"{name}_n"], day.month)
    return between.join(written[part] for part in name)


def _named_like(shown: str, month: int) -> str:
    """Return a month's name, as long and in such letters as another one is shown."""
    # May is both short and long; the short form is the commoner in file names.
    full = MONTHS[month - 1]
    name = full if len(shown) > 3 else full[:3]
    return name.lower() if shown.islower() else name.upper() if shown.isupper() else name
