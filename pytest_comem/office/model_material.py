"""What a judge model is shown of office work: changes, calls and findings, bounded and marked.

Files, calls and recalled texts are somebody else's: each block stands between marked lines that
nothing in it can forge, and no line of a file begins where the name of a file could.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from pytest_comem.llm.marking import clipped, marked
from pytest_comem.office.base import Call, Found, Grade
from pytest_comem.office.model_renderings import rendering
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import Check, Level, PreferenceItem
from pytest_comem.streams.schema import Task

#: To be raised when this module shows something differently: prompts are versioned by their file.
SHOWING: Final = 1
#: Files of one side that are shown, and characters of each and of all together.
MOST_FILES: Final = 40
PER_FILE: Final = 8_000
ALL_FILES: Final = 40_000
#: Calls of one run that are shown, and characters of each.
MOST_CALLS: Final = 80
PER_CALL: Final = 300
#: Characters of one finding, and of recalled or relevant texts, one and together.
FINDING: Final = 400
PER_TEXT: Final = 4_000
ALL_TEXTS: Final = 24_000

_CONTEXT: Final = 3


def task_text(task: Task) -> str:
    """Return a task's block."""
    notes = "".join(f"\n\nNote: {one.title}\n{one.text}" for one in task.observations)
    return marked("task", clipped(f"{task.title}\n\n{task.instruction}{notes}", ALL_TEXTS))


def changed_files(before: Mapping[str, bytes], after: Files) -> dict[str, str]:
    """Return what a workspace has that is new or changed, by path: text, without what stayed.

    What is no text, or cannot be read, is said to be so. What is gone is there as well.
    """
    found: dict[str, str] = {}
    for path in after.changed_since(Files(before))[:MOST_FILES]:
        if path in after.odd:
            found[path] = f"({after.odd[path]})"
            continue
        new = rendering(path, after.content[path])
        found[path] = _without_same(rendering(path, before[path]), new) if path in before else new
    kept = {*after.content, *after.odd}
    gone = [path for path in sorted(before) if path not in kept]
    return found | dict.fromkeys(gone[:MOST_FILES], "(deleted)")


def changes_text(name: str, changes: Mapping[str, str]) -> str:
    """Return the block of the files that one side changed.

    :param changes: text by path.
    """
    parts: list[str] = []
    room = ALL_FILES
    for path in sorted(changes)[:MOST_FILES]:
        text = clipped(changes[path], min(PER_FILE, room))
        room = max(room - len(text), 0)
        parts.append(f"FILE {_quoted(path)}\n{_indented(text)}")
    if left := len(changes) - len(parts):
        parts.append(f"({left} more files)")
    return marked(name, "\n".join(parts) or "(it changed nothing)")


def calls_text(name: str, calls: Sequence[Call]) -> str:
    """Return the block of a run's calls, a line each."""
    lines = [
        f"{number}. {call.call_class.value}, {'done' if call.ok else 'not done'}: "
        f"{clipped(_line(call.text[: 4 * PER_CALL]), PER_CALL)}"
        for number, call in enumerate(calls[:MOST_CALLS], start=1)
    ]
    if left := len(calls) - len(lines):
        lines.append(f"({left} more calls)")
    return marked(name, "\n".join(lines) or "(none)")


def checks_text(checks: Sequence[Check], found: Mapping[str, Found]) -> str:
    """Return the block of what the checks of the Workspace Score found."""
    lines = (
        f"- {one.check_id} ({one.level.value}): {_result(found[one.check_id])}. "
        f"It asks: {_line(one.text).rstrip('.')}. Seen: {_finding(found[one.check_id])}"
        for one in checks
    )
    return marked("checks", "\n".join(lines))


def items_text(items: Iterable[PreferenceItem]) -> str:
    """Return the block of what a person wants, with weights."""
    lines = [f"- weight {one.weight:g}: {_line(one.text)}" for one in items]
    return marked("wanted", "\n".join(lines) or "(nothing in particular)")


def unmet_text(checks: Sequence[Check], items: Sequence[PreferenceItem], grade: Grade) -> str:
    """Return the block of what a run did not meet; improvements on the reference aside."""
    asked = {one.check_id: one.text for one in checks if one.level is not Level.BETTER} | {
        one.item_id: one.text for one in items
    }
    found = {**grade.checks, **grade.items}
    lines = [
        f"- {_line(text).rstrip('.')}. Seen: {_finding(found[name])}"
        for name, text in asked.items()
        if name in found and found[name].passed is False
    ]
    return marked("unmet", "\n".join(lines) or "(all was met)")


def texts_block(name: str, texts: Sequence[str]) -> str:
    """Return the block of numbered texts, such as those recalled."""
    parts: list[str] = []
    room = ALL_TEXTS
    for number, text in enumerate(texts, start=1):
        if room <= 0:
            parts.append(f"({len(texts) - number + 1} more)")
            break
        shown = clipped(text, min(PER_TEXT, room))
        room -= len(shown)
        parts.append(f"[{number}] {_indented(shown).lstrip()}")
    return marked(name, "\n".join(parts) or "(none)")


def _without_same(before: str, after: str) -> str:
    """Return a text without the lines at its beginning and end that were there before.

    A few lines around what changed stay.
    """
    old, new = before.split("\n"), after.split("\n")
    if old == new:
        # One line says why there is no text.
        why = f" {after}" if len(new) == 1 else ""
        return f"(its bytes changed, but not what can be shown of it){why}"
    head = _same(old, new)
    shorter = min(len(old), len(new)) - head
    tail = min(_same(old[::-1], new[::-1]), shorter)
    first, last = max(head - _CONTEXT, 0), min(len(new) - tail + _CONTEXT, len(new))
    return "\n".join(
        [
            *([f"({first} lines as before)"] if first else []),
            *new[first:last],
            *([f"({len(new) - last} lines as before)"] if last < len(new) else []),
        ]
    )


def _same(one: Sequence[str], other: Sequence[str]) -> int:
    pairs: Iterator[tuple[str, str]] = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _result(found: Found) -> str:
    return {True: "passed", False: "failed", None: "not decided"}[found.passed]


def _finding(found: Found) -> str:
    return clipped(_line(found.reason[: 4 * FINDING]), FINDING)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.splitlines())


def _line(text: str) -> str:
    return " ".join(text.split())
