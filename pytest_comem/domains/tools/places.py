"""Where the state holds a node's result: a file, a sheet, rows of a table, a committed file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, Final, Literal, TypeAlias, final

from pytest_comem.domains.tools.tables import NAME, Cell, NoTableError, cell

Kind: TypeAlias = Literal["file", "sheet", "rows", "commit"]
_PATH: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(?:/[A-Za-z0-9_][A-Za-z0-9_.-]*){0,5}")
_SHEET: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9 _-]{0,30}")


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A place of the state.

    :param kind: ``rows`` are those rows of a table whose column *column* is *value*.
    :param path: of the file or workbook, from the workspace; the table's name for ``rows``.
    :param sheet: of the workbook.
    """

    kind: Kind
    path: str
    sheet: str = ""
    column: str = ""
    value: Cell = ""

    @property
    def suffix(self) -> str:
        """The ending of the file's name, which says in what form it is written."""
        return PurePosixPath(self.path).suffix

    def as_json(self) -> dict[str, Any]:
        """Return the place as tasks and artifacts hold it."""
        if self.kind == "rows":
            return {"table": self.path, "where": {self.column: self.value}}
        if self.kind == "sheet":
            return {"workbook": self.path, "sheet": self.sheet}
        return {self.kind: self.path}

    def __str__(self) -> str:
        if self.kind == "rows":
            return f"rows of {self.path} with {self.column} {self.value}"
        return f"{self.path}, sheet {self.sheet}" if self.kind == "sheet" else self.path


def read_place(value: Any) -> Place:
    """Return the place that a JSON value names.

    :raises NoTableError: where it names none.
    """
    if isinstance(value, dict):
        fields = set(value)
        if fields == {"file"} or fields == {"commit"}:
            kind: Kind = "file" if "file" in fields else "commit"
            return Place(kind, workspace_path(value[kind]))
        if fields == {"workbook", "sheet"}:
            return Place("sheet", workspace_path(value["workbook"]), sheet_name(value["sheet"]))
        if fields == {"table", "where"} and _is_one(value["where"]):
            ((column, wanted),) = value["where"].items()
            return Place("rows", name(value["table"]), "", name(column), cell(wanted))
    raise NoTableError("it names no place of the state")


def workspace_path(value: Any) -> str:
    """Return a path in the workspace: plain names, no way out, no hidden file.

    :raises NoTableError: where it is none.
    """
    if isinstance(value, str) and len(value) <= 200 and _PATH.fullmatch(value):
        return value
    raise NoTableError("it names no file of the workspace")


def sheet_name(value: Any) -> str:
    """Return the name of a sheet.

    :raises NoTableError: where it is none.
    """
    if isinstance(value, str) and _SHEET.fullmatch(value):
        return value
    raise NoTableError("it names no sheet")


def name(value: Any) -> str:
    """Return the name of a table or column: lower-case letters, digits, underscores.

    :raises NoTableError: where it is none.
    """
    if isinstance(value, str) and NAME.fullmatch(value):
        return value
    raise NoTableError("a table or column has a name of lower-case letters, digits and _")


def _is_one(value: Any) -> bool:
    return isinstance(value, Mapping) and len(value) == 1
