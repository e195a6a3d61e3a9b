"""Days from timestamps, and from turns where there are none."""

from __future__ import annotations

from datetime import datetime

import pytest

from pytest_comem.memory.clock import Clock, stated_time


def test_days_are_counted_from_the_first_timestamp() -> None:
    """With seconds or without; a quarter of a day is six hours."""
    clock = Clock(100)
    said = [clock.advance(f"2026-03-0{text}") for text in ("1T06:00", "1T12:00:00", "3T06:00")]
    assert [moment.day for moment in said] == [0.0, 0.25, 2.0]
    assert [moment.date for moment in said] == ["2026-03-01", "2026-03-01", "2026-03-03"]
    assert clock.now == 2.0


def test_turns_stand_for_time_where_there_are_no_timestamps() -> None:
    """The fifth turn of four a day is said one day after the first."""
    clock = Clock(4)
    said = [clock.advance(None) for _ in range(6)]
    assert [moment.day for moment in said] == [0.0, 0.25, 0.5, 0.75, 1.0, 1.25]
    assert [moment.date for moment in said] == ["day 1"] * 4 + ["day 2"] * 2


def test_a_turn_without_timestamp_follows_the_one_before() -> None:
    """It belongs to the latest date known and moves the clock a little, until a timestamp does."""
    clock = Clock(4)
    said = [
        clock.advance(text) for text in ("2026-03-01T00:00", None, "not a date", "2026-03-02T00:00")
    ]
    assert [moment.day for moment in said] == [0.0, 0.25, 0.5, 1.0]
    assert [moment.date for moment in said] == ["2026-03-01"] * 3 + ["2026-03-02"]


def test_timestamps_that_come_after_turns_without_go_on_from_there() -> None:
    """The first timestamp is now, whatever the calendar says."""
    clock = Clock(2)
    said = [clock.advance(text) for text in (None, None, "2026-03-01T00:00", "2026-03-02T00:00")]
    assert [moment.day for moment in said] == [0.0, 0.5, 0.5, 1.5]


def test_the_clock_never_goes_back() -> None:
    """A turn told late has its own time, and now stays now."""
    clock = Clock(2)
    clock.advance("2026-03-05T00:00")
    late = clock.advance("2026-03-04T00:00")
    assert (late.day, late.date, clock.now) == (-1.0, "2026-03-04", 0.0)


@pytest.mark.parametrize("text", ["2026-03-01T23:00:00+00:00", "2026-03-02T01:00:00+02:00"])
def test_zones_are_minded_for_time_and_dates_are_as_stated(text: str) -> None:
    """Two names of one instant are one hour before midnight in UTC."""
    clock = Clock(2)
    clock.advance(text)
    assert clock.advance("2026-03-02T00:00").day == pytest.approx(1 / 24)
    assert Clock(2).advance(text).date == text[:10]


@pytest.mark.parametrize("text", [None, "", "evening", "2026-13-01", "0001-01-01T00:00+05:00"])
def test_what_states_no_time_states_none(text: str | None) -> None:
    """Neither a missing nor an unreadable timestamp is an error."""
    assert stated_time(text) is None


def test_a_stated_time_keeps_its_zone() -> None:
    """It is what the timestamp says, with a zone where there is one."""
    for text in ("2026-03-01", "2026-03-01T10:00", "2026-03-01T10:00:00+02:00"):
        assert stated_time(text) == datetime.fromisoformat(text)
