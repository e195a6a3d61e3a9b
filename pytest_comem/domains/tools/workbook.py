"""Workbooks (Office Open XML), written small, by the standard library alone, and read with bounds.

Only what this domain needs: the sheets' names, and cells that are numbers, texts or truth values.
Formulas are not computed; what a program wrote as a formula's last value is read.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from pytest_comem.domains.tools.tables import (
    MOST_ROWS,
    Cell,
    NoTableError,
    Table,
    table_of,
)
from pytest_comem.sandbox import workbooks
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.sandbox.workbooks import GridCell

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
#: Every entry of our archives has this date, so that equal workbooks are equal bytes.
_DATE: Final = (1980, 1, 1, 0, 0, 0)


def workbook_bytes(sheets: Mapping[str, Table]) -> bytes:
    """Return a workbook with a sheet a table, its columns' names in the first row."""
    numbered = list(enumerate(sheets, 1))
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{number}" r:id="rId{number}"/>'
        for number, name in numbered
    )
    kind = f"{_RELATED}/worksheet"
    related = "".join(
        f'<Relationship Id="rId{n}" Type="{kind}" Target="worksheets/sheet{n}.xml"/>'
        for n, _ in numbered
    )
    parts = {
        "[Content_Types].xml": _types(len(sheets)),
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" '
        f'Type="{_RELATED}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATED}"><sheets>{listed}'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{related}</Relationships>",
    }
    for number, name in numbered:
        parts[f"xl/worksheets/sheet{number}.xml"] = _sheet(sheets[name])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in parts.items():
            archive.writestr(zipfile.ZipInfo(path, _DATE), _HEAD + text)
    return out.getvalue()


def read_sheet(raw: bytes, sheet: str) -> Table:
    """Return a sheet of a workbook: names in its first row, and rows down to the first empty one.

    :raises NoTableError: where there is no such sheet, or it is not of this form.
    """
    try:
        grid = workbooks.read_grid(raw, sheet, MOST_ROWS + 1)
    except UnreadableError as error:
        raise NoTableError(str(error)) from None
    return from_grid([[_value(one) for one in row] for row in grid])


def sheet_names(raw: bytes) -> list[str]:
    """Return the names of a workbook's sheets, in its order.

    :raises NoTableError: where it is no workbook.
    """
    try:
        return workbooks.sheet_names(raw)
    except UnreadableError as error:
        raise NoTableError(str(error)) from None


def from_grid(rows: Sequence[Sequence[Any]]) -> Table:
    """Return the table that a grid of cells starts with at its upper left corner.

    :raises NoTableError: where there is none.
    """
    if not rows or not rows[0]:
        raise NoTableError("the sheet is empty")
    names = list(rows[0])
    while names and names[-1] in ("", None):
        names.pop()
    body = []
    for row in rows[1:]:
        cells = [*row[: len(names)], *[""] * (len(names) - len(row))]
        if any(each not in ("", None) for each in row[len(names) :]):
            raise NoTableError("a row has cells beyond the named columns")
        if all(each in ("", None) for each in cells):
            break
        body.append(cells)
    return table_of(names, body)


def _types(sheets: int) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    parts = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" '
        f'ContentType="{kind}.worksheet+xml"/>'
        for number in range(1, sheets + 1)
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>{parts}'
        "</Types>"
    )


def _sheet(table: Table) -> str:
    rows = "".join(
        f'<row r="{number}">{"".join(_cells(row, number))}</row>'
        for number, row in enumerate([table.columns, *table.rows], 1)
    )
    return f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}</sheetData></worksheet>'


def _cells(row: Sequence[Cell], number: int) -> Iterator[str]:
    for place, value in enumerate(row):
        where = f"{chr(65 + place // 26 - 1) if place > 25 else ''}{chr(65 + place % 26)}{number}"
        if isinstance(value, int):
            yield f'<c r="{where}"><v>{value}</v></c>'
        else:
            yield f'<c r="{where}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'


def _value(one: GridCell) -> str:
    return ("yes" if one.text == "1" else "no") if one.kind == "b" else one.text
