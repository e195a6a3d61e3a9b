"""How a text changed: lines added and removed, and the edits that lead from one to the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final, final

#: Lines that are compared one by one; a longer stretch of differences counts as one edit.
_MOST_LINES: Final = 1_500


@final
@dataclass(frozen=True, slots=True)
class Edit:
    """A text that another took the place of; either may be empty."""

    old: str
    new: str


def added_lines(before: str, after: str) -> list[str]:
    """Return the lines that are new, in order; a line that moved is not."""
    return _more(before, after)


def removed_lines(before: str, after: str) -> list[str]:
    """Return the lines that are gone, in order."""
    return _more(after, before)


def edits(before: str, after: str) -> list[Edit]:
    """Return the edits that lead from one text to another, top to bottom, whole lines each."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    middle_old, middle_new = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(middle_old), len(middle_new)) > _MOST_LINES:
        return [Edit("".join(middle_old), "".join(middle_new))]
    codes = SequenceMatcher(None, middle_old, middle_new, autojunk=True).get_opcodes()
    return [
        Edit("".join(middle_old[a:b]), "".join(middle_new[c:d]))
        for tag, a, b, c, d in codes
        if tag != "equal"
    ]


def cut(text: str, most: int) -> str:
    """Return the beginning of a text, ending between words where there are any.

    A placeholder that is cut would look like something private.
    """
    if len(text) <= most:
        return text
    beginning = text[:most]
    end = max(beginning.rfind(" "), beginning.rfind("\n"))
    return beginning[:end] if end > 0 else beginning


def _more(one: str, other: str) -> list[str]:
    """Return the lines that the other text has more often."""
    return list(_surplus(Counter(one.splitlines()), other))


def _surplus(there: Counter[str], other: str) -> Iterator[str]:
    for line in other.splitlines():
        if there[line] > 0:
            there[line] -= 1
        elif line.strip():
            yield line


def _common(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
