"""Dates as spreadsheets count them: days since the end of 1899."""

from __future__ import annotations

import datetime
from typing import Final

#: Excel takes 1900 for a leap year; from March 1900 on its days count from here.
_ZERO: Final = datetime.datetime(1899, 12, 30)
_LARGEST: Final = 2_958_465


def date_of_serial(number: float) -> float | str:
    """Return a number of days as ISO 8601, with the time where it has one; other numbers as is."""
    if not 1 <= number <= _LARGEST:
        return number
    found = _ZERO + datetime.timedelta(seconds=round(number * 86_400))
    if (found.hour, found.minute, found.second) == (0, 0, 0):
        return found.date().isoformat()
    return found.isoformat(sep=" ")
