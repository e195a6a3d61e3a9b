"""How checks name the files of a task: a path as it is, or any name where the name is a habit."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from typing import Final

from pytest_comem.histories.work import Work

_PERIOD: Final = re.compile(r"\d{4}(?:[-_]?\d{2}){1,2}")


def literal(path: str) -> str:
    """Return a path as the pattern that matches it alone."""
    return re.sub(r"([\[*?])", r"[\1]", path)


def is_named_by_habit(work: Work, path: str) -> bool:
    """Whether a task's new file has a date in its name, so that no request need say the name."""
    return path in work.new and bool(_PERIOD.search(PurePosixPath(path).stem))


def pattern_of(work: Work, path: str) -> str:
    """Return the pattern that a check looks for a changed file with."""
    if is_named_by_habit(work, path):
        name = PurePosixPath(path)
        place = "" if str(name.parent) == "." else f"{literal(str(name.parent))}/"
        pattern = f"{place}*{literal(name.suffix)}"
        if sum(fnmatchcase(each, pattern) for each in work.changed) == 1:
            return pattern
    return literal(path)
