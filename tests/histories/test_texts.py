"""Contents as a stream may hold them."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from pathlib import Path

import docx
import openpyxl

from pytest_comem.histories.placeholders import Placeholders
from pytest_comem.histories.texts import cleaned, said_in
from pytest_comem.office.documents import Document


def document(text: str) -> bytes:
    """Return a document of one paragraph."""
    made, out = docx.Document(), io.BytesIO()
    made.core_properties.author = "Jane Roe"
    made.add_paragraph(text)
    made.save(out)
    return out.getvalue()


def test_a_document_is_cleaned_and_can_still_be_read() -> None:
    """Its text and its properties, the same bytes every time."""
    placeholders = Placeholders()
    placeholders.introduce([("Jane Roe", "jane@x.org")])
    raw = document("Write to jane@x.org, says Jane Roe.")
    found = cleaned("a.docx", raw, placeholders)
    assert found is not None
    assert Document("a.docx", found).text == "Write to person1@example.org, says Person 1."
    assert "Roe" not in said_in("a.docx", found)
    assert cleaned("a.docx", raw, placeholders) == found


def test_a_document_that_hides_an_address_in_pieces_is_left_out() -> None:
    """Runs of a paragraph part what a reader sees as one."""
    made, out = docx.Document(), io.BytesIO()
    paragraph = made.add_paragraph("jane@x")
    paragraph.add_run(".org").bold = True
    made.save(out)
    assert cleaned("a.docx", out.getvalue(), Placeholders()) is None


def test_a_workbook_is_cleaned() -> None:
    """Texts of cells are."""
    book, out = openpyxl.Workbook(), io.BytesIO()
    book.create_sheet("one", 0)["A1"] = "jane@x.org"
    book.save(out)
    found = cleaned("a.xlsx", out.getvalue(), Placeholders())
    assert found is not None
    assert Document("a.xlsx", found).text == "person1@example.org"


def test_a_database_with_an_address_is_left_out(tmp_path: Path) -> None:
    """One without is kept as it is."""
    for name, value, kept in (("a.sqlite", "plain", True), ("b.sqlite", "jane@x.org", False)):
        with sqlite3.connect(tmp_path / name) as base:
            base.execute("create table t (x text)")
            base.execute("insert into t values (?)", (value,))
        base.close()
        raw = (tmp_path / name).read_bytes()
        assert cleaned(name, raw, Placeholders()) == (raw if kept else None)


def test_other_binary_files_and_broken_archives_are_left_out() -> None:
    """Pictures, other encodings, what is no archive, and one that unpacks without end."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b" " * (40 << 20))
    cases = {
        "a.png": b"\x89PNG\0",
        "a.md": b"caf\xe9",
        "a.docx": b"PK no",
        "b.docx": out.getvalue(),
    }
    for path, raw in cases.items():
        assert cleaned(path, raw, Placeholders()) is None
