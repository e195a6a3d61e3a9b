"""Places: inside the workspace, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_comem.domains.tools.places import read_place
from pytest_comem.domains.tools.tables import NoTableError


@pytest.mark.parametrize(
    "value",
    [
        {"file": "work/a.csv"},
        {"commit": "docs/notes.md"},
        {"workbook": "books/plan.xlsx", "sheet": "Lack of it"},
        {"table": "requests", "where": {"request": "R-41"}},
        {"table": "runs", "where": {"run": 7}},
    ],
)
def test_a_place_is_read_as_it_is_written(value: Any) -> None:
    """A file, a committed file, a sheet, rows of a table."""
    assert read_place(value).as_json() == value


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "work/a.csv",
        {},
        {"file": 7},
        {"file": ""},
        {"file": "/etc/passwd"},
        {"file": "../a"},
        {"file": "work/../../a"},
        {"file": "work//a"},
        {"file": ".git/config"},
        {"file": "work/.hidden"},
        {"file": "a\0b"},
        {"file": "a\n"},
        {"file": "a/" * 7 + "b"},
        {"file": "a", "commit": "b"},
        {"commit": "-rf"},
        {"workbook": "a.xlsx"},
        {"workbook": "a.xlsx", "sheet": "no/such"},
        {"workbook": "a.xlsx", "sheet": ""},
        {"table": "a; DROP TABLE b", "where": {"c": 1}},
        {"table": "a", "where": {}},
        {"table": "a", "where": {"b": 1, "c": 2}},
        {"table": "a", "where": {'b" = 1 --': 1}},
        {"table": "a", "where": {"b": []}},
        {"table": "a", "where": [1]},
    ],
)
def test_anything_else_is_no_place(value: Any) -> None:
    """No way out of the workspace, no hidden file, no name that could be SQL."""
    with pytest.raises(NoTableError):
        read_place(value)
