"""Whatever an agent leaves: a check fails with a reason, and nothing else happens."""

from __future__ import annotations

import io
import sqlite3
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from made_office_files import database, document, found, no_command, workbook

from pytest_comem.office.checks.base import Scene
from pytest_comem.sandbox.tree import MOST_ENTRIES, Files, read_tree

XML = b'<?xml version="1.0"?>'
BOMB = (
    b'<!DOCTYPE b [<!ENTITY a "aaaaaaaaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 10))
    + b"]>"
)


def exchanged(raw: bytes, parts: Mapping[str, bytes]) -> bytes:
    """Return an archive with parts exchanged."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(raw)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, parts.get(name, old.read(name)))
    return out.getvalue()


def sheet(rows: str) -> bytes:
    """Return a workbook whose one sheet has these rows."""
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    text = f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>'
    return exchanged(workbook({"S": [["a"]]}), {"xl/worksheets/sheet1.xml": text.encode()})


def far(rows: int) -> str:
    """Return rows each of which has one cell in the last column."""
    return "".join(
        f'<row r="{n}"><c r="XFD{n}" t="inlineStr"><is><t>a</t></is></c></row>'
        for n in range(1, rows + 1)
    )


BOOK = workbook({"S": [["a"], [1]]})
LETTER = document(("", "a"))
SHEET, BODY = "xl/worksheets/sheet1.xml", "word/document.xml"
TABLES = {
    "zip bomb": ("a.xlsx", exchanged(BOOK, {SHEET: b" " * 50_000_000})),
    "entity bomb": ("a.xlsx", exchanged(BOOK, {SHEET: XML + BOMB + b"<b>&a9;</b>"})),
    "entity bomb in UTF-16": (
        "a.xlsx",
        exchanged(BOOK, {SHEET: (BOMB + b"<b>&a9;</b>").decode().encode("utf-16")}),
    ),
    "external entity": (
        "a.docx",
        exchanged(
            LETTER,
            {BODY: XML + b'<!DOCTYPE b [<!ENTITY a SYSTEM "file:///etc/passwd">]><b>&a;</b>'},
        ),
    ),
    "zip bomb of a document": ("a.docx", exchanged(LETTER, {BODY: b"<w>" * 15_000_000})),
    "no document": ("a.docx", BOOK),
    "no workbook": ("a.xlsx", b"PK\x03\x04 and no more"),
    "empty workbook": ("a.xlsx", b""),
    "cut off": ("a.xlsx", BOOK[:-40]),
    "far rows": ("a.xlsx", sheet('<row r="9999999"><c r="A9999999"><v>1</v></c></row>')),
    "far columns": ("a.xlsx", sheet(far(100))),
    "a huge cell": (
        "a.xlsx",
        sheet(f'<row r="1"><c r="A1" t="inlineStr"><is><t>{"x" * 40_000}</t></is></c></row>'),
    ),
    "a million rows": ("a.csv", b"a\n" * 1_000_000),
    "a huge field": ("a.csv", b'"' + b"x" * 1_000_000),
    "a wide row": ("a.csv", b"a," * 100_000),
    "zeros": ("a.csv", b"\0" * 1_000),
    "invalid UTF-8": ("a.csv", b"a,b\n\xff\xfe\n"),
    "a database": ("a.csv", b"SQLite format 3\0" + b"\0" * 100),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_any_shape_is_a_reason(name: str) -> None:
    """Bombs, damage, and what is too large are not read, and said so."""
    path, raw = TABLES[name]
    one = found("columns", {path: raw}, file="a.*", equal=["b"])
    assert one.passed is False
    assert "a." in one.reason or "cannot be read" in one.reason


TEXTS: list[tuple[str, dict[str, Any]]] = [
    ("contains", {"all": ["zzz"]}),
    ("headings", {"include": ["zzz"]}),
    ("line", {"lead": "zzz", "equal": "a"}),
    ("date_style", {"style": "iso"}),
    ("number_style", {"style": "1,234.5", "least": 10_000}),
    ("number_near", {"near": "zzz", "equals": 1}),
    ("rows", {"count": 7}),
    ("value", {"key": {"a": "zzz"}, "column": "a", "equals": 1}),
    ("formula", {"sheet": "S", "cells": ["A1"]}),
    ("sheets", {"include": ["zzz"]}),
    ("sql", {"statement": "SELECT 'zzz' FROM t", "equals": [["zzz"]]}),
]


@pytest.mark.parametrize(("kind", "arguments"), TEXTS, ids=[kind for kind, _ in TEXTS])
@pytest.mark.parametrize("name", TABLES)
def test_every_kind_survives_every_file(kind: str, arguments: dict[str, Any], name: str) -> None:
    """No file makes a check pass by being broken, or raises."""
    path, raw = TABLES[name]
    assert found(kind, {path: raw}, file="a.*", **arguments).passed is False


@pytest.mark.parametrize(
    "text",
    [
        "1 111 " * 160_000,
        "1,111" * 190_000,
        "#" * 990_000,
        "|" * 990_000,
        "|-|\n" * 49_000,
        "```\n" * 49_000,
        "- " * 490_000,
        "1." * 490_000,
        "31 March " * 110_000,
        "\u202e\u0000\u200b" * 200_000,
    ],
    ids=lambda text: repr(text[:8]),
)
@pytest.mark.parametrize("kind", ["contains", "headings", "line", "date_style", "number_near"])
def test_texts_made_to_take_long_come_to_an_end(kind: str, text: str) -> None:
    """Reading is linear in what is read."""
    arguments = dict(TEXTS)[kind]
    assert found(kind, {"a.md": text}, file="a.md", **arguments).passed is False


def test_a_formula_is_data() -> None:
    """What looks like a formula for a spreadsheet or a pattern for us is compared as it is."""
    evil = '=HYPERLINK("http://x","a")'
    files = {"a.csv": f'name\n"{evil.replace(chr(34), chr(34) * 2)}"\n', "b.md": "[a-z]+ (a+)+$"}
    one = found("value", files, file="a.csv", key={"name": evil}, column="name", equals=evil)
    assert one.passed
    assert found("contains", files, file="b.md", all=["(a+)+$"]).passed
    assert found("number_near", files, file="b.md", near="(a+)+$", equals=1).passed is False


def test_reasons_can_be_shown_in_a_terminal() -> None:
    """Names and texts with control characters are escaped and clipped."""
    path = "re\x1b[2Jport.md"
    one = found("name", {path: "x"}, file="*.md", equal="report.md")
    assert one.passed is False
    assert "\x1b" not in one.reason
    long = found("line", {"a.md": "Owner: " + "\x1b" * 5_000}, file="*", lead="Owner:", equal="A")
    assert "\x1b" not in long.reason
    assert len(long.reason) < 1_000


def test_a_database_cannot_reach_out(tmp_path: Path) -> None:
    """Views that call functions, endless queries' rows, and damaged pages are reasons."""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    raw = database(tmp_path, f"CREATE VIEW t AS {endless}")
    one = found("sql", {"a.db": raw}, file="*.db", statement="SELECT * FROM t", equals=[])
    assert one.passed is False
    assert "more than 1000 rows" in one.reason
    raw = database(tmp_path, "CREATE TABLE t (a)", "INSERT INTO t VALUES ('x')")
    damaged = raw[:100] + b"\xff" * 300 + raw[400:]
    one = found("sql", {"a.db": damaged}, file="*.db", statement="SELECT * FROM t", equals=[["x"]])
    assert one.passed is False
    text = "INSERT INTO t VALUES (CAST(x'ff' AS TEXT))"
    raw = database(tmp_path, "CREATE TABLE t (a)", text)
    one = found("sql", {"a.db": raw}, file="*.db", statement="SELECT a FROM t", equals=[["x"]])
    assert one.passed is False
    assert sqlite3.sqlite_version  # the reading is of this library alone


