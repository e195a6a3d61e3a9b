"""Simple formulas, computed where no program has done it."""

from __future__ import annotations

import pytest

from pytest_comem.office.formulas import Formulas
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.workbooks import EMPTY, GridCell


def number(text: str) -> GridCell:
    """Return a cell that holds a number."""
    return GridCell("n", text)


def formula(text: str) -> GridCell:
    """Return a cell that holds a formula nobody has computed."""
    return GridCell("n", "", text)


GRIDS = {
    "S": [
        [GridCell("s", "item"), GridCell("s", "units"), EMPTY],
        [number("10"), number("2.5"), formula("A2*B2")],
        [number("20"), number("0"), formula("A3*B3")],
        [formula("SUM(A2:A3)"), EMPTY, formula("SUM(C2:C3)")],
        [formula("A5"), formula("C5+1"), formula("B5+1")],
    ],
    "Other sheet": [[number("7")]],
}


def grid(name: str) -> list[list[GridCell]]:
    """Return a sheet."""
    if name not in GRIDS:
        raise UnreadableError("no such sheet")
    return GRIDS[name]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1+2*3", 7),
        ("(1+2)*3", 9),
        ("10-4-3", 3),
        ("8/4/2", 1),
        ("-A2+1", -9),
        ("2*-3", -6),
        ("50%", 0.5),
        ("A2*20%", 2),
        ("SUM(A2:A3)", 30),
        ("sum(a2:a3)", 30),
        ("SUM(A1:C3)", 57.5),
        ("SUM(A2,B2,1)", 13.5),
        ("SUM(A2:A3)/COUNT(A2:A3)", 15),
        ("SUM(A2+A3, 1)", 31),
        ("AVERAGE($A$2:$A$3)", 15),
        ("MIN(A2:B3)+MAX(A2:B3)", 20),
        ("ROUND(A2/3, 2)", 3.33),
        ("ROUND(2.5,0)", 3),
        ("ABS(-3)", 3),
        ("C4", 25),
        ("A4", 30),
        ("'Other sheet'!A1*2", 14),
        ("B4+1", 1),
    ],
)
def test_what_is_simple_is_computed(text: str, value: float) -> None:
    """As spreadsheets do it; cells that are formulas themselves, too."""
    assert Formulas(grid).value("S", text) == pytest.approx(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1/0",
        "A5",
        "B5",
        "VLOOKUP(A1,B2:C3,2)",
        "__import__('os')",
        "1+",
        "(1",
        "1)",
        "SUM(",
        "SUM()",
        "SUM(A2",
        "A2:A3",
        "A2:",
        "AVERAGE(A1:A1)",
        '"a"&"b"',
        "Missing!A1",
        "9" * 400,
        "(" * 900,
        "-" * 900,
        "SUM(" * 200,
        "1+" * 2_000 + "1",
        "SUM(A1:ZZZ1)",
        "ROUND(1,99999)",
        "shared",
    ],
    ids=lambda text: text[:12],
)
def test_everything_else_has_no_value(text: str) -> None:
    """Circles, unknown functions, broken or endless formulas."""
    assert Formulas(grid).value("S", text) is None
