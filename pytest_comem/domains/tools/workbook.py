"""Workbooks (Office Open XML), written small and read with bounds, by the standard library alone.

Only what this domain needs: the sheets' names, and cells that are numbers, texts or truth values.
Formulas are not computed; what a program wrote as a formula's last value is read.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree
from xml.sax.saxutils import escape

from pytest_comem.domains.tools.tables import (
    MOST_ROWS,
    Cell,
    NoTableError,
    Table,
    table_of,
)

#: Bytes that a part of a workbook may have, unpacked.
LARGEST_PART: Final = 4_000_000
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_WHERE: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
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
    return _read(raw, sheet)


def sheet_names(raw: bytes) -> list[str]:
    """Return the names of a workbook's sheets, in its order.

    :raises NoTableError: where it is no workbook.
    """
    with _opened(raw) as archive:
        return [name for name, _ in _sheets(archive)]


def _read(raw: bytes, sheet: str) -> Table:
    with _opened(raw) as archive:
        found = dict(_sheets(archive))
        if sheet not in found:
            raise NoTableError(f"the workbook has no sheet {sheet}")
        texts = _shared(archive)
        rows = list(_rows(_part(archive, found[sheet]), texts))
    return from_grid(rows)


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


def _opened(raw: bytes) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise NoTableError("it is no workbook") from None


def _part(archive: zipfile.ZipFile, path: str) -> ElementTree.Element:
    """Return a part of a workbook; one with a document type, which may define entities, is none."""
    try:
        with archive.open(path) as file:
            raw = file.read(LARGEST_PART + 1)
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError):
        raise NoTableError(f"the workbook has no readable part {path[:100]}") from None
    except Exception as error:
        # zlib's and lzma's errors have no base in common.
        raise NoTableError(f"the workbook is damaged: {type(error).__name__}") from None
    if len(raw) > LARGEST_PART or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise NoTableError(f"the part {path[:100]} is too large, or has a document type")
    try:
        return ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        raise NoTableError(f"the part {path[:100]} is no XML") from None


def _sheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Yield the sheets' names and their parts."""
    related = {
        one.get("Id"): str(one.get("Target", ""))
        for one in _part(archive, "xl/_rels/workbook.xml.rels")
    }
    for one in _part(archive, "xl/workbook.xml").iter(f"{{{_MAIN}}}sheet"):
        target = related.get(one.get(f"{{{_RELATED}}}id"), "")
        path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        yield str(one.get("name", "")), path


def _shared(archive: zipfile.ZipFile) -> list[str]:
    path = "xl/sharedStrings.xml"
    if path not in archive.namelist():
        return []
    return [_text(one) for one in _part(archive, path).iter(f"{{{_MAIN}}}si")]


def _text(element: ElementTree.Element) -> str:
    return "".join(one.text or "" for one in element.iter(f"{{{_MAIN}}}t"))


def _rows(sheet: ElementTree.Element, texts: Sequence[str]) -> Iterator[list[Any]]:
    """Yield rows from the first on, empty ones too, cells by their column."""
    due = 1
    for row in sheet.iter(f"{{{_MAIN}}}row"):
        cells: dict[int, Any] = {}
        number = due
        for one in row.iter(f"{{{_MAIN}}}c"):
            column, number = _position(one.get("r"), len(cells), due)
            cells[column] = _value(one, texts)
        if number < due or number > MOST_ROWS + 1:
            raise NoTableError(f"its rows are out of order, or more than {MOST_ROWS}")
        yield from ([] for _ in range(number - due))
        yield [cells.get(place, "") for place in range(max(cells, default=-1) + 1)]
        due = number + 1


def _position(where: str | None, place: int, row: int) -> tuple[int, int]:
    if where is None:
        return place, row
    found = _WHERE.fullmatch(where)
    column = 0
    for letter in found[1] if found else "":
        column = column * 26 + ord(letter) - 64
    if found is None:
        raise NoTableError("a cell says not where it is")
    return column - 1, int(found[2])


def _value(one: ElementTree.Element, texts: Sequence[str]) -> Any:
    kind, value = one.get("t", "n"), one.findtext(f"{{{_MAIN}}}v") or ""
    if kind == "inlineStr":
        return _text(one)
    if kind == "s":
        known = value.isascii() and value.isdigit() and len(value) < 8 and int(value) < len(texts)
        return texts[int(value)] if known else ""
    return ("yes" if value == "1" else "no") if kind == "b" else value
