"""How work is written down: the words for an operation, and for a participant's own changes.

Sessions, transcripts and the offline agent's reading of recalled passages share these words, so
that what a memory hands back word for word can be acted on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final


def said_of(name: str, arguments: Mapping[str, Any]) -> str:
    """Return an operation in words; a name or arguments of any shape are shown as they are."""
    say = _SAID.get(name)
    if say is not None:
        try:
            return say(arguments)
        except (KeyError, TypeError, ValueError, AttributeError):
            pass
    return f"{name}: {dict(arguments)!r}"


def changed(path: str, old: str, new: str) -> str:
    """Return how a participant says that they changed a text of a file themselves."""
    return f'I changed {path}: "{old}" is now "{new}".'


def renamed(path: str, to: str) -> str:
    """Return how a participant says that they renamed a file themselves."""
    return f"I renamed {path} to {to}."


def row_of(row: Sequence[Any]) -> str:
    """Return a row of a table as a line."""
    return " | ".join("" if cell is None else str(cell) for cell in row)


def _rows(rows: Sequence[Sequence[Any]]) -> str:
    return "\n".join(map(row_of, rows))


def _block(block: Mapping[str, Any]) -> str:
    kind = block["kind"]
    if kind == "heading":
        return f"{'#' * int(block.get('level', 1))} {block['text']}"
    if kind == "bullet":
        return f"- {block['text']}"
    return _rows(block["rows"]) if kind == "table" else str(block["text"])


def _source(table: Mapping[str, Any]) -> str:
    how = [
        f"{name} {table[name]}" if name == "encoding" else f'{name} "{table[name]}"'
        for name in ("sheet", "delimiter", "encoding")
        if table.get(name)
    ]
    return f"{table['path']} ({', '.join(how)})" if how else str(table["path"])


def _cells(cells: Mapping[str, Any]) -> str:
    return "; ".join(f"{cell} = {value}" for cell, value in cells.items())


def _replaced(a: Mapping[str, Any]) -> str:
    return f'replaced "{a["old"]}" with "{a["new"]}"'


_SAID: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "list": lambda a: f"listed {a['path']}",
    "read": lambda a: f"read {a['path']}",
    "write": lambda a: f"wrote {a['path']}:\n{a['text']}",
    "append": lambda a: f"appended to {a['path']}:\n{a['text']}",
    "edit": lambda a: f"edited {a['path']}: {_replaced(a)}",
    "move": lambda a: f"renamed {a['path']} to {a['to']}",
    "delete": lambda a: f"deleted {a['path']}",
    "write_sheet": lambda a: f'wrote sheet "{a["sheet"]}" of {a["path"]}:\n{_rows(a["rows"])}',
    "set_cells": lambda a: (
        f'set cells of sheet "{a["sheet"]}" in {a["path"]}: {_cells(a["cells"])}'
    ),
    "write_document": lambda a: f"wrote {a['path']}:\n" + "\n".join(map(_block, a["blocks"])),
    "edit_document": lambda a: f"edited {a['path']}: {_replaced(a)}",
    "query": lambda a: f"queried {', '.join(map(_source, a['tables']))}: {a['statement']}",
    "execute_sql": lambda a: f"ran on {a['path']}: {a['statement']}",
    "shell": lambda a: f"ran: {a['command']}",
    "ask_resource": lambda a: f"asked the resource service: {a['request']}",
}
