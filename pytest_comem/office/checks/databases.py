"""The check of a database: ``sql``."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from math import isclose
from typing import Annotated, Final, final

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
from pytest_comem.office.checks.written import TOLERANCE
from pytest_comem.sandbox.sqlite_bytes import SqliteError, SqliteValue, sqlite_rows

_MOST_ROWS: Final = 1_000
_Cell = int | FiniteFloat | Annotated[str, Field(max_length=10_000)] | None


@final
class SqlArguments(FileArguments):
    """Arguments of ``sql``.

    :param statement: a SELECT, asked of a copy in memory.
    :param equals: its rows, in order.
    """

    statement: Annotated[str, Field(min_length=1, max_length=10_000)]
    equals: Annotated[tuple[tuple[_Cell, ...], ...], Field(max_length=_MOST_ROWS)]
    tolerance: Annotated[float, Field(ge=0)] = TOLERANCE


def sql(arguments: SqlArguments, scene: Scene) -> Found:
    """Pass where the statement returns these rows; fractions may differ by the tolerance."""
    document = scene.document(arguments)
    path = shown(document.path)
    try:
        rows = sqlite_rows(document.raw, arguments.statement, {}, _MOST_ROWS)
    except SqliteError as error:
        raise FailedError(
            f"{path}: {shown(arguments.statement)}: {shown(error)}", file=document.path
        ) from None
    same = len(rows) == len(arguments.equals) and all(
        len(row) == len(wanted) and all(map(_same(arguments.tolerance), row, wanted))
        for row, wanted in zip(rows, arguments.equals, strict=True)
    )
    told = f"{path}: {shown(arguments.statement)} gives {shown([list(row) for row in rows[:20]])}"
    if not same:
        wanted = [list(row) for row in arguments.equals[:20]]
        raise FailedError(f"{told}; expected is {shown(wanted)}", file=document.path)
    return passed(told, file=document.path)


def _same(tolerance: float) -> Callable[[SqliteValue, SqliteValue], bool]:
    def same(one: SqliteValue, other: SqliteValue) -> bool:
        if isinstance(one, float) or isinstance(other, float):
            numbers = isinstance(one, int | float) and isinstance(other, int | float)
            return numbers and isclose(float(one), float(other), abs_tol=tolerance)  # type: ignore[arg-type]
        return type(one) is type(other) and one == other

    return same


def _problem(arguments: SqlArguments) -> str:
    words = arguments.statement.split(None, 1)
    if words[:1] and words[0].upper() not in ("SELECT", "WITH"):
        return "its statement is no SELECT"
    return "" if sqlite3.complete_statement(f"{arguments.statement};") else "no whole statement"


KINDS: Final = {"sql": Kind(SqlArguments, sql, _problem)}
