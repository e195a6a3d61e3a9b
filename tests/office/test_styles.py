"""Dates and numbers in texts, found and written."""

from __future__ import annotations

from datetime import date

import pytest

from pytest_comem.office.styles import (
    DATE_STYLES,
    dates_in,
    format_date,
    format_number,
    numbers_in,
)

MARCH = date(2025, 3, 31)
NUMBER_STYLES = (
    *("1234.5", "1,234.5", "1,234.50", "1 234,5", "1,235", "1.234,5", "1235", "1 235"),
    *("1'234.50", "1234,50", "1.235", "1 234.500"),
)


@pytest.mark.parametrize(
    ("style", "written"),
    [
        ("iso", "2025-03-31"),
        ("slash", "31/03/2025"),
        ("us", "03/31/2025"),
        ("dotted", "31.03.2025"),
        ("long", "31 March 2025"),
        ("short", "31 Mar 2025"),
        ("month_first", "March 31, 2025"),
    ],
)
def test_a_date_is_written_and_found_in_every_style(style: str, written: str) -> None:
    """What is written in a style is found again in it, at its place."""
    assert format_date(MARCH, style) == written
    (found,) = dates_in(f"Due {written}.")
    assert (found.styles, found.date, found.text) == ((style,), MARCH, written)
    assert f"Due {written}."[found.start : found.end] == written


def test_every_date_style_has_a_form() -> None:
    """No style that is named lacks a form."""
    assert len({format_date(MARCH, style) for style in DATE_STYLES}) == len(DATE_STYLES)
    with pytest.raises(ValueError, match="no date style 'roman'"):
        format_date(MARCH, "roman")


def test_a_date_that_can_be_two_is_both() -> None:
    """Day and month up to 12 can be meant either way round; the day is first by default."""
    (found,) = dates_in("on 03/04/2025")
    assert found.styles == ("slash", "us")
    assert found.date == date(2025, 4, 3)
    assert found.can_be("us")
    assert not found.can_be("iso")


@pytest.mark.parametrize(
    "text",
    [
        "reports/2025-03-31.md",
        "2025-03-31-minutes.md",
        "2025-03-31.csv",
        "id-2025-03-31",
        "2025-13-01",
        "30.02.2025",
        "at 2025-03-31T09:30",
        "1.31.03.2025",
    ],
)
def test_what_is_no_date_is_not_found(text: str) -> None:
    """Paths, identifiers, times and days on no calendar are no dates."""
    assert dates_in(text) == []


def test_dates_stand_at_ends_of_sentences_and_in_brackets() -> None:
    """Punctuation around a date does not hide it."""
    text = "From 31.03.2025. (2025-04-01), '1st May 2025'; 2 Sept. 2025!"
    assert [one.styles[0] for one in dates_in(text)] == ["dotted", "iso", "long", "short"]


@pytest.mark.parametrize(
    ("style", "written"),
    [
        ("1234.5", ["1234.5", "-1234567.891", "12", "0.005"]),
        ("1,234.5", ["1,234.5", "-1,234,567.9", "12.0", "0.0"]),
        ("1,234.50", ["1,234.50", "-1,234,567.89", "12.00", "0.01"]),
        ("1 234,5", ["1 234,5", "-1 234 567,9", "12,0", "0,0"]),
        ("1,235", ["1,235", "-1,234,568", "12", "0"]),
        ("1235", ["1235", "-1234568", "12", "0"]),
        ("1.234,50", ["1.234,50", "-1.234.567,89", "12,00", "0,01"]),
    ],
)
def test_numbers_are_written_in_a_style(style: str, written: list[str]) -> None:
    """Marks and decimals are the style's; halves go away from zero; the plain one keeps digits."""
    values = (1234.5, -1234567.891, 12, 0.005)
    assert [format_number(value, style) for value in values] == written


@pytest.mark.parametrize("style", NUMBER_STYLES)
@pytest.mark.parametrize("value", [0.0, 7.0, 12.5, 999.0, 1234.5, -45678.0, 9876543.5])
def test_what_is_written_is_found_in_its_style(style: str, value: float) -> None:
    """Whatever a style writes can be in this style, with the value that was rounded."""
    written = format_number(value, style)
    (found,) = numbers_in(f"Total: {written} EUR")
    assert found.can_be(style)
    assert found.text == written
    assert dict(found.readings)[style] == pytest.approx(value, abs=0.501)


@pytest.mark.parametrize("style", ["", "1234", "2345.6", "1,234,5", "one", "1.234.50"])
def test_what_is_no_number_style_is_refused(style: str) -> None:
    """A style has to be 1234.5, written in it."""
    with pytest.raises(ValueError, match="no number style"):
        format_number(1.0, style)
    with pytest.raises(ValueError, match="finite"):
        format_number(float("nan"), "1235")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("\u20ac1,234.50 and 12,5 %", [1234.5, 12.5]),
        ("1,234, then (\u22123.25); x=4", [1234.0, -3.25, 4.0]),
        ("north,12.50,99", [12.5, 99.0]),
        ("12,345,x", [12.0, 345.0]),
        ("1\u00a0234,50 and 1\u202f234", [1234.5, 1234.0]),
        ("it took 1.5h", [1.5]),
        ("1,234,567 and 1.234.567,89", [1234567.0, 1234567.89]),
    ],
)
def test_numbers_are_found_with_their_values(text: str, values: list[float]) -> None:
    """Signs, units, lists and blanks of any kind are read as people do."""
    assert [one.value for one in numbers_in(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        "version 1.2, v2.5, 1.2.3 and Python 3.11",
        "at 09:30 on 2025-03-31",
        "see #1234, ticket 4711 and A1234",
        "reports/2025.md and 2025-01-churn.md",
        "commit 4f2a9 or 1234abc",
        "31 March 2025",
    ],
)
def test_parts_of_other_things_are_no_numbers(text: str) -> None:
    """Versions, times, dates, paths and identifiers hold no numbers."""
    assert numbers_in(text) == []


def test_one_mark_and_three_digits_can_be_two_numbers() -> None:
    """1,235 is one thousand and more, or one and decimals; both are told."""
    (found,) = numbers_in("1,235")
    assert found.values == (1235.0, 1.235)
    assert found.styles[:2] == ("1,235", "1234,500")


def test_only_some_numbers_show_a_style() -> None:
    """Small whole numbers and plain years show nothing."""
    found = {one.text: one.telling for one in numbers_in("12 in 2025, 1234 or 2.5 of 1,000")}
    assert found == {"12": False, "2025": False, "1234": True, "2.5": True, "1,000": True}


def test_long_runs_of_digits_end() -> None:
    """Hostile texts take no more than linear work and are no numbers."""
    assert numbers_in("1" * 200_000) == []
    assert dates_in("1 jan " * 30_000) == []
