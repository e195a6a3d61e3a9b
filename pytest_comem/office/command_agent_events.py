"""What a program prints of its own work, as calls.

Codex prints with ``exec --json`` an event a line; of those, finished items are read: commands,
files changed, tools of other servers, and what it says. Everything else is passed over: a program
that prints none of them has done one call, which is itself.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

from pytest_comem.office.base import Call
from pytest_comem.office.operations import CallClass
from pytest_comem.office.shell_classes import class_of

#: Calls that are kept, and characters of one's words and of its answer.
MOST_CALLS: Final = 2_000
TEXT: Final = 20_000
SAID: Final = 4_000
_SHELLS: Final = frozenset(("sh", "bash", "zsh", "dash"))
#: What happened to a file, as an operation.
_CHANGES: Final[Mapping[str, str]] = {"add": "write", "delete": "delete", "update": "edit"}


@final
@dataclass(slots=True)
class Printed:
    """What was read from a program's output.

    :param calls: in order.
    :param reply: what it said last.
    :param tokens: that it says it used.
    """

    calls: list[Call] = field(default_factory=list)
    reply: str = ""
    tokens: int = 0


def read_printed(output: bytes) -> Printed:
    """Return what a program's standard output says of its work; whatever it holds."""
    printed = Printed()
    for line in output.split(b"\n"):
        event = _object(line)
        if event is None:
            continue
        kind, item = event.get("type"), event.get("item")
        if kind == "item.completed" and isinstance(item, dict):
            if item.get("type") == "agent_message" and isinstance(item.get("text"), str):
                printed.reply = clean(item["text"], TEXT)
            room = MOST_CALLS - len(printed.calls)
            printed.calls += list(_calls(item))[:room]
        elif kind == "turn.completed":
            printed.tokens += _tokens(event.get("usage"))
    return printed


def clean(text: str, most: int) -> str:
    """Return a text that any file can hold, clipped."""
    whole = text.encode("utf-8", "replace").decode("utf-8")
    return whole if len(whole) <= most else f"{whole[:most]}\n[cut: {len(whole):,} characters]"


def _object(line: bytes) -> Mapping[str, Any] | None:
    if not line.lstrip().startswith(b"{"):
        return None
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _calls(item: Mapping[str, Any]) -> Iterator[Call]:
    kind = item.get("type")
    ok = item.get("status") == "completed"
    if kind == "command_execution":
        command = _command(str(item.get("command") or ""))
        said = clean(str(item.get("aggregated_output") or ""), SAID)
        ok = ok and item.get("exit_code") in (0, None)
        text = clean(f"ran: {command}", TEXT)
        yield Call("shell", class_of(command), text, ok, said)
    elif kind == "file_change":
        changes = item.get("changes")
        for change in changes if isinstance(changes, list) else ():
            if isinstance(change, dict):
                name = _CHANGES.get(str(change.get("kind")), "edit")
                text = clean(f"{name}: {_path(str(change.get('path')))}", TEXT)
                yield Call(name, CallClass.EXECUTION, text, ok)
    elif kind in ("mcp_tool_call", "web_search"):
        what = " ".join(str(item[name]) for name in ("server", "tool", "query") if name in item)
        yield Call(str(kind), CallClass.OTHER, clean(f"{kind}: {what}", TEXT), ok)


def _command(command: str) -> str:
    """Return a command without the shell that is called to run it."""
    try:
        words = shlex.split(command[:TEXT])
    except ValueError:
        return command
    is_shell = len(words) == 3 and words[0].rpartition("/")[2] in _SHELLS
    return words[2] if is_shell and words[1] in ("-c", "-lc") else command


def _path(path: str) -> str:
    """Return a path as it is in the workspace, where it is in there."""
    return path.removeprefix("/workspace/")


def _tokens(usage: Any) -> int:
    if not isinstance(usage, dict):
        return 0
    counts = [usage.get(name) for name in ("input_tokens", "output_tokens")]
    return sum(count for count in counts if isinstance(count, int) and count > 0)
