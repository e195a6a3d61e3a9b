"""Choices: which option's sign a passage shows last."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from pytest_comem.office.slots.passages import Passage
from pytest_comem.streams.plans import Slot
from pytest_comem.streams.schema import Task

#: So many occurrences of a sign are looked at, from the end.
_LAST: Final = 20

#: An occurrence: where a sign begins and ends, and its option.
_Seen: TypeAlias = tuple[int, int, str]


def choices(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return the option whose sign ends last, if any is there.

    Signs are literal; case and runs of blanks do not matter. An occurrence inside a longer one of
    another option does not count.
    """
    found: list[_Seen] = [
        (match.start(), match.end(), option)
        for option, signs in slot.options.items()
        for sign in signs
        for match in list(_sign(sign).finditer(passage.kept))[-_LAST:]
    ]
    outer = [one for one in found if not any(_covers(other, one) for other in found)]
    # Where two end together the plan's first option wins.
    return [max(outer, key=lambda one: one[1])[2]] if outer else []


def _covers(longer: _Seen, one: _Seen) -> bool:
    inside = longer[0] <= one[0] and one[1] <= longer[1]
    return inside and longer[1] - longer[0] > one[1] - one[0] and longer[2] != one[2]


@lru_cache(maxsize=1024)
def _sign(sign: str) -> re.Pattern[str]:
    """Return what finds a sign; one of blanks alone is found nowhere."""
    words = r"\s+".join(map(re.escape, sign.split()))
    before, after = (r"\s" if edge.isspace() else "" for edge in (sign[:1], sign[-1:]))
    return re.compile(before + words + after if words else r"(?!)", re.IGNORECASE)
