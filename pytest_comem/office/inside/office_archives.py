"""Archives of office files: opened within bounds, written the same every time."""

from __future__ import annotations

import io
import re
import zipfile

from pytest_comem.office.inside.office_files import RefusedError

#: Parts of an archive, and bytes that all of them have unpacked.
_PARTS = 2_000
_UNPACKED = 60_000_000
#: Every part has this date, as has the file's own note of when it was made and changed.
_DATE = (1980, 1, 1, 0, 0, 0)
_NOTED = b"2000-01-01T00:00:00Z"
_CORE = "docProps/core.xml"
_STAMP = re.compile(rb"(<dcterms:(created|modified)[^<>]{0,200}>)[^<>]{0,100}(?=</dcterms:)")


def checked(content: bytes, path: str) -> io.BytesIO:
    """Return an office file to be opened.

    :raises RefusedError: where it is no archive, or unpacks to too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError):
        raise RefusedError(f"{path!r} is not the kind of file that its name says") from None
    if len(parts) > _PARTS or sum(part.file_size for part in parts) > _UNPACKED:
        raise RefusedError(f"{path!r} unpacks to more than can be read")
    return io.BytesIO(content)


def steady(content: bytes) -> bytes:
    """Return an archive without the moment it was made at: the same content, the same bytes."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as archive,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in archive.infolist():
            data = archive.read(part)
            if part.filename == _CORE:
                data = _STAMP.sub(rb"\g<1>" + _NOTED, data)
            info = zipfile.ZipInfo(part.filename, _DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(info, data)
    return out.getvalue()
