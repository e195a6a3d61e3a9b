"""Checks of dates and numbers: ``date_style``, ``number_style``, ``number_near``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import isclose
from typing import Annotated, Any, Final, Literal, final

from pydantic import Field, FiniteFloat

from pytest_comem.office.base import Found
from pytest_comem.office.checks.base import (
    FailedError,
    FileArguments,
    Kind,
    Scene,
    passed,
    shown,
)
from pytest_comem.office.styles import (
    FoundNumber,
    dates_in,
    format_number,
    numbers_in,
)
from pytest_comem.records.base import Name

#: How far a number may be from what is expected where a rubric does not say.
TOLERANCE: Final = 0.005
_Least = Annotated[int, Field(ge=0, le=10_000)]


@final
class DateStyleArguments(FileArguments):
    """Arguments of ``date_style``.

    :param least: dates that there have to be.
    """

    style: Literal["iso", "slash", "us", "dotted", "long"]
    least: _Least = 1


@final
class NumberStyleArguments(FileArguments):
    """Arguments of ``number_style``.

    :param style: how 1234.5 is written.
    :param least: numbers that there have to be.
    """

    style: Annotated[str, Field(min_length=4, max_length=16)]
    least: _Least = 1


@final
class NumberNearArguments(FileArguments):
    """Arguments of ``number_near``.

    :param near: phrase on whose line, and after which, the number stands.
    """

    near: Name
    equals: FiniteFloat
    tolerance: Annotated[float, Field(ge=0)] = TOLERANCE


def date_style(arguments: DateStyleArguments, scene: Scene) -> Found:
    """Pass where every date of the file can be read in the style, and there are enough."""
    document = scene.document(arguments)
    dates = dates_in(document.text)
    for date in dates:
        if not date.can_be(arguments.style):
            raise FailedError(
                f'{shown(document.path)}{_line_of(document.text, date.start)}: "{shown(date.text)}"'
                f" is not in the style {arguments.style}",
                file=document.path,
                found=date.text,
            )
    if len(dates) < arguments.least:
        raise FailedError(
            f"{shown(document.path)}: has {len(dates)} dates; {arguments.least} or more are "
            "expected",
            file=document.path,
        )
    return passed(f"{shown(document.path)}: {len(dates)} dates, all {arguments.style}")


def number_style(arguments: NumberStyleArguments, scene: Scene) -> Found:
    """Pass where every number that shows a style is in this one, and there are enough.

    Whole numbers need its mark between thousands alone. Years are left out, and so is what belongs
    to dates, versions and identifiers.
    """
    document = scene.document(arguments)
    telling = [one for one in numbers_in(document.text) if _is_telling(one)]
    for one in telling:
        if not _is_in(one, arguments.style):
            raise FailedError(
                f'{shown(document.path)}{_line_of(document.text, one.start)}: "{shown(one.text)}" '
                f"is not written like {arguments.style}",
                file=document.path,
                found=one.text,
            )
    if len(telling) < arguments.least:
        raise FailedError(
            f"{shown(document.path)}: has {len(telling)} numbers that show a style; "
            f"{arguments.least} or more are expected",
            file=document.path,
        )
    return passed(f"{shown(document.path)}: {len(telling)} numbers, all like {arguments.style}")


def _is_telling(one: FoundNumber) -> bool:
    digits = one.text.lstrip("+-\u2212")
    return one.telling and (not digits.isdigit() or len(digits) >= 4)


def _is_in(one: FoundNumber, style: str) -> bool:
    if one.can_be(style):
        return True
    # Without decimals only the mark between thousands can show.
    grouped = style[: style.index("2")].removeprefix("1")
    return any(value.is_integer() and name == f"1{grouped}235" for name, value in one.readings) or (
        not grouped and one.text.lstrip("+-\u2212").isdigit()
    )


def number_near(arguments: NumberNearArguments, scene: Scene) -> Found:
    """Pass where the first number after the phrase, on its line, is the one that is expected."""
    document = scene.document(arguments)
    seen: list[FoundNumber] = []
    for number in _after(document.text, arguments.near):
        if any(
            isclose(value, arguments.equals, rel_tol=1e-12, abs_tol=arguments.tolerance)
            for value in number.values
        ):
            return passed(
                f'{shown(document.path)}: {shown(number.text)} after "{shown(arguments.near)}"',
                file=document.path,
            )
        seen.append(number)
    place = f'{shown(document.path)}: after "{shown(arguments.near)}"'
    if not seen:
        raise FailedError(f"{place} stands no number", file=document.path)
    raise FailedError(
        f"{place} stands {shown(seen[0].text)}; expected is {arguments.equals:g}",
        file=document.path,
        found=seen[0].text,
    )


def _after(text: str, near: str) -> Iterator[FoundNumber]:
    """Yield the first number after each occurrence of a phrase, on its line."""
    words = [re.escape(word) for word in near.split()]
    phrase = re.compile(r"\s+".join(words), re.IGNORECASE)
    for line in text.splitlines():
        match = phrase.search(line)
        if match is None:
            continue
        found = next((one for one in numbers_in(line) if one.start >= match.end()), None)
        if found is not None:
            yield found


def _line_of(text: str, place: int) -> str:
    return f", line {text.count(chr(10), 0, place) + 1}"


def _style_problem(arguments: NumberStyleArguments) -> str:
    try:
        format_number(1234.5, arguments.style)
    except ValueError as error:
        return str(error)
    return ""


KINDS: Final[Mapping[str, Kind[Any]]] = {
    "date_style": Kind(DateStyleArguments, date_style),
    "number_style": Kind(NumberStyleArguments, number_style, _style_problem),
    "number_near": Kind(NumberNearArguments, number_near),
}
