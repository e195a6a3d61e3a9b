"""What files of a workspace say."""

from __future__ import annotations

import datetime
import io

import pytest
from made_office_files import document, workbook
from openpyxl import Workbook

from pytest_comem.office.documents import Document
from pytest_comem.sandbox.reading import UnreadableError


def headings(text: str) -> list[tuple[int, str]]:
    """Return the levels and texts of a Markdown text's headings."""
    blocks = Document("a.md", text.encode()).blocks
    return [(block.level, block.text) for block in blocks if block.kind == "heading"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("# A\n## B ##\n### *C*\n", [(1, "A"), (2, "B"), (3, "C")]),
        ("A\n===\n\nB\n---\n", [(1, "A"), (2, "B")]),
        ("#A\n####### B\n    # C\n", []),
        ("```\n# A\n```\n# B\n", [(1, "B")]),
        ("~~~\n```\n# A\n~~~\n# B\n", [(1, "B")]),
        ("---\ntitle: A\n---\n# B\n", [(1, "B")]),
        ("- a\n---\n", []),
        ("| a |\n|---|\n| b |\n", []),
        ("#\n# A #1\n", [(1, ""), (1, "A #1")]),
    ],
)
def test_headings_of_markdown(text: str, found: list[tuple[int, str]]) -> None:
    """With signs or underlined; not in code, front matter or tables."""
    assert headings(text) == found


def test_tables_of_markdown_are_apart() -> None:
    """Each with its header; pipes that are escaped belong to a cell."""
    text = "| a | b |\n|---|---|\n| 1 | x\\|y |\n\ntext\n\nc|d\n:-|-:\n2|3\n"
    assert list(Document("a.md", text.encode()).tables()) == [
        [["a", "b"], ["1", "x|y"]],
        [["c", "d"], ["2", "3"]],
    ]


def test_a_document_reads_in_order() -> None:
    """Title, headings, paragraphs, bullets and tables, those apart."""
    raw = document(
        ("0", "Title"),
        ("", "one"),
        ("table", [["a", "b"], ["1", "2"]]),
        ("2", "Part"),
        ("List Bullet", "two"),
        ("table", [["c"], ["3"]]),
    )
    made = Document("a.docx", raw)
    assert made.text.split("\n") == ["Title", "one", "a | b", "1 | 2", "Part", "two", "c", "3"]
    assert [block.level for block in made.blocks if block.kind == "heading"] == [1, 2]
    assert list(made.tables()) == [[["a", "b"], ["1", "2"]], [["c"], ["3"]]]


def test_cells_of_a_workbook_are_what_a_reader_sees() -> None:
    """Dates as ISO, truth values in words, numbers as numbers whatever they look like."""
    day = datetime.date(2025, 3, 31)
    raw = workbook({"S": [["a", None, "c"], [1.5, True, day], [2, False, "=A2"], []]})
    made = Document("a.xlsx", raw)
    assert list(made.tables()) == [
        [["a", "", "c"], [1.5, "TRUE", "2025-03-31"], [2.0, "FALSE", 1.5]],
    ]
    assert made.grid("S")[2][2].formula == "A2"
    assert made.text == "a |  | c\n1.5 | TRUE | 2025-03-31\n2 | FALSE | 1.5"


def test_formats_of_numbers_are_no_dates() -> None:
    """Currencies, colours and words in a format have letters of dates, too."""
    book = Workbook()
    sheet = book.worksheets[0]
    formats = ["#,##0.00", '0.0 "days"', "[Red]0.0", "0.00E+00", "dd.mm.yyyy", "yyyy-mm-dd hh:mm"]
    for column, code in enumerate(formats, 1):
        cell = sheet.cell(1, column, 45747.5)
        cell.number_format = code
    out = io.BytesIO()
    book.save(out)
    (table,) = Document("a.xlsx", out.getvalue()).tables()
    assert table == [[*[45747.5] * 4, *["2025-03-31 12:00:00"] * 2]]


def test_another_ending_is_text() -> None:
    """Also one that looks like Markdown."""
    made = Document("a.py", b"# comment\nx = 1\n")
    assert [block.kind for block in made.blocks] == ["text", "text"]
    assert list(Document("a.tsv", b"a\tb\n1\t2\n").tables()) == [[["a", "b"], ["1", "2"]]]


def test_only_workbooks_have_sheets() -> None:
    """And the reason says so."""
    with pytest.raises(UnreadableError, match="no workbook"):
        _ = Document("a.csv", b"a").sheets
