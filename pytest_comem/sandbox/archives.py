"""Parts of zip archives and XML, read with bounds: what office programs write, whoever wrote it."""

from __future__ import annotations

import io
import zipfile
from typing import Final
from xml.etree import ElementTree

from pytest_comem.sandbox.reading import UnreadableError

#: Bytes that a part of an archive may have, unpacked.
LARGEST_PART: Final = 4_000_000


def opened_archive(raw: bytes, what: str) -> zipfile.ZipFile:
    """Return an archive whose parts :func:`xml_part` can read.

    :param what: it should be, such as ``workbook``, for messages.
    :raises UnreadableError: where it is none.
    """
    try:
        return zipfile.ZipFile(io.BytesIO(raw))
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        raise UnreadableError(f"it is no {what}") from None
    except Exception as error:
        # Damaged directories of archives raise whatever their fields lead to.
        raise UnreadableError(f"the {what} is damaged: {type(error).__name__}") from None


def has_part(archive: zipfile.ZipFile, path: str) -> bool:
    """Return whether an archive has such a part."""
    return path in archive.NameToInfo


def xml_part(archive: zipfile.ZipFile, path: str, what: str) -> ElementTree.Element:
    """Return a part as XML; one with a document type, which may define entities, is none.

    :raises UnreadableError: where there is none, it has more than :data:`LARGEST_PART` bytes, or
        is not such XML.
    """
    raw = _part(archive, path, what)
    # Encodings that could hide a document type write zeros between the letters.
    if b"\0" in raw or b"<!DOCTYPE" in raw or b"<!ENTITY" in raw:
        raise UnreadableError(f"the part {path[:100]} has a document type, or is no text")
    try:
        return ElementTree.fromstring(raw)
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        raise UnreadableError(f"the part {path[:100]} is no XML") from None


def _part(archive: zipfile.ZipFile, path: str, what: str) -> bytes:
    try:
        with archive.open(path) as file:
            raw = file.read(LARGEST_PART + 1)
    except (KeyError, zipfile.BadZipFile, OSError, ValueError, RuntimeError, EOFError):
        raise UnreadableError(f"the {what} has no readable part {path[:100]}") from None
    except Exception as error:
        # zlib's and lzma's errors have no base in common.
        raise UnreadableError(f"the {what} is damaged: {type(error).__name__}") from None
    if len(raw) > LARGEST_PART:
        raise UnreadableError(f"the part {path[:100]} is too large")
    return raw
