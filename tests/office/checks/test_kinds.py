"""Every kind of check on files that pass it and on files that do not."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest
from made_office_files import database, document, found, scene, workbook

REPORT = """\
# Churn in March

Prepared by: Ada

## Summary

We lost **12** of 1,204 customers
on 31 March 2025.

## Details

| Region | Lost | Rate |
|--------|-----:|------|
| North  | 7    | 1.2% |
| South  | 5    | 0.5% |

```
# not a heading
```
"""
CSV = "name;units;price\nbolt;12;1.234,50\nnut;3;0,5\n"
BOOK = workbook(
    {
        "Data": [["item", "units", "day"], ["bolt", 12, datetime.date(2025, 3, 31)], ["nut", 3.5]],
        "Sum": [["total"], ["=SUM(Data!B2:B3)"], [7]],
    }
)
LETTER = document(
    ("0", "Minutes"),
    ("1", "Present"),
    ("", "Ada, Grace"),
    ("1", "Decided"),
    ("List Bullet", "Owner: Grace"),
    ("table", [["what", "due"], ["budget", "31.03.2025"]]),
)
FILES: dict[str, bytes | str] = {
    "reports/march.md": REPORT,
    "data/items.csv": CSV,
    "book.xlsx": BOOK,
    "letter.docx": LETTER,
    "notes.txt": "Total: 1,204.50 EUR\nNorth 7, South 5\nversion 1.25.3, 2025\n",
}

PASSING: list[tuple[str, dict[str, Any]]] = [
    ("exists", {"file": "reports/*.md"}),
    ("exists", {"file": ["*.pdf", "letter.docx"]}),
    ("absent", {"file": "*.pdf"}),
    ("name", {"file": "*.md", "equal": "reports/march.md"}),
    ("name", {"file": "*.md", "equal": ["reports/03.md", "reports/march.md"]}),
    ("contains", {"file": "*.md", "all": ["we lost 12 of 1,204 customers on 31 march"]}),
    ("contains", {"file": "*.md", "all": ["Summary", "Details"], "in_order": True}),
    ("contains", {"file": "*.md", "any_of": ["East", "South"], "section": "details"}),
    ("contains", {"file": "*.md", "none": ["East"], "section": "Summary"}),
    ("contains", {"file": "*.md", "none": ["20 customers", "1,20", "2 of"]}),
    ("contains", {"file": "*.docx", "all": ["Owner: Grace"], "section": "Decided"}),
    ("contains", {"file": "*.xlsx", "all": ["bolt | 12 | 2025-03-31"]}),
    ("contains", {"file": "*.md", "all": ["Ada"], "exact": True}),
    ("headings", {"file": "*.md", "equal": ["Churn in March", "Summary", "Details"]}),
    ("headings", {"file": "*.md", "first": "churn in march", "last": ["summary", "details"]}),
    ("headings", {"file": "*.docx", "equal": ["Minutes", "Present", "Decided"]}),
    ("headings", {"file": "*.docx", "include": ["Decided"]}),
    ("line", {"file": "*.md", "lead": "Prepared by:", "equal": "Ada"}),
    ("line", {"file": "*.docx", "lead": "Owner:", "one_of": ["Ada", "Grace"]}),
    ("date_style", {"file": "*.md", "style": "long"}),
    ("date_style", {"file": "*.docx", "style": "dotted"}),
    ("date_style", {"file": "*.xlsx", "style": "iso"}),
    ("number_style", {"file": "*.txt", "style": "1,234.50"}),
    ("number_style", {"file": "*.md", "style": "1,234.5", "least": 2}),
    ("number_near", {"file": "*.txt", "near": "total", "equals": 1204.5}),
    ("number_near", {"file": "*.txt", "near": "South", "equals": 5}),
    ("number_near", {"file": "*.md", "near": "north", "equals": 7}),
    ("columns", {"file": "*.csv", "delimiter": ";", "equal": ["Name", "units", "price"]}),
    ("columns", {"file": "*.xlsx", "equal": ["item", "units", "day"]}),
    ("columns", {"file": "*.xlsx", "sheet": "Sum", "equal": ["total"]}),
    ("columns", {"file": "*.md", "equal": ["Region", "Lost", "Rate"]}),
    ("columns", {"file": "*.docx", "equal": ["what", "due"]}),
    (
        "value",
        {
            "file": "*.csv",
            "delimiter": ";",
            "key": {"name": "bolt"},
            "column": "price",
            "equals": 1234.5,
        },
    ),
    ("value", {"file": "*.xlsx", "key": {"item": "nut"}, "column": "units", "equals": 3.5}),
    ("value", {"file": "*.xlsx", "key": {"units": 12}, "column": "day", "equals": "2025-03-31"}),
    ("value", {"file": "*.md", "key": {"region": "south"}, "column": "rate", "equals": 0.5}),
    ("rows", {"file": "*.csv", "delimiter": ";", "count": 2}),
    ("rows", {"file": "*.xlsx", "sheet": "Data", "count": 2}),
    ("formula", {"file": "*.xlsx", "sheet": "Sum", "cells": ["A2"]}),
    ("sheets", {"file": "*.xlsx", "include": ["Sum", "data"]}),
]

FAILING: list[tuple[str, dict[str, Any], str]] = [
    ("exists", {"file": "reports/*.txt"}, "no new or changed file matches"),
    ("exists", {"file": ["*.md", "*.txt"]}, "2 files match"),
    ("absent", {"file": "data/*"}, "data/items.csv should not be there"),
    ("name", {"file": "*.md", "equal": "reports/2025-03.md"}, "should be called"),
    ("contains", {"file": "*.md", "all": ["East"]}, "is missing"),
    ("contains", {"file": "*.md", "all": ["204 customers"]}, "is missing"),
    ("contains", {"file": "*.md", "all": ["Details", "Summary"], "in_order": True}, "before"),
    ("contains", {"file": "*.md", "any_of": ["East", "West"]}, "has none of"),
    ("contains", {"file": "*.md", "none": ["South"]}, 'has "South"'),
    ("contains", {"file": "*.md", "all": ["South"], "section": "Summary"}, "is missing"),
    ("contains", {"file": "*.md", "all": ["South"], "section": "Annex"}, "no section"),
    ("contains", {"file": "*.md", "all": ["ada"], "exact": True}, "is missing"),
    ("headings", {"file": "*.md", "equal": ["Summary", "Details"]}, "expected are"),
    ("headings", {"file": "*.md", "include": ["not a heading"]}, "should include"),
    ("headings", {"file": "*.md", "last": "Summary"}, "end with"),
    ("line", {"file": "*.md", "lead": "Prepared by:", "equal": "Grace"}, 'goes on with "ada"'),
    ("line", {"file": "*.md", "lead": "Approved by:", "equal": "Ada"}, "is missing"),
    ("date_style", {"file": "*.md", "style": "iso"}, '"31 March 2025"'),
    ("date_style", {"file": "*.csv", "style": "iso"}, "has 0 dates"),
    ("number_style", {"file": "*.txt", "style": "1 234,5"}, '"1,204.50"'),
    ("number_style", {"file": "*.csv", "style": "1,234.5"}, "is not written like"),
    ("number_style", {"file": "*.docx", "style": "1,234.5"}, "has 0 numbers"),
    ("number_near", {"file": "*.txt", "near": "total", "equals": 1204.6}, "expected is 1204.6"),
    ("number_near", {"file": "*.txt", "near": "East", "equals": 1}, "stands no number"),
    ("columns", {"file": "*.csv", "equal": ["name", "units", "price"]}, "name;units;price"),
    ("columns", {"file": "*.txt", "equal": ["name"]}, "expected are name"),
    ("columns", {"file": "*.xlsx", "sheet": "None", "equal": ["item"]}, "no sheet None"),
    (
        "value",
        {"file": "*.xlsx", "key": {"item": "bolt"}, "column": "units", "equals": 13},
        "is 12; expected is 13",
    ),
    (
        "value",
        {"file": "*.xlsx", "key": {"item": "screw"}, "column": "units", "equals": 13},
        "no rows have item screw",
    ),
    (
        "value",
        {"file": "*.xlsx", "key": {"article": "bolt"}, "column": "units", "equals": 12},
        "no table with the columns",
    ),
    ("rows", {"file": "*.csv", "delimiter": ";", "count": 3}, "has 2 rows"),
    ("formula", {"file": "*.xlsx", "sheet": "Sum", "cells": ["A2", "A3"]}, "no formula but 7"),
    ("formula", {"file": "*.xlsx", "sheet": "Sum", "cells": ["C9"]}, "nothing"),
    ("sheets", {"file": "*.xlsx", "include": ["Sum", "Plan"]}, "no sheet Plan"),
    ("sheets", {"file": "*.csv", "include": ["Plan"]}, "no workbook"),
]


@pytest.mark.parametrize(("kind", "arguments"), PASSING)
def test_what_is_as_it_should_be_passes(kind: str, arguments: dict[str, Any]) -> None:
    """And says of which file it speaks."""
    one = found(kind, FILES, **arguments)
    assert one.passed, one.reason
    assert one.reason


@pytest.mark.parametrize(("kind", "arguments", "reason"), FAILING)
def test_what_is_not_fails_and_says_why(kind: str, arguments: dict[str, Any], reason: str) -> None:
    """The reason names the file, the place and what was expected."""
    one = found(kind, FILES, **arguments)
    assert one.passed is False
    assert reason in one.reason


def test_only_new_and_changed_files_count_unless_any_do() -> None:
    """A file that stayed as it was is not the agent's work, and the reason says that it stayed."""
    place = scene({"a.md": "# A", "b.md": "# B"}, {"a.md": "# A", "b.md": "# old"})
    assert found("exists", place, file="*.md").passed
    untouched = found("exists", place, file="a.md")
    assert untouched.passed is False
    assert "a.md stayed as it was" in untouched.reason
    assert found("exists", place, file="a.md", any=True).passed


