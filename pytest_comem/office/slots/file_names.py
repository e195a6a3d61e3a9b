"""File names: paths of files written in the past, made over for this task."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Final

from pytest_comem.office.slots.passages import Passage
from pytest_comem.office.slots.periods import moved
from pytest_comem.streams.plans import Slot
from pytest_comem.streams.schema import Task

_TOKEN: Final = (
    r"[\"'`\u201c]?(?P<{0}>[^\s\"'`\u201c\u201d|]{{1,200}}\.[A-Za-z0-9]{{1,8}})(?![\w/])"
)
#: How a memory may tell in its own words that a file was written.
_TOLD: Final = re.compile(
    r"\b(?:[Ww]rote|[Ww]ritten|[Ss]aved?|[Nn]amed?|[Cc]alled|[Ff]iles?|[Cc]reated?|goes|go|kept|keeps?)\b"
    r"(?: (?:it|them|to|as|in|into|under|at|is|are|named|called|like|the|report|file|name"
    r"|reports|files|minutes|notes)\b){0,4}:? " + _TOKEN.format("path"),
)
_WROTE: Final = (
    re.compile(r"\bwrote (?:sheet \"[^\"\n]{0,100}\" of )?(?P<path>[^\s\"][^\n\"]{0,299}?):\n"),
    re.compile(r"\b[Rr]enamed [^\n]{1,300}? to " + _TOKEN.format("path")),
    _TOLD,
)
#: Files whose kind the plan's operations depend on.
_BINARY: Final = frozenset({".xlsx", ".docx", ".db", ".sqlite", ".sqlite3"})


def file_names(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return the path written, or renamed to, last whose name holds one of the slot's words.

    Its period becomes this task's in the same form, and the passage's project this task's. For
    spreadsheets, documents and databases, what is of another kind than the default is passed over.
    A bare name that is only told of (``saved as``) goes where the default goes.
    """
    found = []
    for place, path in _paths(passage.kept, str(PurePosixPath(slot.default).parent)):
        name = PurePosixPath(path)
        if _fits(name, slot) and not {"..", "."} & set(name.parts) and not name.is_absolute():
            made = moved(path, slot.period) if slot.period else path
            found.append((place, _for_project(made, passage.project, task.project)))
    return [max(found)[1]] if found else []


def _paths(text: str, folder: str) -> Iterator[tuple[int, str]]:
    found: dict[int, str] = {}
    for pattern in _WROTE:
        for match in pattern.finditer(text):
            path = match["path"].strip()
            bare = pattern is _TOLD and "/" not in path and folder != "."
            found.setdefault(match.start("path"), f"{folder}/{path}" if bare else path)
    yield from found.items()


def _fits(path: PurePosixPath, slot: Slot) -> bool:
    kinds = {path.suffix.lower(), PurePosixPath(slot.default).suffix.lower()}
    name = path.name.casefold()
    return (len(kinds) == 1 or not kinds & _BINARY) and (
        not slot.words or any(word.casefold() in name for word in slot.words)
    )


def _for_project(path: str, theirs: str | None, ours: str | None) -> str:
    if not theirs or not ours:
        return path
    forms = dict(zip(_forms(theirs), _forms(ours), strict=True))
    longest = sorted(forms, key=len, reverse=True)
    names = "|".join(map(re.escape, longest))
    return re.sub(
        rf"(?<![^\W_])(?:{names})(?![^\W_])", lambda match: _form_of(match[0], forms), path
    )


def _form_of(found: str, forms: Mapping[str, str]) -> str:
    return forms[found]


def _forms(project: str) -> list[str]:
    """Return how a project can be written in a path."""
    words = re.findall(r"[^\W_]+", project) or [project]
    lower, upper = [word.lower() for word in words], [word.capitalize() for word in words]
    return [
        mark.join(some)
        for mark in ("-", "_", "", " ")
        for some in (words, lower, upper, [word.upper() for word in words])
    ]
