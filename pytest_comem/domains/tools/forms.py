"""The forms in which files hold tables (CSV), facts (JSON, Markdown) and code (anything else)."""

from __future__ import annotations

import csv
import io
import json
from typing import Any, Final

from pytest_comem.domains.tools.contents import LONGEST_CODE, Body
from pytest_comem.domains.tools.tables import (
    MOST_COLUMNS,
    MOST_ROWS,
    NAME,
    NoTableError,
    Table,
    read_facts,
    table_of,
)

#: Bytes of a file that is read.
LARGEST: Final = 1_000_000
#: Lines of a Markdown document that are looked at.
_LINES: Final = 2_000


def written(body: Body, suffix: str, title: str = "") -> str:
    """Return the text of a file that holds a body.

    :param suffix: of the file's name; ``.csv`` holds tables, ``.json`` and ``.md`` facts.
    :param title: of a Markdown document.
    :raises NoTableError: where such a file cannot hold such a body.
    """
    if isinstance(body, Table) and suffix == ".csv":
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(body.columns)
        writer.writerows(body.rows)
        return out.getvalue()
    if isinstance(body, dict) and suffix == ".json":
        return json.dumps(body, indent=1, ensure_ascii=False) + "\n"
    if isinstance(body, dict) and suffix == ".md":
        lines = "".join(f"- {name}: {value}\n" for name, value in body.items())
        return f"# {title or 'Report'}\n\n{lines}"
    if isinstance(body, str) and suffix not in (".csv", ".json", ".md"):
        return body
    raise NoTableError(f"a file {suffix or 'without an ending'} does not hold this")


def parsed(text: str, suffix: str) -> Body:
    """Return what a file's text holds.

    :raises NoTableError: where it is not in the form that its name promises.
    """
    if suffix == ".csv":
        return _csv(text)
    if suffix == ".json":
        return read_facts(_json(text))
    if suffix == ".md":
        pairs = [pair for line in text.split("\n")[:_LINES] if (pair := _fact(line))]
        if len({key for key, _ in pairs}) < len(pairs):
            raise NoTableError("it gives a fact twice")
        return read_facts(dict(pairs))
    if len(text) > LONGEST_CODE:
        raise NoTableError(f"it has more than {LONGEST_CODE:,} characters")
    return text


def decoded(raw: bytes) -> str:
    """Return the text of a file's bytes.

    :raises NoTableError: where they are not UTF-8.
    """
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NoTableError("it is not UTF-8") from None


def _csv(text: str) -> Table:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline="")):
            if len(rows) > MOST_ROWS or len(row) > MOST_COLUMNS:
                raise NoTableError("it has too many rows or columns")
            if row:
                rows.append(row)
    except csv.Error:
        raise NoTableError("it is no CSV") from None
    if not rows:
        raise NoTableError("it is empty")
    return table_of(rows[0], rows[1:])


def _fact(line: str) -> tuple[str, str] | None:
    """Return name and value of a line ``- name: value``, whatever is set in bold."""
    if not line.startswith(("- ", "* ")):
        return None
    name, colon, value = line[2:].partition(":")
    name = name.strip(" *`")
    return (name, value.strip(" *`\r")) if colon and NAME.fullmatch(name) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise NoTableError("it is no JSON") from None
