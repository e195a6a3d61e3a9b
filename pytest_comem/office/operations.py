"""What can be done in a workspace: the operations that agents, plans and mutations share.

An operation is a name and arguments. Most run inside the sandbox, by the program
``pytest_comem/office/inside/office_tools.py``; ``ask_resource`` is answered outside. All return
text for people and models, and some a value for plans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, final


class CallClass(StrEnum):
    """What a call of a tool is for (paper, "Continuity")."""

    EXPLORATION = "exploration"
    EXECUTION = "execution"
    OTHER = "other"


@final
@dataclass(frozen=True, slots=True)
class OperationInfo:
    """What an operation is, and how a model is told of it.

    :param description: one or two sentences.
    :param parameters: JSON Schema of its arguments, an object.
    :param call_class: of a call of it; a shell command is classed by what it runs.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call_class: CallClass


@final
@dataclass(frozen=True, slots=True)
class Operation:
    """One call: the name of an operation and its arguments, of any shape a caller gave them."""

    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class Result:
    """What came of an operation.

    :param ok: whether it was done; where not, nothing was changed and *text* says why.
    :param text: what a model is told, bounded.
    :param value: what plans can use: a number, text, or rows; ``None`` where there is nothing.
    """

    ok: bool
    text: str
    value: Any = None


def _object(**properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an object all of whose members are required."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


_PATH: Final = {"type": "string", "description": "path in the workspace, such as reports/may.md"}
_TEXT: Final = {"type": "string"}
_CELL: Final = {"type": ["string", "number", "boolean", "null"]}
_ROWS: Final = {"type": "array", "items": {"type": "array", "items": _CELL}}
_BLOCKS: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "kind": {"enum": ["heading", "paragraph", "bullet", "table"]},
            "level": {"type": "integer", "description": "of a heading, 1 to 4"},
            "text": _TEXT,
            "rows": _ROWS,
        },
        "required": ["kind"],
        "additionalProperties": False,
    },
}
_TABLES: Final = {
    "type": "array",
    "description": "files to query as tables",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "of the table in the statement"},
            "path": _PATH,
            "sheet": {"type": "string", "description": "of a spreadsheet"},
            "delimiter": {"type": "string", "description": "of a CSV file, a comma if left out"},
            "encoding": {"type": "string", "description": "of a CSV file, utf-8 if left out"},
        },
        "required": ["name", "path"],
        "additionalProperties": False,
    },
}

_E, _X, _O = CallClass.EXPLORATION, CallClass.EXECUTION, CallClass.OTHER
#: Every operation by name.
OPERATIONS: Final[Mapping[str, OperationInfo]] = {
    info.name: info
    for info in (
        OperationInfo("list", "List the files of a directory.", _object(path=_PATH), _E),
        OperationInfo(
            "read",
            "Read a file as text: text as it is, CSV, a spreadsheet's sheets as rows, a document's "
            "headings and paragraphs, a database's tables and their columns.",
            _object(path=_PATH),
            _E,
        ),
        OperationInfo("write", "Write a text file.", _object(path=_PATH, text=_TEXT), _X),
        OperationInfo(
            "edit",
            "Replace a text that occurs exactly once in a text file.",
            _object(path=_PATH, old=_TEXT, new=_TEXT),
            _X,
        ),
        OperationInfo("append", "Append to a text file.", _object(path=_PATH, text=_TEXT), _X),
        OperationInfo("move", "Rename or move a file.", _object(path=_PATH, to=_PATH), _X),
        OperationInfo("delete", "Delete a file.", _object(path=_PATH), _X),
        OperationInfo(
            "write_sheet",
            "Write rows into a sheet of a spreadsheet (.xlsx), which is made where there is none; "
            "the sheet's earlier content goes. A text that starts with = is a formula.",
            _object(path=_PATH, sheet=_TEXT, rows=_ROWS),
            _X,
        ),
        OperationInfo(
            "set_cells",
            "Set cells of a sheet of a spreadsheet.",
            _object(
                path=_PATH,
                sheet=_TEXT,
                cells={
                    "type": "object",
                    "description": "value by cell, such as B2",
                    "additionalProperties": _CELL,
                },
            ),
            _X,
        ),
        OperationInfo(
            "write_document",
            "Write a document (.docx) from headings, paragraphs, bullets and tables.",
            _object(path=_PATH, blocks=_BLOCKS),
            _X,
        ),
        OperationInfo(
            "edit_document",
            "Replace a text that occurs in exactly one paragraph or cell of a document (.docx).",
            _object(path=_PATH, old=_TEXT, new=_TEXT),
            _X,
        ),
        OperationInfo(
            "query",
            "Run one SELECT over files: CSV, a spreadsheet's sheet (first row: column names), or "
            "all tables of an SQLite database. Returns rows.",
            _object(tables=_TABLES, statement=_TEXT),
            _E,
        ),
        OperationInfo(
            "execute_sql",
            "Run SQL statements on an SQLite database of the workspace, which is made where it is "
            "not there.",
            _object(path=_PATH, statement=_TEXT),
            _X,
        ),
        OperationInfo(
            "shell",
            "Run a command with sh in the workspace, without a network.",
            _object(command=_TEXT),
            _O,
        ),
        OperationInfo(
            "ask_resource",
            "Ask the resource service: 'list' names what it knows; 'NAME: ATTRIBUTE' asks for one "
            "recorded attribute.",
            _object(request=_TEXT),
            _E,
        ),
    )
}
