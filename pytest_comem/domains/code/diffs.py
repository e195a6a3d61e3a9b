"""Unified diffs as texts: made of two versions of files, and read for what they change."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, final

_HUNK: Final = re.compile(r"@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@")
#: Lines of a patch that are read.
_MOST: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class Change:
    """What a patch does to one file.

    :param path: of the file before the change; of a new file, its path after it.
    :param lines: of the old file, from 1: removed ones, and those after which something is new.
    :param added: the new lines.
    """

    path: str
    lines: frozenset[int]
    added: tuple[str, ...]


def unified(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """Return the patch from some files to others; what *before* lacks is new."""
    return "".join(
        part for path in sorted(after) for part in _file_diff(path, before.get(path), after[path])
    )


def _file_diff(path: str, before: str | None, after: str) -> Iterator[str]:
    if before == after:
        return
    yield f"diff --git a/{path} b/{path}\n"
    if before is None:
        yield "new file mode 100644\n"
    old = "/dev/null" if before is None else f"a/{path}"
    for line in difflib.unified_diff(_lines(before or ""), _lines(after), old, f"b/{path}"):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """Return the lines with their ends, by line feeds alone."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def changes(patch: str) -> list[Change]:
    """Return what a patch changes, file by file, as far as it has the form of one."""
    found: list[tuple[str, set[int], list[str]]] = []
    old_path, place, inside, removed = "", 0, 0, False
    for line in patch.split("\n")[:_MOST]:
        if inside <= 0 and line.startswith("--- "):
            old_path = _path(line)
        elif inside <= 0 and line.startswith("+++ "):
            path = old_path if old_path != "/dev/null" else _path(line)
            found.append((path, set(), []))
        elif inside <= 0 and (hunk := _HUNK.match(line)) and found:
            place = int(hunk[1])
            inside, removed = int(hunk[2] or 1) + int(hunk[4] or 1), False
        elif inside > 0 and found:
            _, lines, added = found[-1]
            if line.startswith("+"):
                lines.update(() if removed else [max(place - 1, 1)])
                added.append(line[1:])
                inside -= 1
            elif line.startswith("-"):
                lines.add(place)
                place, inside, removed = place + 1, inside - 1, True
            elif not line.startswith("\\"):
                place, inside, removed = place + 1, inside - 2, False
    return [Change(path, frozenset(lines), tuple(added)) for path, lines, added in found]


def _path(line: str) -> str:
    path = line[4:].split("\t")[0].strip()
    return path[2:] if path[:2] in ("a/", "b/") else path
