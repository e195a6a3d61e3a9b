"""The shipped corpus: where it is, and the hash that pins it."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_comem.domains.retrieval.documents import Corpus, read_corpus
from pytest_comem.domains.retrieval.searching import ENGINE, ENGINE_VERSION
from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.schema import Family

CORPUS_FILE: Final = "corpus.jsonl"
#: SHA-256 of the shipped corpus file.
CORPUS_SHA256: Final = "2c894e78cf1405e1c88f80c53eaab4843c75999591c353c5d744a7b108a0024d"


def corpora_root() -> Path:
    """Return the directory of the shipped corpus."""
    return fixture_path("comembench", "retrieval")


def sha256_of(raw: bytes) -> str:
    """Return the SHA-256 of a corpus file's bytes."""
    return hashlib.sha256(raw).hexdigest()


def environment(sha256: str) -> dict[str, JsonValue]:
    """Return what a family says of the corpus and the engine that it needs."""
    return {
        "corpus": CORPUS_FILE,
        "corpus_sha256": sha256,
        "engine": {"name": ENGINE, "version": ENGINE_VERSION},
    }


def corpus_of(family: Family, root: Path) -> Corpus:
    """Return the corpus that a family was made for, checked by its hash.

    :param root: directory of the corpora; a family names a file in it.
    :raises DataError: where the family names none, another engine, or a corpus that is not there or
        has another hash.
    """
    asked = family.execution.environment
    name, sha256 = asked.get("corpus"), asked.get("corpus_sha256")
    shown = f"family {family.family_id}"
    if not isinstance(name, str) or not isinstance(sha256, str):
        problem = "names no corpus and its hash: corpus, corpus_sha256"
        raise DataError(problem, file=shown, field="execution.environment")
    if Path(name).name != name or "\0" in name:
        problem = "the corpus is a file's name, without directories"
        raise DataError(problem, file=shown, field="execution.environment.corpus")
    if asked.get("engine") != environment(sha256)["engine"]:
        problem = f"asks for another search engine than {ENGINE} {ENGINE_VERSION}, which is here"
        raise DataError(problem, file=shown, field="execution.environment.engine")
    return read_corpus(root / name, sha256)