def test_files_of_before_have_to_stay_as_they_were() -> None:
    """A changed byte, a file that is gone and one that became something else all fail."""
    before: dict[str, bytes | str] = {"raw/a.csv": "a\n", "raw/b.csv": "b\n", "c.md": ""}
    kept = scene({**before, "c.md": "new", "raw/new.csv": ""}, before)
    assert found("unchanged", kept, file="raw/*").passed
    for after, reason in (
        ({**before, "raw/a.csv": "a\r\n"}, "raw/a.csv was changed"),
        ({"raw/a.csv": "a\n"}, "raw/b.csv is gone"),
    ):
        one = found("unchanged", scene(after, before), file="raw/*")
        assert one.passed is False
        assert reason in one.reason


@pytest.mark.parametrize(
    ("encoding", "raw", "good"),
    [
        ("utf-8", "Zoë,1\n".encode(), True),
        ("utf-8", "Zoë,1\n".encode("utf-8-sig"), True),
        ("utf-8-sig", "Zoë,1\n".encode("utf-8-sig"), True),
        ("utf-8-sig", "Zoë,1\n".encode(), False),
        ("cp1252", "Zoë,1\n".encode("cp1252"), True),
        ("cp1252", "Zoë,1\n".encode(), False),
        ("utf-8", "Zoë,1\n".encode("cp1252"), False),
        ("ascii", "Zoë,1\n".encode(), False),
        ("utf-16", "Zoë,1\n".encode("utf-16"), True),
        ("utf-16", b"\xff\xfeabc", False),
    ],
)
def test_a_table_is_read_in_the_encoding_that_is_asked_for(
    encoding: str, raw: bytes, good: bool
) -> None:
    """Another encoding shows other letters, or cannot be read at all."""
    one = found("columns", {"a.csv": raw}, file="a.csv", encoding=encoding, equal=["Zoë", "1"])
    assert one.passed is good


