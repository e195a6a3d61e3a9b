"""Sheets of workbooks (Office Open XML) as grids of cells, read with bounds.

By the standard library alone. Formulas are not computed; what a program wrote as a formula's last
value is read.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias
from xml.etree import ElementTree

from pytest_comem.sandbox.archives import has_part, opened_archive, xml_part
from pytest_comem.sandbox.reading import UnreadableError

#: Most cells of a sheet, the empty ones before a filled one too, and columns of a sheet.
MOST_CELLS: Final = 1_000_000
MOST_COLUMNS: Final = 16_384
_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATED: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_WHERE: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
_WHAT: Final = "workbook"
#: Formats of dates and times that have numbers and no words of their own (ECMA-376, 18.8.30).
_DATES: Final = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
#: Of a format, what is shown as it is: quoted, escaped, or a colour or condition in brackets.
_LITERAL: Final = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.')


class GridCell(NamedTuple):
    """One cell as the file has it.

    :param kind: ``n`` a number, ``s`` a text, ``b`` a truth value, ``e`` an error, ``d`` a number
        that is shown as a date.
    :param text: a number's digits, ``1`` or ``0``, or the text; empty where there is nothing.
    :param formula: without the equals sign; empty where there is none.
    """

    kind: str
    text: str
    formula: str = ""


Grid: TypeAlias = "list[list[GridCell]]"
EMPTY: Final = GridCell("s", "")


def sheet_names(raw: bytes) -> list[str]:
    """Return the names of a workbook's sheets, in its order.

    :raises UnreadableError: where it is no workbook.
    """
    with opened_archive(raw, _WHAT) as archive:
        return [name for name, _ in _sheets(archive)]


def read_grid(raw: bytes, sheet: str, most_rows: int) -> Grid:
    """Return a sheet's rows from the first on, empty ones too, each up to its last filled cell.

    :param most_rows: that it may have.
    :raises UnreadableError: where there is no such sheet, it is larger, or not of this form.
    """
    with opened_archive(raw, _WHAT) as archive:
        found = dict(_sheets(archive))
        if sheet not in found:
            raise UnreadableError(f"the workbook has no sheet {sheet[:100]}")
        texts, dates = _shared(archive), _date_styles(archive)
        return list(_rows(xml_part(archive, found[sheet], _WHAT), texts, dates, most_rows))


def _sheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, str]]:
    """Yield the sheets' names and their parts."""
    related = {
        one.get("Id"): str(one.get("Target", ""))
        for one in xml_part(archive, "xl/_rels/workbook.xml.rels", _WHAT)
    }
    for one in xml_part(archive, "xl/workbook.xml", _WHAT).iter(f"{{{_MAIN}}}sheet"):
        target = related.get(one.get(f"{{{_RELATED}}}id"), "")
        path = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
        yield str(one.get("name", "")), path


def _shared(archive: zipfile.ZipFile) -> list[str]:
    path = "xl/sharedStrings.xml"
    if not has_part(archive, path):
        return []
    return [_text(one) for one in xml_part(archive, path, _WHAT).iter(f"{{{_MAIN}}}si")]


def _text(element: ElementTree.Element) -> str:
    return "".join(one.text or "" for one in element.iter(f"{{{_MAIN}}}t"))


def _date_styles(archive: zipfile.ZipFile) -> frozenset[str]:
    """Return the numbers of cell styles that show a number as a date."""
    path = "xl/styles.xml"
    if not has_part(archive, path):
        return frozenset()
    styles = xml_part(archive, path, _WHAT)
    own: Mapping[str, str] = {
        str(one.get("numFmtId")): str(one.get("formatCode", ""))
        for one in styles.iter(f"{{{_MAIN}}}numFmt")
    }
    shown = {number for number, code in own.items() if _is_date(code)}
    shown |= {str(number) for number in _DATES if str(number) not in own}
    listed = styles.find(f"{{{_MAIN}}}cellXfs")
    numbered = enumerate([] if listed is None else listed)
    return frozenset(str(at) for at, one in numbered if one.get("numFmtId") in shown)


def _is_date(code: str) -> bool:
    letters = _LITERAL.sub("", code[:1_000]).lower()
    return "y" in letters or "d" in letters


def _rows(
    sheet: ElementTree.Element, texts: Sequence[str], dates: frozenset[str], most_rows: int
) -> Iterator[list[GridCell]]:
    due, total = 1, 0
    for row in sheet.iter(f"{{{_MAIN}}}row"):
        cells: dict[int, GridCell] = {}
        number = due
        for place, one in enumerate(row.iter(f"{{{_MAIN}}}c")):
            column, number = _position(one.get("r"), place, due)
            found = _cell(one, texts, dates)
            if found.text or found.formula:
                cells[column] = found
        total += max(cells, default=-1) + 1
        if number < due or number > most_rows or total > MOST_CELLS:
            raise UnreadableError(
                f"its rows are out of order, or more than {most_rows:,} rows or {MOST_CELLS:,} "
                "cells"
            )
        yield from ([] for _ in range(number - due))
        yield [cells.get(place, EMPTY) for place in range(max(cells, default=-1) + 1)]
        due = number + 1


def _position(where: str | None, place: int, row: int) -> tuple[int, int]:
    """Return a cell's column, 0-based, and its row, 1-based."""
    return (min(place, MOST_COLUMNS - 1), row) if where is None else place_of_cell(where)


def place_of_cell(where: str) -> tuple[int, int]:
    """Return the column, 0-based, and the row, 1-based, of a cell such as ``B7``.

    :raises UnreadableError: where it is no name of a cell.
    """
    found = _WHERE.fullmatch(where)
    column = 0
    for letter in found[1] if found else "":
        column = column * 26 + ord(letter) - 64
    if found is None or column > MOST_COLUMNS:
        raise UnreadableError("a cell says not where it is")
    return column - 1, int(found[2])


def _cell(one: ElementTree.Element, texts: Sequence[str], dates: frozenset[str]) -> GridCell:
    kind, value = one.get("t", "n"), one.findtext(f"{{{_MAIN}}}v") or ""
    written = one.find(f"{{{_MAIN}}}f")
    # One that is shared with other cells has a text in the first of them alone.
    formula = "" if written is None else (written.text or "shared")
    if kind == "inlineStr":
        return GridCell("s", _text(one), formula)
    if kind == "s":
        known = value.isascii() and value.isdigit() and len(value) < 8 and int(value) < len(texts)
        return GridCell("s", texts[int(value)] if known else "", formula)
    if kind == "n":
        return GridCell("d" if value and one.get("s", "0") in dates else "n", value, formula)
    return GridCell(kind if kind in ("b", "e") else "s", value, formula)
