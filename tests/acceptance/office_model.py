"""A scripted model that does the tasks of made streams with tools, and one that judges the work."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

_BLOCK = r"--- begin {0} (\w+) ---\n(.*?)\n--- end {0} \1 ---"
_TASK = re.compile(r"Write the status of (\w+) of today to (\S+)\. The figures are in (\S+)\.")
_ITEM = re.compile(r"^\[\d+\] ", re.MULTILINE)
_LONG = "January February March April May June July August September October November December"


def block(name: str, text: str) -> str:
    """Return what stands in the first block of that name; nothing where there is none."""
    found = re.search(_BLOCK.format(name), text, re.DOTALL)
    return found[2] if found else ""


def said(body: Mapping[str, Any], place: int) -> str:
    """Return the message at a place of a chat."""
    return str(body["messages"][place]["content"])


def using(tool: str, **arguments: Any) -> str:
    """Return the reply that uses a tool."""
    return json.dumps({"tool": tool, "arguments": arguments, "finished": False, "reply": None})


def ending(reply: str = "Done.") -> str:
    """Return the reply that says it is finished."""
    return json.dumps({"tool": None, "arguments": None, "finished": True, "reply": reply})


def working(body: Mapping[str, Any]) -> str:
    """Do a task: read the notes, write the status as remembered ones look, end."""
    handed_out = said(body, 1)
    asked = _TASK.search(block("task", handed_out))
    assert asked
    turns = sum(message["role"] == "assistant" for message in body["messages"])
    if turns == 0:
        return using("read", path=asked[3])
    if turns == 1:
        points = re.search(r"Open points: (\d+)", block("answer", said(body, -1)))
        assert points
        return using("write", path=asked[2], text=_status(handed_out, asked[1], points[1]))
    return ending()


def _status(handed_out: str, project: str, points: str) -> str:
    today = re.search(r"Today is (\d{4}-\d\d-\d\d)", handed_out)
    title = re.search(r"Status \d{4}", handed_out)
    assert today
    assert title
    day, signed = date.fromisoformat(today[1]), "the team"
    written = today[1]
    # The project's own come last, and so win over the others.
    passages = _ITEM.split(block("memory", handed_out))[1:]
    for text in sorted(passages, key=lambda each: f", {project}]" in each.partition(":")[0]):
        if found := re.search(r"Prepared by: (.+)", text):
            signed = found[1]
            dotted = re.search(r"Date: \d\d\.", text)
            months = _LONG.split()
            written = (
                f"{day:%d.%m.%Y}" if dotted else f"{day.day} {months[day.month - 1]} {day.year}"
            )
    return f"# {title[0]}\n\nDate: {written}\n\nOpen points: {points}\n\nPrepared by: {signed}\n"


def judging(body: Mapping[str, Any]) -> str:
    """Judge: who signs by name does well."""
    asked = said(body, -1)
    if "Which did better?" in asked:
        better = "B" if "the team" in block("changes", asked) else "A"
        return json.dumps({"better": better, "reason": "It is signed."})
    if "The run with recall" in asked:
        return json.dumps({"relevance": 4, "familiarity": 3, "robustness": 5, "reason": ""})
    changed = block("agent", asked)
    path = re.search(r'^FILE "(.+)"$', changed, re.MULTILINE)
    assert path
    by_name = "the team" not in changed
    if "Do the files" in asked:
        return json.dumps({"met": by_name, "citation": path[1], "reason": "It is the signature."})
    score = 95 if by_name else 10
    return json.dumps({"score": score, "citations": [path[1], "figure"], "reason": "It is short."})


def answering(body: Mapping[str, Any]) -> str:
    """Work or judge, as the model is called."""
    return judging(body) if body["model"] == "judge" else working(body)
