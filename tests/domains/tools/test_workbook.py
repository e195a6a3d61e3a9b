"""Workbooks: small ones written, those of other programs read, damaged ones refused."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from pytest_comem.domains.tools.tables import NoTableError, table_of
from pytest_comem.domains.tools.workbook import (
    from_grid,
    read_sheet,
    sheet_names,
    workbook_bytes,
)
from pytest_comem.sandbox.archives import LARGEST_PART

TABLE = table_of(["item", "units"], [["bolt & <nut>", 12], ["  ", -3], ["08:30", 0]])
NAMES = table_of([f"c{n}" for n in range(30)], [list(range(30))])
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
SHEET = "xl/worksheets/sheet1.xml"


def changed(change: Callable[[dict[str, bytes]], object]) -> bytes:
    """Return a workbook of one sheet with parts exchanged."""
    with zipfile.ZipFile(io.BytesIO(workbook_bytes({"One": TABLE}))) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    change(parts)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in parts.items():
            archive.writestr(name, raw)
    return out.getvalue()


def sheet_of(rows: str) -> bytes:
    """Return a workbook with a sheet of these rows."""
    text = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
    return changed(lambda parts: parts.update({SHEET: text.encode()}))


def test_sheets_come_back() -> None:
    """By name, in order, with columns beyond Z; the same bytes each time."""
    raw = workbook_bytes({"One": TABLE, "Two words": NAMES})
    assert sheet_names(raw) == ["One", "Two words"]
    assert read_sheet(raw, "One") == TABLE
    assert read_sheet(raw, "Two words") == NAMES
    assert raw == workbook_bytes({"One": TABLE, "Two words": NAMES})


def test_what_other_programs_write_is_read() -> None:
    """Shared texts in pieces, truth values, formulas' last values, cells left out."""
    shared = f"<sst {MAIN}><si><r><t>it</t></r><r><t>em</t></r></si><si><t>units</t></si></sst>"
    rows = (
        '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>'
        '<row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2"><f>1+1</f><v>2.0</v></c></row>'
        '<row r="3"><c r="B3" t="str"><v>x</v></c></row>'
    )
    text = f"<worksheet {MAIN}><sheetData>{rows}</sheetData></worksheet>"
    raw = changed(
        lambda parts: parts.update({"xl/sharedStrings.xml": shared.encode(), SHEET: text.encode()})
    )
    assert read_sheet(raw, "One") == table_of(["item", "units"], [["yes", 2], ["", "x"]])


def test_a_table_ends_at_the_first_empty_row() -> None:
    """What lies below belongs to something else."""
    assert from_grid([["a", None], [1], [None, ""], [2]]) == table_of(["a"], [[1]])


@pytest.mark.parametrize("grid", [[], [[]], [["a"], [1, 2]], [["a", "a"]], [["a"], [1.5]]])
def test_other_grids_are_no_table(grid: list[list[object]]) -> None:
    """Nothing at all, cells without a column, a name twice, a fraction."""
    with pytest.raises(NoTableError):
        from_grid(grid)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"PK\x03\x04 no archive",
        workbook_bytes({"One": TABLE})[:-30],
        changed(lambda parts: parts.pop("xl/workbook.xml")),
        changed(lambda parts: parts.update({SHEET: b"<worksheet>"})),
        changed(lambda parts: parts.update({SHEET: b"x" * (LARGEST_PART + 1)})),
        changed(
            lambda parts: parts.update(
                {SHEET: parts[SHEET].replace(b"?>", b'?><!DOCTYPE w [<!ENTITY a "aaaa">]>', 1)}
            )
        ),
        sheet_of('<row r="9999999"><c r="A9999999"><v>1</v></c></row>'),
        sheet_of('<row r="2"><c r="A2"><v>1</v></c></row><row r="1"><c r="A1"><v>1</v></c></row>'),
        sheet_of('<row r="1"><c r="XFD1"><v>1</v></c></row>'),
        sheet_of('<row r="1"><c r="../../1"><v>1</v></c></row>'),
        sheet_of('<row r="1"><c r="A1" t="s"><v>-1</v></c></row>'),
    ],
)
def test_damaged_and_hostile_workbooks_are_refused(raw: bytes) -> None:
    """No archive, parts missing, too large, with entities, cells far away."""
    with pytest.raises(NoTableError):
        read_sheet(raw, "One")


def test_another_sheet_is_not_there() -> None:
    """And says so."""
    with pytest.raises(NoTableError, match="no sheet Two"):
        read_sheet(workbook_bytes({"One": TABLE}), "Two")