def test_databases_are_asked_in_memory(tmp_path: Path) -> None:
    """Rows agree in order, numbers within the tolerance; texts are no numbers."""
    made = ("CREATE TABLE t (a TEXT, b REAL)", "INSERT INTO t VALUES ('x', 1.5), ('y', 2)")
    for journal in ("delete", "wal"):
        files = {"d.db": database(tmp_path, *made, journal=journal)}
        asked = {"file": "d.db", "statement": "SELECT a, b FROM t ORDER BY a"}
        assert found("sql", files, **asked, equals=[["x", 1.501], ["y", 2]]).passed
        for wrong in ([], [["x", 1.5]], [["x", 1.51], ["y", 2]], [["y", 2], ["x", 1.5]]):
            assert found("sql", files, **asked, equals=wrong).passed is False
    one = found("sql", files, file="d.db", statement="SELECT * FROM u", equals=[])
    assert one.passed is False
    assert "no such table: u" in one.reason


def test_a_number_may_be_written_in_any_style() -> None:
    """Where its value matters and not its style, and 1,234 may be meant in two ways."""
    for written in ("1234.5", "1,234.50", "1 234,5", "1.234,50", "EUR 1,234.5"):
        files = {"a.md": f"Total: {written}\n"}
        assert found("number_near", files, file="*", near="Total:", equals=1234.5).passed
    files = {"a.md": "Total: 1,234\n"}
    assert found("number_near", files, file="*", near="Total:", equals=1234).passed
