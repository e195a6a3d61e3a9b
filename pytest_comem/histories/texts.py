"""Contents of a history as a stream may hold them: text, or one of the kinds of office files.

Everything private is replaced. Of ``.docx`` and ``.xlsx`` the parts are, and the file is written
anew; where something private is still found in what it says, and in an SQLite database at all, the
file is left out.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import PurePosixPath
from typing import Final

from pytest_comem.histories.placeholders import Placeholders
from pytest_comem.office.documents import Document
from pytest_comem.sandbox.reading import UnreadableError

#: Bytes of a file that is kept.
LARGEST: Final = 2 << 20
ARCHIVES: Final = (".docx", ".xlsx")
DATABASES: Final = (".sqlite", ".sqlite3", ".db")
_MOST_PARTS: Final = 2_000
_MOST_UNPACKED: Final = 32 << 20
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)


def as_text(raw: bytes) -> str | None:
    """Return a file's text, line ends as they are; ``None`` where it is no text in UTF-8."""
    if b"\0" in raw:
        return None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def cleaned(path: str, raw: bytes, placeholders: Placeholders) -> bytes | None:
    """Return a file's content with everything private replaced; ``None`` where it is left out."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in ARCHIVES:
        return _clean_archive(path, raw, placeholders)
    if suffix in DATABASES:
        return None if placeholders.left_in(raw.decode("latin-1")) else raw
    text = as_text(raw)
    return None if text is None else placeholders.text(text).encode("utf-8")


def said_in(path: str, raw: bytes) -> str:
    """Return all text of a file that a look for what is private has to see."""
    suffix = PurePosixPath(path).suffix.lower()
    if suffix not in ARCHIVES:
        return raw.decode("utf-8", "replace")
    try:
        parts = _parts(raw)
        whole = [raw.decode("utf-8", "replace") for raw in parts.values()] if parts else []
        return "\n".join([*whole, Document(path, raw).text])
    except UnreadableError:
        return ""


def _clean_archive(path: str, raw: bytes, placeholders: Placeholders) -> bytes | None:
    parts = _parts(raw)
    if parts is None:
        return None
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            text = as_text(content)
            if text is not None:
                content = placeholders.text(text).encode("utf-8")
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), content, zipfile.ZIP_DEFLATED)
    found = written.getvalue()
    try:
        said = Document(path, found).text
    except UnreadableError:
        return None
    return None if placeholders.left_in(said) else found


def _parts(raw: bytes) -> dict[str, bytes] | None:
    """Return the parts of an archive, read with bounds; ``None`` where it is none to be kept."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_PARTS:
                return None
            found, room = {}, _MOST_UNPACKED
            for entry in entries:
                with archive.open(entry) as part:
                    found[entry.filename] = part.read(room + 1)
                room -= len(found[entry.filename])
                if room < 0:
                    return None
            return found
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, EOFError):
        return None
    except Exception as error:
        # zlib and lzma raise errors of their own.
        if type(error).__module__ in ("zlib", "_lzma", "lzma"):
            return None
        raise
