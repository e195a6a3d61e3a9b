"""Lines: what stands behind a lead such as ``Prepared by:``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from pytest_comem.office.slots.passages import Passage
from pytest_comem.streams.plans import Slot
from pytest_comem.streams.schema import Task

#: Longest value that is taken, in characters.
LONGEST: Final = 200
_CLOSING: Final = {'"': '"', "'": "'", "`": "`", "\u201c": "\u201d", "\u2018": "\u2019"}


def lines(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return what follows the lead where it occurs last with something behind it.

    The value ends with the line, or at the quote that the lead follows closes. Marks of emphasis
    around lead or value do not matter, nor does case.
    """
    found = []
    for match in _lead(slot.lead).finditer(passage.kept):
        rest = passage.kept[match.end() : match.end() + 2 * LONGEST].split("\n", 1)[0]
        value = _value(rest, passage.kept[max(0, match.start() - 1) : match.start()])
        if value and len(value) <= LONGEST:
            found.append(value)
    return found[-1:]


def _value(rest: str, before: str) -> str:
    closing = _CLOSING.get(before)
    if closing and closing in rest:
        rest = rest[: rest.index(closing)]
    elif rest.rstrip().endswith(('".', '"')) and rest.count('"') == 1:
        # The last line of a quoted text.
        rest = rest[: rest.rindex('"')]
    return rest.strip().strip("*_").strip()


@lru_cache(maxsize=256)
def _lead(lead: str) -> re.Pattern[str]:
    if not lead.strip():
        return re.compile(r"(?!)")
    words = r"[ \t]+".join(map(re.escape, lead.split()))
    before = r"(?<!\w)" if lead.strip()[0].isalnum() else ""
    return re.compile(before + words + r"[*_]{0,3}", re.IGNORECASE)
