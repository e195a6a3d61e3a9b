"""Recorded embeddings: one vector a text, whatever batch or episode it came in.

Each process writes a file of its own and reads those of all, because a vector is shared by every
episode of a run, and under xdist another process may come to need it first. Numbers are kept with
32 bits, which is what models compute with; a recording run gets them rounded in the same way.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import sys
import threading
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.llm.cassette_entry import scrubbed
from pytest_comem.llm.cassette_file import EMBEDDINGS, CassetteFile, Line, safe_name, to_line
from pytest_comem.llm.cassette_mode import CassetteMode, Counts
from pytest_comem.llm.faults import Fault, ModelCallError
from pytest_comem.secrets import without_secrets

#: Characters of a text that are written, for whoever compares two recordings.
_SHOWN: Final = 80

_Key = tuple[str, bytes]


@final
class VectorFiles:
    """The ``embeddings-*`` files of a cassette; any thread may use them.

    :param worker: which process this is.
    """

    def __init__(self, mode: CassetteMode, directory: Path, worker: str, counts: Counts) -> None:
        self._mode = mode
        self._directory = directory
        self._counts = counts
        self._file = self._file_of(f"{EMBEDDINGS}{safe_name(worker)}")
        self._lock = threading.Lock()
        self._vectors: dict[_Key, bytes] = {}
        #: Lines that stand only in what another process left unfinished.
        self._loose: dict[_Key, bytes] = {}
        self._is_read = False
        self._is_closed = False

    def find(self, model: str, text: str) -> list[float] | None:
        """Return the vector of *text*, or ``None`` where it is to be asked for.

        :raises ModelCallError: in mode ``replay``, where it is not recorded.
        :raises DataError: where a file is damaged.
        """
        if self._mode is CassetteMode.OFF:
            return None
        key = _key(model, text)
        with self._lock:
            self._read()
            found = self._vectors.get(key)
            if found is not None and key in self._loose:
                self._append(self._loose.pop(key))
        if found is not None:
            self._counts.hit()
            return _numbers(found)
        if self._mode is not CassetteMode.RECORD:
            self._counts.miss()
        if self._mode is CassetteMode.REPLAY:
            raise ModelCallError(self._explain(model, text), Fault.CASSETTE)
        return None

    def record(
        self, model: str, texts: Sequence[str], vectors: Sequence[Sequence[float]]
    ) -> list[list[float]]:
        """Record vectors and return them as a replay will give them.

        Of two vectors for one text the first counts, for both.

        :raises ModelCallError: where they are no numbers or cannot be written.
        """
        if not self._mode.writes:
            return [list(vector) for vector in vectors]
        kept: list[list[float]] = []
        for text, vector in zip(texts, vectors, strict=True):
            key, packed = _key(model, text), _packed(vector)
            line = to_line(_record(key, text, packed))
            with self._lock:
                if key not in self._vectors and not self._is_closed:
                    self._append(line)
                    self._vectors[key] = packed
                    self._counts.record()
                packed = self._vectors.get(key, packed)
            kept.append(_numbers(packed))
        return kept

    def close(self) -> None:
        """Finish this process' file and forget all vectors."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            try:
                if self._file.is_writing or self._mode is CassetteMode.AUTO:
                    self._file.finish(_place, keep=self._mode is CassetteMode.AUTO)
            except OSError as error:
                raise self._unwritable(error) from error
            finally:
                self._file.abandon()
                self._vectors, self._loose, self._is_read = {}, {}, True

    def _read(self) -> None:
        if self._is_read or not self._mode.reads:
            return
        for file in self._files():
            for line in file.read(unfinished=self._mode is CassetteMode.AUTO):
                key, packed = _read_vector(line)
                self._vectors[key] = packed
                self._loose.pop(key, None)
                if line.path == file.unfinished and file is not self._file:
                    self._loose[key] = line.raw
        self._is_read = True

    def _files(self) -> Iterator[CassetteFile]:
        """Yield everybody's files, this process' own last, so that its vectors count."""
        names = (path.name for path in self._directory.glob(f"{EMBEDDINGS}*.jsonl*"))
        stems = {name.partition(".")[0] for name in names}
        own = self._file.path.stem
        yield from (self._file_of(stem) for stem in sorted(stems - {own}))
        yield self._file

    def _file_of(self, stem: str) -> CassetteFile:
        return CassetteFile(self._directory, stem, stem)

    def _append(self, line: bytes) -> None:
        try:
            self._file.append(line, keep=self._mode is CassetteMode.AUTO)
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> ModelCallError:
        reason = error.strerror or type(error).__name__
        return ModelCallError(
            f"the cassette {self._file.unfinished} cannot be written: {reason}", Fault.CASSETTE
        )

    def _explain(self, model: str, text: str) -> str:
        digest = _key(model, text)[1]
        with self._lock:
            others = sorted({name for name, other in self._vectors if other == digest})
        known = f"; only of {', '.join(others)}" if others else ""
        return (
            f"the cassette {self._directory} holds no vector of the embedder {model} for the text "
            f"{_shown(text, 60)!r}{known}. Record again with --comem-cassette record, or let "
            "--comem-cassette auto add what is missing."
        )


def _key(model: str, text: str) -> _Key:
    return scrubbed(model), hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _record(key: _Key, text: str, packed: bytes) -> dict[str, Any]:
    return {
        "model": key[0],
        "text": _shown(text, _SHOWN),
        "sha256": key[1].hex(),
        "vector": base64.b64encode(packed).decode("ascii"),
    }


def _shown(text: str, length: int) -> str:
    clean = without_secrets(text)
    return clean if len(clean) <= length else f"{clean[: length - 1]}…"


def _place(line: Line) -> tuple[str, str, bytes]:
    (model, digest), _ = _read_vector(line)
    return model, str(line.record.get("text")), digest


def _read_vector(line: Line) -> tuple[_Key, bytes]:
    model, digest, vector = (line.record.get(name) for name in ("model", "sha256", "vector"))
    if not isinstance(model, str):
        raise line.error("is no text", "model")
    try:
        if not isinstance(digest, str) or len(key := bytes.fromhex(digest)) != 32:
            raise line.error("is no SHA-256", "sha256")
    except ValueError:
        raise line.error("is no SHA-256", "sha256") from None
    try:
        packed = base64.b64decode(vector or "", validate=True)
    except (binascii.Error, TypeError, ValueError):
        raise line.error(f"is not base64: {json.dumps(vector)[:40]}", "vector") from None
    if len(packed) % 4:
        raise line.error("is no row of 32-bit numbers", "vector")
    return (model, key), packed


def _packed(vector: Sequence[float]) -> bytes:
    try:
        return _little_endian(array("f", vector)).tobytes()
    except (TypeError, OverflowError) as error:
        problem = f"the embedder gave what is no row of numbers: {error}"
        raise ModelCallError(problem, Fault.CASSETTE) from None


def _numbers(packed: bytes) -> list[float]:
    return list(_little_endian(array("f", packed)))


def _little_endian(numbers: array[float]) -> array[float]:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