def test_links_and_directories_are_no_files(tmp_path: Path) -> None:
    """A link out of the workspace is not followed, and a directory with a file's name is none."""
    secret = tmp_path / "secret.md"
    secret.write_text("# Secret\n")
    workspace = tmp_path / "workspace"
    (workspace / "dir.md").mkdir(parents=True)
    (workspace / "link.md").symlink_to(secret)
    (workspace / "way").symlink_to(tmp_path)
    place = Scene(Files({}), read_tree(workspace), no_command)
    link = found("contains", place, file="link.md", all=["Secret"])
    assert link.passed is False
    assert "symbolic link" in link.reason
    assert found("exists", place, file="dir.md").passed is False
    assert found("exists", place, file="way/secret.md").passed is False
    assert found("absent", place, file="link*").passed is False


@pytest.mark.parametrize("place", [".", "reports"])
def test_a_flooded_directory_is_the_reason(tmp_path: Path, place: str) -> None:
    """Where there is too much to be looked at, that is said, and not that nothing is there."""
    flooded = tmp_path / place
    flooded.mkdir(exist_ok=True)
    (flooded / "may.md").write_text("# May\n", encoding="utf-8")
    for number in range(MOST_ENTRIES + 1):
        (flooded / f"{number}").touch()
    pattern = "may.md" if place == "." else "reports/may.md"
    scene = Scene(Files({}), read_tree(tmp_path), no_command)
    said = found("exists", scene, file=pattern)
    assert said.passed is False
    assert "was not read: more than 10,000 entries" in said.reason
