"""Does operations on the files of a workspace: the current directory, or one that is given.

As a program it reads one JSON object from standard input::

    {"operations": [{"name": "write", "arguments": {"path": "a.md", "text": "A"}}, ...]}

and prints, a line for each operation as soon as it is done::

    {"results": [{"ok": true, "text": "wrote a.md", "value": null}]}

An operation that cannot be done changes nothing, says why, and those after it are done all the
same. As a module, :func:`perform` does the same on a directory of trusted data.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pytest_comem.office.inside.office_files import (
    LISTED,
    Files,
    RefusedError,
    clipped,
)

#: Bytes of a request.
_REQUEST = 50_000_000
#: Names and types of arguments; all have to be there.
_TAKES: Mapping[str, Mapping[str, type]] = {
    "list": {"path": str},
    "read": {"path": str},
    "write": {"path": str, "text": str},
    "edit": {"path": str, "old": str, "new": str},
    "append": {"path": str, "text": str},
    "move": {"path": str, "to": str},
    "delete": {"path": str},
    "write_sheet": {"path": str, "sheet": str, "rows": list},
    "set_cells": {"path": str, "sheet": str, "cells": dict},
    "write_document": {"path": str, "blocks": list},
    "edit_document": {"path": str, "old": str, "new": str},
    "query": {"tables": list, "statement": str},
    "execute_sql": {"path": str, "statement": str},
}
_WORDS: Mapping[Any, str] = {str: "text", list: "list", dict: "object"}


def perform(root: Path, operations: Iterable[Any]) -> list[dict[str, Any]]:
    """Do operations on a directory, in order.

    :param operations: each an object with ``name`` and ``arguments``.
    :returns: for each, whether it was done (``ok``), ``text`` and ``value``.
    """
    return list(_performed(root, operations))


def _performed(root: Path, operations: Iterable[Any]) -> Iterator[dict[str, Any]]:
    files = Files(root)
    for operation in operations:
        try:
            text, value = _done(files, operation)
        except RefusedError as error:
            yield {"ok": False, "text": clipped(str(error)), "value": None}
        except Exception as error:
            # Libraries raise anything on broken files; the other operations are still done.
            text = f"{_name(operation)} failed: {type(error).__name__}: {error}"
            yield {"ok": False, "text": clipped(text), "value": None}
        else:
            yield {"ok": True, "text": clipped(text), "value": value}


def _name(operation: Any) -> str:
    name = operation.get("name") if isinstance(operation, Mapping) else None
    return name[:60] if isinstance(name, str) else "the operation"


def _done(files: Files, operation: Any) -> tuple[str, Any]:
    name = _name(operation)
    takes = _TAKES.get(name)
    if takes is None:
        raise RefusedError(f"there is no operation {name!r}; there are: {', '.join(_TAKES)}")
    arguments = operation.get("arguments", {})
    _check(name, takes, arguments)
    return _WAYS[name](files, arguments)


def _check(name: str, takes: Mapping[str, type], arguments: Any) -> None:
    if not isinstance(arguments, Mapping):
        raise RefusedError(f"{name}: its arguments have to be an object")
    strange = sorted(str(each)[:60] for each in arguments if each not in takes)
    missing = [each for each in takes if each not in arguments]
    if strange or missing:
        what = f"takes no {strange[0]!r}" if strange else f"needs {missing[0]!r}"
        raise RefusedError(f"{name} {what}; its arguments are: {', '.join(takes)}")
    for each, kind in takes.items():
        if not isinstance(arguments[each], kind):
            raise RefusedError(f"{name}: {each} has to be a {_WORDS[kind]}")


def _list(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    found = files.listed(a["path"])
    more = [f"[and {len(found) - LISTED} more]"] if len(found) > LISTED else []
    return "\n".join([*found[:LISTED], *more]) or "no files", found[:LISTED]


def _read(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    path = a["path"]
    content = files.read(path)
    if path.lower().endswith(".xlsx"):
        from pytest_comem.office.inside.office_sheets import sheets_text

        return sheets_text(files, path), None
    if path.lower().endswith(".docx"):
        from pytest_comem.office.inside.office_documents import document_text

        return document_text(files, path), None
    from pytest_comem.office.inside.office_sql import database_text, is_database

    if is_database(content):
        return database_text(files, path), None
    try:
        return content.decode("utf-8"), None
    except UnicodeDecodeError:
        if b"\0" in content:
            raise RefusedError(f"{path!r} is not text: {len(content):,} bytes") from None
    return f"[not UTF-8; shown as latin-1]\n{content.decode('latin-1')}", None


def _require_text(path: str) -> None:
    for end, name in ((".xlsx", "write_sheet"), (".docx", "write_document")):
        if path.lower().endswith(end):
            raise RefusedError(f"{path!r} would not be a text file; use {name}")


def _write(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    _require_text(a["path"])
    files.write_text(a["path"], a["text"])
    return f"wrote {a['path']}: {len(a['text'])} characters", None


def _edit(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    text = files.read_text(a["path"])
    if not a["old"]:
        raise RefusedError("old is empty; give the text to replace, or use append")
    count = text.count(a["old"])
    if count != 1:
        hint = "read shows what is there" if not count else "give more of what is around it"
        raise RefusedError(f"{a['path']}: the text occurs {count} times, not once; {hint}")
    files.write_text(a["path"], text.replace(a["old"], a["new"]))
    return f"edited {a['path']}", None


def _append(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    _require_text(a["path"])
    old = files.read_text(a["path"]) if files.place(a["path"]).exists() else ""
    files.write_text(a["path"], old + a["text"])
    return f"appended to {a['path']}: {len(a['text'])} characters", None


def _move(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    source = files.existing(a["path"])
    if files.place(a["to"]).exists():
        raise RefusedError(f"{a['to']!r} is there already; delete it first, or take another name")
    source.rename(files.target(a["to"]))
    return f"renamed {a['path']} to {a['to']}", None


def _delete(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    files.existing(a["path"]).unlink()
    return f"deleted {a['path']}", None


def _write_sheet(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_sheets import write_sheet

    return write_sheet(files, a["path"], a["sheet"], a["rows"]), None


def _set_cells(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_sheets import set_cells

    return set_cells(files, a["path"], a["sheet"], a["cells"]), None


def _write_document(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_documents import write_document

    return write_document(files, a["path"], a["blocks"]), None


def _edit_document(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_documents import edit_document

    return edit_document(files, a["path"], a["old"], a["new"]), None


def _query(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_query import query

    return query(files, a["tables"], a["statement"])


def _execute_sql(files: Files, a: Mapping[str, Any]) -> tuple[str, Any]:
    from pytest_comem.office.inside.office_sql import execute_sql

    return execute_sql(files, a["path"], a["statement"])


_WAYS: Mapping[str, Callable[[Files, Mapping[str, Any]], tuple[str, Any]]] = {
    "list": _list,
    "read": _read,
    "write": _write,
    "edit": _edit,
    "append": _append,
    "move": _move,
    "delete": _delete,
    "write_sheet": _write_sheet,
    "set_cells": _set_cells,
    "write_document": _write_document,
    "edit_document": _edit_document,
    "query": _query,
    "execute_sql": _execute_sql,
}


def main() -> int:
    """Read a request from standard input and print the results.

    :returns: exit status: 2 where the request itself cannot be read.
    """
    raw = sys.stdin.buffer.read(_REQUEST + 1)
    try:
        operations = json.loads(raw)["operations"] if len(raw) <= _REQUEST else None
    except (ValueError, TypeError, KeyError, RecursionError):
        operations = None
    if not isinstance(operations, list):
        print("office_tools: the request is not an object with operations", file=sys.stderr)
        return 2
    for result in _performed(Path(), operations):
        line = json.dumps({"results": [result]}, ensure_ascii=True)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
