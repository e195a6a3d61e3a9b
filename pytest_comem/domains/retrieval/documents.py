"""The corpus: documents that never change, pinned by a hash."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import DataError

#: Largest corpus that is read, in bytes.
MAX_BYTES: Final = 64 * 1024 * 1024
_FIELDS: Final = ("doc_id", "title", "text", "partition", "date")


@final
@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    :param text: as it was written; offsets into it count code points.
    :param partition: the part of the corpus that it can be found in.
    :param date: of the document, ISO 8601.
    """

    doc_id: str
    title: str
    text: str
    partition: str
    date: str


@final
@dataclass(frozen=True, eq=False)
class Corpus:
    """All documents in the file's order, and the SHA-256 of the file; equal to itself alone."""

    documents: tuple[Document, ...]
    sha256: str

    @cached_property
    def by_id(self) -> Mapping[str, Document]:
        """Every document by its id."""
        return {document.doc_id: document for document in self.documents}


def corpus_bytes(documents: Iterable[Document]) -> bytes:
    """Return documents as the lines of a corpus file."""
    lines = (json.dumps(asdict(one), ensure_ascii=False, sort_keys=True) for one in documents)
    return "".join(f"{line}\n" for line in lines).encode()


@lru_cache(maxsize=4)
def read_corpus(path: Path, sha256: str) -> Corpus:
    """Return a corpus whose file has the hash it has to have; read once a process.

    :raises DataError: where the file cannot be read, has another hash, or is no corpus.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=path.name) from None
    if len(raw) > MAX_BYTES:
        raise DataError(f"larger than {MAX_BYTES:,} bytes", file=path.name)
    found = hashlib.sha256(raw).hexdigest()
    if found != sha256:
        problem = f"its SHA-256 is {found}, and has to be {sha256}; get the unchanged file"
        raise DataError(problem, file=path.name)
    documents = tuple(
        _document(line, number, path.name)
        for number, line in enumerate(raw.split(b"\n"), 1)
        if line
    )
    if len({one.doc_id for one in documents}) != len(documents):
        raise DataError("two documents have the same id", file=path.name)
    return Corpus(documents, found)


def _document(line: bytes, number: int, file: str) -> Document:
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        raise DataError("not JSON", file=file, line=number) from None
    if not isinstance(read, dict) or set(read) != set(_FIELDS):
        raise DataError(f"a document has {', '.join(_FIELDS)}", file=file, line=number)
    for field in _FIELDS:
        if not isinstance(read[field], str) or not read[field]:
            raise DataError("has to be text", file=file, line=number, field=field)
    return Document(**read)
