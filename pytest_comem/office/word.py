"""Headings, paragraphs and tables of documents (Office Open XML), read with bounds.

By the standard library alone. A heading is a paragraph in a style whose name is ``heading N`` or
``title``. What was deleted while changes were tracked is not read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree import ElementTree
from zipfile import ZipFile

from pytest_comem.office.blocks import Block
from pytest_comem.sandbox.archives import has_part, opened_archive, xml_part
from pytest_comem.sandbox.reading import UnreadableError

_W: Final = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_WHAT: Final = "document"
_BREAKS: Final = {f"{_W}tab": "\t", f"{_W}br": " ", f"{_W}cr": " ", f"{_W}noBreakHyphen": "-"}
_AROUND: Final = (f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml", f"{_W}ins")


def blocks_of(raw: bytes, most_characters: int) -> list[Block]:
    """Return the blocks of a document's body in order.

    :raises UnreadableError: where it is no document, or has more characters.
    """
    with opened_archive(raw, _WHAT) as archive:
        levels = _levels(archive)
        body = xml_part(archive, "word/document.xml", _WHAT).find(f"{_W}body")
    if body is None:
        raise UnreadableError("the document has no body")
    found: list[Block] = []
    room = most_characters
    for block in _blocks(body, levels):
        room -= len(block.text) + 1
        if room < 0:
            raise UnreadableError(f"it has more than {most_characters:,} characters")
        if block.text.strip():
            found.append(block)
    return found


def _levels(archive: ZipFile) -> Mapping[str, int]:
    """Return the level of each style of headings, by its id."""
    if not has_part(archive, "word/styles.xml"):
        return {}
    found = {}
    for style in xml_part(archive, "word/styles.xml", _WHAT).iter(f"{_W}style"):
        name = style.find(f"{_W}name")
        words = "" if name is None else str(name.get(f"{_W}val", "")).lower()
        if level := _level(words):
            found[str(style.get(f"{_W}styleId"))] = level
    return found


def _level(name: str) -> int:
    if name == "title":
        return 1
    number = name.removeprefix("heading ")
    return int(number) if number != name and number in "123456789" and number else 0


def _blocks(body: ElementTree.Element, levels: Mapping[str, int]) -> Iterator[Block]:
    table = 0
    # Without calling itself: what lies in each other may lie as deep as a file says.
    waiting = [iter(body)]
    while waiting:
        one = next(waiting[-1], None)
        if one is None:
            waiting.pop()
        elif one.tag == f"{_W}p":
            yield _paragraph(one, levels)
        elif one.tag == f"{_W}tbl":
            table += 1
            for row in one.iter(f"{_W}tr"):
                cells = tuple(_cell(cell) for cell in row.findall(f"{_W}tc"))
                yield Block("row", " | ".join(cells), cells=cells, table=table)
        elif one.tag in _AROUND:
            waiting.append(iter(one))


def _cell(cell: ElementTree.Element) -> str:
    return " ".join(_text(one) for one in cell.findall(f"{_W}p")).strip()


def _paragraph(one: ElementTree.Element, levels: Mapping[str, int]) -> Block:
    style = one.find(f"{_W}pPr/{_W}pStyle")
    name = "" if style is None else str(style.get(f"{_W}val", ""))
    level = levels.get(name) or _level(name.lower().replace("heading", "heading "))
    return Block("heading" if level else "text", _text(one), level)


def _text(one: ElementTree.Element) -> str:
    return "".join(
        (each.text or "") if each.tag == f"{_W}t" else _BREAKS.get(str(each.tag), "")
        for each in one.iter()
    )
