"""Workspaces in memory, and what a test comes to in them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import docx
from openpyxl import Workbook

from pytest_comem.office.base import Found
from pytest_comem.office.checks.base import CommandRan, Scene
from pytest_comem.office.checks.registry import decide
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import Test as OneTest


def no_command(files: Files, command: str, add: Mapping[str, str], seconds: float) -> CommandRan:
    """Stand for a sandbox where none may be needed."""
    raise AssertionError(f"a command was run: {command}")


def scene(after: Mapping[str, bytes | str], before: Mapping[str, bytes | str] = {}) -> Scene:
    """Return a workspace before and after."""
    return Scene(Files(raw(before)), Files(raw(after)), no_command)


def raw(files: Mapping[str, bytes | str]) -> dict[str, bytes]:
    """Return files with texts as bytes."""
    return {path: each.encode() if isinstance(each, str) else each for path, each in files.items()}


def found(kind: str, files: Mapping[str, bytes | str] | Scene, **arguments: Any) -> Found:
    """Return what a test comes to where all these files are new."""
    place = files if isinstance(files, Scene) else scene(files)
    return decide(OneTest(kind=kind, arguments=arguments), place)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return a workbook as openpyxl writes it."""
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def document(*parts: tuple[str, Any]) -> bytes:
    """Return a document as python-docx writes it: headings by level, paragraphs, tables."""
    made = docx.Document()
    for kind, content in parts:
        if kind == "table":
            table = made.add_table(len(content), len(content[0]))
            for row, cells in zip(table.rows, content, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        elif kind.isdigit():
            made.add_heading(content, int(kind))
        else:
            made.add_paragraph(content, style=kind or None)
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def database(tmp_path: Path, *statements: str, journal: str = "delete") -> bytes:
    """Return the file of a database that SQLite wrote."""
    import sqlite3

    path = tmp_path / "made.sqlite"
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA journal_mode = {journal}")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path.read_bytes()
