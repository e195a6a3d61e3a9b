"""Columns: header rows that passages show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_comem.office.slots.passages import Passage
from pytest_comem.streams.plans import Slot
from pytest_comem.streams.schema import Task

#: Longest name of a column and most columns of a row that is taken for a header.
LONGEST: Final = 60
MOST: Final = 60
_MARKS: Final = ("|", ";", "\t", ",", " > ", " \u2192 ", " -> ")
_QUOTED: Final = re.compile(r"[\"\u201c`']([^\"\u201c\u201d`'\n]{3,600})[\"\u201d`']")
_NAMED: Final = re.compile(r"(?:\bcolumns?\b|\border\b|\bheader\b|\bfields?\b)[^:\n]{0,80}:", re.I)
_AND: Final = re.compile(r",?\s+(?:and|then)\s+")


def columns(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return the header row shown last that has at least half of the default's columns.

    A header is a line, a quoted text or what follows ``columns ...:`` that falls into at least two
    names at ``|``, ``;``, a tab, a comma or an arrow. It is taken whole: order and further columns
    are learned, and a column of the default that it lacks is one the participant does without.
    Names that differ in case, blanks, ``_`` or ``-`` alone are the same. What a table has below its
    header is never one, as it does not name columns.
    """
    wanted = {_plain(name) for name in slot.default.split("|") if name.strip()}
    found = []
    for place, row in _rows(passage.kept):
        known = {_plain(name) for name in row} & wanted
        if known and 2 * len(known) >= len(wanted):
            found.append((place, "|".join(row)))
    return [max(found)[1]] if found else []


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield whatever could be a header: its place and the names."""
    place = 0
    for line in text.split("\n"):
        named = _NAMED.search(line)
        for start, part in [
            (0, line),
            *((match.start(1), match[1]) for match in _QUOTED.finditer(line)),
            *([(named.end(), line[named.end() :])] if named else []),
        ]:
            for row in _cells(part):
                yield place + start, row
        place += len(line) + 1


def _cells(line: str) -> Iterator[list[str]]:
    line = line.strip()
    for mark in _MARKS:
        if mark not in line or line.count(mark) > MOST:
            continue
        text = line.strip("|").rstrip(".") if mark == "|" else line.rstrip(".")
        if mark == ",":
            text = _AND.sub(",", text)
        row = [cell.strip().strip("\"'`*").strip() for cell in text.split(mark)]
        if len(row) > 1 and all(0 < len(cell) <= LONGEST for cell in row):
            yield row


def _plain(name: str) -> str:
    return " ".join(re.sub(r"[\s_\-]+", " ", name).split()).casefold()
