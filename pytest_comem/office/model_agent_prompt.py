"""What a language model is shown of an office task: nothing of its plan, rubric or reference.

Whatever comes from outside stands between marked lines that it cannot forge. What was recalled has
a section of its own, the only difference between the two runs of a task.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pytest_comem.llm.marking import clipped, marked
from pytest_comem.office.base import Shown
from pytest_comem.office.operations import OperationInfo, Result

#: To be raised when this module words something differently: prompts are versioned by their file.
WORDING: Final = 1
#: Files whose names are shown.
MOST_FILES: Final = 300
#: Characters of a tool's answer that are shown.
ANSWER: Final = 12_000

_NAME: Final = 100


def prompt_values(
    shown: Shown, files: Sequence[str], tools: Sequence[OperationInfo], calls: int
) -> dict[str, str]:
    """Return the values of the prompt's placeholders.

    :param files: paths of the workspace, in order.
    :param calls: tools that can be used in all.
    """
    person, task = shown.participant, shown.task
    project = f", which belongs to the project {_line(task.project)}" if task.project else ""
    return {
        "calls": str(calls),
        "tools": "\n".join(map(_tool, tools)),
        "person": f"{_line(person.name)}, {_line(person.role)}. {_line(person.about)}",
        "today": _day(task.started),
        "project": project,
        "task": marked("task", f"{task.title}\n\n{task.instruction}"),
        "observations": _observations(shown) or "(none)",
        "files": marked("files", _files(files)),
        "remembered": _remembered(shown.passages),
    }


def told(name: str, result: Result, left: int) -> str:
    """Return what a model is told after it has used a tool.

    :param left: how many tools it can use from now on.
    """
    done = "answers" if result.ok else "did not do it"
    further = f"You can use {left} more tools." if left else "You can use no more tools: end now."
    return (
        f"The tool {_line(name)[:_NAME]} {done}:\n"
        f"{marked('answer', clipped(result.text, ANSWER))}\n"
        f"{further} Reply with the JSON object."
    )


def _remembered(passages: Sequence[str]) -> str:
    """Return the section of what was recalled, most relevant first; nothing without any."""
    if not passages:
        return ""
    texts = "\n".join(
        f"[{number}] {_indented(text)}" for number, text in enumerate(passages, start=1)
    )
    return (
        "\nWhat you remember of earlier work; it may be stale or of another project:\n"
        f"{marked('memory', texts)}\n"
    )


def _observations(shown: Shown) -> str:
    return "\n".join(
        marked("note", f"{one.title}\n\n{one.text}") for one in shown.task.observations
    )


def _files(files: Sequence[str]) -> str:
    lines = [json.dumps(path, ensure_ascii=False)[1:-1] for path in files[:MOST_FILES]]
    if left := len(files) - len(lines):
        lines.append(f"... and {left:,} more")
    return "\n".join(lines) or "(none)"


def _tool(tool: OperationInfo) -> str:
    return f"- {tool.name}: {tool.description} Arguments: {_json(tool.parameters)}"


def _day(started: str) -> str:
    return f"{started[:10]}, {started[11:16]}"


def _indented(text: str) -> str:
    # A line of a passage cannot begin where an item's number could.
    return "\n    ".join(text.splitlines())


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _line(text: str) -> str:
    return " ".join(text.split())
