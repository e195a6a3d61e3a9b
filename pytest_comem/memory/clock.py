"""Time as a memory knows it: days, from what entries say of when they were said."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, final

_DAY: Final = timedelta(days=1)


@final
@dataclass(frozen=True, slots=True)
class Moment:
    """When an entry was said.

    :param day: days since the first entry, not whole.
    :param date: name of the calendar day, as the benchmark states it.
    """

    day: float
    date: str


@final
class Clock:
    """Reads timestamps, and counts turns where there are none.

    A turn without a (readable) timestamp is said ``1 / turns_per_day`` days after the one before.
    It belongs to the latest date known; where none is, *turns_per_day* turns make a day. Times
    without a zone are taken as UTC.

    :param turns_per_day: how many turns without timestamps stand for a day.
    """

    def __init__(self, turns_per_day: int) -> None:
        self._turns_per_day = turns_per_day
        #: Days since the first entry; never goes back, also where timestamps do.
        self.now = 0.0
        self._reached = 0.0
        self._untimed = -1
        self._origin: tuple[datetime, float] | None = None
        self._date: str | None = None

    def advance(self, timestamp: str | None) -> Moment:
        """Return when an entry with this timestamp was said, and go on to that time."""
        said = _read(timestamp)
        if said is None:
            self._untimed += 1
            self.now = self._reached + self._untimed / self._turns_per_day
            counted = f"day {self._untimed // self._turns_per_day + 1}"
            return Moment(self.now, self._date or counted)
        instant, date = said
        if self._origin is None:
            self._origin = (instant, self.now)
        origin, offset = self._origin
        day = offset + (instant - origin) / _DAY
        self.now = self._reached = max(self.now, day)
        self._untimed = 0
        self._date = date
        return Moment(day, date)


def stated_time(timestamp: str | None) -> datetime | None:
    """Return the time a timestamp states, with a zone where it states one.

    ``None`` where there is no timestamp, or none that can be read: a benchmark may have ``evening``
    there, and then a memory knows as much as where there is nothing.
    """
    if timestamp is None:
        return None
    try:
        stated = datetime.fromisoformat(timestamp)
        _in_utc(stated)
    except (ValueError, OverflowError):
        return None
    return stated


def _read(timestamp: str | None) -> tuple[datetime, str] | None:
    """Return the instant without a zone and the date as stated, or ``None``."""
    stated = stated_time(timestamp)
    if stated is None:
        return None
    return _in_utc(stated).replace(tzinfo=None), stated.date().isoformat()


def _in_utc(stated: datetime) -> datetime:
    return stated if stated.tzinfo is None else stated.astimezone(UTC)
