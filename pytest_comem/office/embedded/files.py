"""Files of the embedded set as bytes that are the same on every machine and day."""

from __future__ import annotations

import csv
import hashlib
import io
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pytest_comem.office.inside import office_tools

_MOMENT: Final = (2025, 1, 1, 0, 0, 0)
_TIMES: Final = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")
_ARCHIVES: Final = (".xlsx", ".docx")
_DATABASES: Final = (".sqlite", ".db")
#: Where an SQLite file says which release of the library wrote it last, and what it then says.
_RELEASE_AT: Final = slice(96, 100)
_RELEASE: Final = (3_040_000).to_bytes(4, "big")


def table(rows: Sequence[Sequence[Any]], delimiter: str = ",", encoding: str = "utf-8") -> bytes:
    """Return rows, the header first, as a CSV file with a line feed after each row."""
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode(encoding)


def workbook(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    """Return an XLSX file; a text that starts with ``=`` is a formula."""
    return _made(
        "made.xlsx",
        [
            {
                "name": "write_sheet",
                "arguments": {"path": "made.xlsx", "sheet": sheet, "rows": list(map(list, rows))},
            }
            for sheet, rows in sheets.items()
        ],
    )


def document(blocks: Sequence[Mapping[str, Any]]) -> bytes:
    """Return a DOCX file of blocks, as ``write_document`` takes them."""
    arguments = {"path": "made.docx", "blocks": list(map(dict, blocks))}
    return _made("made.docx", [{"name": "write_document", "arguments": arguments}])


def database(script: str) -> bytes:
    """Return an SQLite file as a script of SQL statements makes it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.sqlite"
        connection = sqlite3.connect(path)
        try:
            connection.executescript(script)
        finally:
            connection.close()
        settle(path)
        return path.read_bytes()


def settle(path: Path) -> None:
    """Rewrite an archive or database without times and names of whoever wrote it, if it is one."""
    if path.suffix in _ARCHIVES:
        path.write_bytes(_settled_archive(path.read_bytes()))
    elif path.suffix in _DATABASES:
        path.write_bytes(_settled_database(path))


def same(one: bytes, other: bytes) -> bool:
    """Whether two files are the same, archives member by member: deflate differs by library."""
    if one == other or not (one[:2] == other[:2] == b"PK"):
        return one == other
    return _members(one) == _members(other)


def fingerprint(raw: bytes) -> str:
    """Return what names a file's content, 16 hexadecimal digits; equal where :func:`same` is."""
    digest = hashlib.sha256()
    if raw[:2] != b"PK":
        digest.update(raw)
    else:
        for name, content in _members(raw):
            digest.update(f"{name}:{hashlib.sha256(content).hexdigest()};".encode())
    return digest.hexdigest()[:16]


def _members(raw: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def _settled_archive(raw: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in _members(raw):
            if name == "docProps/core.xml":
                content = _TIMES.sub(rb"\g<1>2025-01-01T00:00:00Z\g<3>", content)
            info = zipfile.ZipInfo(name, _MOMENT)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 0
            archive.writestr(info, content)
    return target.getvalue()


def _settled_database(path: Path) -> bytes:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("VACUUM")
    finally:
        connection.close()
    raw = bytearray(path.read_bytes())
    raw[_RELEASE_AT] = _RELEASE
    return bytes(raw)


def _made(name: str, operations: Sequence[Mapping[str, Any]]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for result in office_tools.perform(root, list(operations)):
            if not result["ok"]:
                raise ValueError(result["text"])
        settle(root / name)
        return (root / name).read_bytes()
