"""Corpus files: pinned, and refused where they are not what they have to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_comem.domains.retrieval.documents import Document, corpus_bytes, read_corpus
from pytest_comem.domains.retrieval.shipped import sha256_of
from pytest_comem.errors import DataError

ONE = Document("liv-001", "Ada", "Ada led the way.", "lives", "1930-01-02")


def written(path: Path, raw: bytes) -> str:
    """Write a file and return its hash."""
    path.write_bytes(raw)
    return sha256_of(raw)


def test_reads_back_what_was_written(tmp_path: Path) -> None:
    """Documents with any line ends and characters."""
    other = Document("liv-002", "Zoe\u0308", "a\r\nb\u2028c \ufb01", "lives", "1930-01-02")
    path = tmp_path / "corpus.jsonl"
    sha256 = written(path, corpus_bytes([ONE, other]))
    found = read_corpus(path, sha256)
    assert found.documents == (ONE, other)
    assert found.by_id["liv-002"] is found.documents[1]


def test_a_changed_file_is_refused(tmp_path: Path) -> None:
    """With both hashes named."""
    path = tmp_path / "corpus.jsonl"
    sha256 = written(path, corpus_bytes([ONE]))
    path.write_bytes(path.read_bytes().replace(b"led", b"lit"))
    with pytest.raises(DataError, match=f"has to be {sha256}"):
        read_corpus(path, sha256)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """By its name alone."""
    with pytest.raises(DataError, match=r"^corpus\.jsonl: cannot be read: No such file"):
        read_corpus(tmp_path / "corpus.jsonl", "0" * 64)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "corpus.jsonl:2: not JSON"),
        (b"\xff", "corpus.jsonl:2: not JSON"),
        (b"[" * 100_000, "corpus.jsonl:2: not JSON"),
        (b"[]", "corpus.jsonl:2: a document has doc_id, title, text, partition, date"),
        (b'{"doc_id": "x"}', "corpus.jsonl:2: a document has doc_id"),
        (
            json.dumps(
                {**dict.fromkeys(("doc_id", "title", "partition", "date"), "x"), "text": 1}
            ).encode(),
            "corpus.jsonl:2: field text: has to be text",
        ),
        (corpus_bytes([ONE]).strip(), "two documents have the same id"),
    ],
)
def test_what_is_no_document_is_named(tmp_path: Path, line: bytes, said: str) -> None:
    """By line and field, however it is broken."""
    path = tmp_path / "corpus.jsonl"
    sha256 = written(path, corpus_bytes([ONE]) + line + b"\n")
    with pytest.raises(DataError) as caught:
        read_corpus(path, sha256)
    assert said in str(caught.value)
