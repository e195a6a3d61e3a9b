"""Headings, lines and tables of Markdown, as far as checks look at them.

Headings are those with number signs and those underlined; nothing in fenced code or in front
matter is one. Tables are those with pipes and a line of dashes under their header.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_comem.office.blocks import Block

_FENCES: Final = ("```", "~~~")
#: What sets letters apart and is no part of a text.
MARKS: Final = "*_`"


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """Return the blocks of a Markdown text; lines keep what they are written with."""
    found = list(_raw_blocks(lines))
    return [block for block in found if block.kind != "text" or block.text.strip()]


def _raw_blocks(lines: Sequence[str]) -> Iterator[Block]:
    at, fence, table = _after_front_matter(lines), "", 0
    for line in lines[:at]:
        yield Block("text", line)
    while at < len(lines):
        line = lines[at]
        begin = line.strip()[:3]
        if fence or begin in _FENCES:
            fence = "" if fence and begin == fence else (fence or begin)
            yield Block("text", line)
            at += 1
        elif heading := _heading(lines, at):
            yield heading
            # The line below is part of a heading that is underlined.
            at += 1 if line.lstrip().startswith("#") else 2
        elif _is_table(lines, at):
            table += 1
            until = at + 2
            while until < len(lines) and "|" in lines[until]:
                until += 1
            for each in (line, *lines[at + 2 : until]):
                yield Block("row", each, cells=tuple(_cells(each)), table=table)
            at = until
        else:
            yield Block("text", line)
            at += 1


def _after_front_matter(lines: Sequence[str]) -> int:
    if not lines or lines[0].strip() != "---":
        return 0
    for at, line in enumerate(lines[1:200], 1):
        if line.strip() == "---":
            return at + 1
    return 0


def _heading(lines: Sequence[str], at: int) -> Block | None:
    line = lines[at]
    text = line.strip()
    level = len(text) - len(text.lstrip("#"))
    if 1 <= level <= 6 and len(line) - len(line.lstrip(" ")) < 4:
        rest = text[level:]
        if not rest or rest[0] in " \t":
            return Block("heading", rest.strip().rstrip("#").strip().strip(MARKS), level)
        return None
    below = lines[at + 1].strip() if at + 1 < len(lines) else ""
    if text and "|" not in text and text[0] not in "-*+>" and len(below) >= 3:
        if not below.strip("="):
            return Block("heading", text.strip(MARKS), 1)
        if not below.strip("-"):
            return Block("heading", text.strip(MARKS), 2)
    return None


def _is_table(lines: Sequence[str], at: int) -> bool:
    if "|" not in lines[at] or at + 1 >= len(lines):
        return False
    below = lines[at + 1].strip()
    return "-" in below and not below.strip("|:- \t")


def _cells(line: str) -> list[str]:
    text = line.strip().removeprefix("|")
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    cells = text.replace("\\|", "\0").split("|")
    return [cell.replace("\0", "|").strip().strip(MARKS) for cell in cells]
