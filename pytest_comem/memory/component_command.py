"""The command of a component on this machine: where its files are, and what is in them."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

#: Bytes of a file that go into its hash; behind them only its size does.
_HASHED: Final = 64 * 1024 * 1024


def located(words: Sequence[str], here: Path) -> list[str]:
    """Return *words* with those that name a file or a directory relative to *here* made absolute.

    A word without a slash has to name a file: a program of that name in ``PATH`` wins where it is
    the first, and a directory of that name is none of its business.
    """
    return [_located(word, here, is_program=not number) for number, word in enumerate(words)]


def content_of(words: Sequence[str], here: Path) -> Mapping[str, str]:
    """Return a hash of each file that a word names, by the word.

    A program that is found in ``PATH`` alone is known by its name: an interpreter differs from
    machine to machine.
    """
    found = {}
    for number, word in enumerate(words):
        path = Path(_located(word, here, is_program=not number))
        try:
            if path.is_absolute() and path.is_file():
                found[f"content of {word}"] = _hash_of(path)
        except OSError:
            # Such as a word that is longer than a path may be.
            continue
    return found


def _located(word: str, here: Path, *, is_program: bool) -> str:
    if word.startswith("-") or not word or Path(word).is_absolute():
        return word
    if is_program and "/" not in word:
        return word if shutil.which(word) else _file(word, here)
    try:
        return str(here / word) if "/" in word and (here / word).exists() else _file(word, here)
    except OSError:
        return word


def _file(word: str, here: Path) -> str:
    try:
        return str(here / word) if (here / word).is_file() else word
    except OSError:
        return word


def _hash_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        digest.update(file.read(_HASHED))
    digest.update(str(path.stat().st_size).encode())
    return digest.hexdigest()[:16]
