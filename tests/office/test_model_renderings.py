"""Files as a judge model is shown them."""

from __future__ import annotations

import sqlite3

import pytest
from made_office_files import document, workbook

from pytest_comem.office.documents import MOST_CHARACTERS
from pytest_comem.office.model_renderings import MOST_ROWS, MOST_TABLES, rendering


def database(*statements: str) -> bytes:
    """Return a database after these statements."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.executescript(statement)
    found = connection.serialize()
    connection.close()
    return found


def test_text_keeps_all_its_marks() -> None:
    """A judge has to see how it is written."""
    text = "# Title\n\n- *one*\n\n| a | b |\n| - | - |\n| 1 | 2 |\n"
    assert rendering("a.md", text.encode()) == text
    assert rendering("a.py", b"\xef\xbb\xbfx = 1\n") == "x = 1\n"


def test_text_of_another_encoding_is_shown_as_such() -> None:
    """It may be what was asked for."""
    assert rendering("a.csv", "Größe;1".encode("cp1252")) == "(not in UTF-8; as Latin-1:)\nGröße;1"


def test_a_workbook_is_shown_by_sheets() -> None:
    """With names, values and formulas."""
    raw = workbook({"May": [["Site", "Sum"], ["North", 12.5], ["All", "=SUM(B2:B2)"]]})
    assert rendering("a.xlsx", raw).splitlines() == [
        "SHEET May",
        "Site | Sum",
        "North | 12.5",
        "All | 12.5",
        "(1 formulas: =SUM(B2:B2))",
    ]


def test_a_document_is_shown_with_its_levels() -> None:
    """Headings as such."""
    raw = document(("1", "Title"), ("", "Text."), ("table", [["a", "b"]]))
    assert rendering("a.docx", raw).splitlines() == ["# Title", "Text.", "a | b"]


def test_a_database_is_shown_by_tables() -> None:
    """Whatever it is called; with rows, and no more than a bound."""
    raw = database(
        'CREATE TABLE "odd ""name" (a, b); INSERT INTO "odd ""name" VALUES (1, NULL), (\'x\', 2.5)',
        "CREATE TABLE many (n); WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c "
        f"LIMIT {MOST_ROWS + 5}) INSERT INTO many SELECT n FROM c",
    )
    lines = rendering("data/raw", raw).splitlines()
    assert lines[:2] == ["TABLE CREATE TABLE many (n)", "1"]
    assert lines[MOST_ROWS + 1 :] == ['TABLE CREATE TABLE "odd ""name" (a, b)', "1 | ", "x | 2.5"]
    more = database(*(f"CREATE TABLE t{number:02} (a)" for number in range(MOST_TABLES + 3)))
    assert len(rendering("a.db", more).splitlines()) == MOST_TABLES


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("a.xlsx", b"PK\x03\x04"),
        ("a.docx", b"no zip"),
        ("a.db", b"SQLite format 3\0" + b"\xff" * 200),
        ("a.bin", b"a\0b"),
    ],
)
def test_what_cannot_be_shown_says_why(path: str, raw: bytes) -> None:
    """In parentheses."""
    found = rendering(path, raw)
    assert found.startswith("(")
    assert found.endswith(")")


def test_what_is_huge_is_bounded() -> None:
    """Long before it is clipped for a prompt."""
    assert len(rendering("a.txt", b"x" * 10 * MOST_CHARACTERS)) == 4 * MOST_CHARACTERS
