"""Mem0's open-source ``Memory``, used as the GateMem paper uses it: one bucket a principal.

What a principal says goes into that principal's bucket (``user_id``). A question goes to every
bucket, and the results are merged in turns; nobody is turned away, because mem0 knows no requester.

The embedder is handed in through mem0's ``langchain`` provider, which takes an object and so needs
no server. The model is called through its ``vllm`` provider: it speaks to any OpenAI-compatible
server, while the ``openai`` one ignores the configured address where ``OPENROUTER_API_KEY`` is set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import (
    Capabilities,
    MemorySystem,
    OptionValue,
    Package,
    UnknownEntryError,
)
from pytest_comem.memory.mem0_calls import CALLS
from pytest_comem.memory.mem0_embeddings import EmbeddingFailures, embeddings

if TYPE_CHECKING:
    from mem0 import Memory

    from pytest_comem.memory.setup import Setup

#: Keys of the metadata kept with every memory.
_ENTRY: Final = "entry_id"
_ROLE: Final = "speaker_role"
#: Rows asked for where all are meant; by default mem0 lists 20.
_ALL: Final = 1_000_000
#: Score from which on something is found: everything, as with every other system.
_THRESHOLD: Final = 0.0
#: An address nobody listens at, for a model that must never be asked.
_NOWHERE: Final = "http://127.0.0.1:9/v1"


@final
class Mem0(MemorySystem):
    """mem0 with a local Qdrant and SQLite under the instance's directory.

    Where it is extracting, mem0 logs and leaves out a memory whose embedding fails; the adapter
    hands in the embedder, so it knows, and raises when the call returns.

    :param memory: the library's memory, empty or with what an earlier instance stored.
    :param failures: knows which texts the library's embedder could not embed.
    :param infer: have mem0 extract memories with a model, instead of storing texts as they are.
    """

    packages = (
        Package("mem0ai", "mem0", ">=2.2.1,<2.3"),
        Package("qdrant-client", "mem0", ">=1.20,<2"),
        Package("langchain", "mem0", ">=1.0,<2"),
    )
    capabilities = Capabilities(
        deletes=True,
        updates=True,
        lists=True,
        principals=True,
        deletes_principals=True,
        persists=True,
        needs_embedder=True,
    )
    options: ClassVar[Mapping[str, OptionValue]] = {"infer": False}
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {"extract": {"infer": True}}
    fixed: ClassVar[Mapping[str, OptionValue]] = {
        "search threshold": _THRESHOLD,
        "get_all top_k": _ALL,
    }
    calls = CALLS

    def __init__(self, memory: Memory, failures: EmbeddingFailures, *, infer: bool = False) -> None:
        self._memory = memory
        self._failures = failures
        self._infer = infer
        #: Buckets in order of first appearance.
        self._buckets: dict[str, None] = {}
        #: Ids of the memories that stem from each entry, those deleted since included.
        self._stored: dict[str, list[str]] = {}

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Switch telemetry off and keep mem0's own files out of the user's home."""
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = str(home / "mem0")

    @classmethod
    def surroundings(cls) -> Mapping[str, OptionValue]:
        """Return which parts of mem0's search are on: those whose packages are installed."""
        return {
            "keyword search (fastembed)": find_spec("fastembed") is not None,
            "entities (spacy)": find_spec("spacy") is not None,
        }

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return a memory on *setup*'s directory, with what it holds already."""
        from mem0 import Memory

        infer = bool(setup.options["infer"])
        store = setup.directory / "qdrant"
        is_known = store.exists()
        failures = EmbeddingFailures()
        memory = Memory.from_config(_configuration(setup, store, failures, infer))
        opened = cls(memory, failures, infer=infer)
        if is_known:
            opened._find_stored()
        return opened

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return what it does; extracting, one entry is no longer one memory to be replaced."""
        if not options["infer"]:
            return cls.capabilities
        return replace(cls.capabilities, updates=False, verbatim=False, needs_model=True)

    def ingest(self, entry: Entry) -> None:
        """Add the entry to its speaker's bucket.

        :raises Exception: what embedding a memory raised, which extracting mem0 only logs.
        """
        self._failures.clear()
        added = self._memory.add(
            [{"role": "user", "content": entry.text}],
            user_id=entry.speaker.id,
            metadata={_ENTRY: entry.id, _ROLE: entry.speaker.role},
            infer=self._infer,
        )
        self._buckets[entry.speaker.id] = None
        self._stored.setdefault(entry.id, []).extend(row["id"] for row in added["results"])
        self._failures.raise_first()

    def recall(self, query: Query) -> Recall:
        """Return the best of each bucket, then the second of each, and so on."""
        ranked = [self._search(bucket, query) for bucket in self._buckets]
        turns = [item for turn in zip_longest(*ranked) for item in turn if item is not None]
        return Recall(tuple(turns[: query.top_k]))

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return the best of one principal's bucket."""
        return Recall(tuple(self._search(principal_id, query)))

    def entries(self) -> Sequence[RecallItem]:
        """Return every memory, bucket by bucket."""
        return [_item(row) for bucket in self._buckets for row in self._rows(bucket)]

    def delete(self, entry_id: str) -> None:
        """Delete every memory that stems from one entry; extracting, that may be none.

        :raises UnknownEntryError: where mem0 reports an id it does not know.
        """
        for memory_id in self._ids(entry_id):
            try:
                self._memory.delete(memory_id)
            except ValueError as error:
                raise _unknown(error, entry_id) from error

    def update(self, entry_id: str, text: str) -> None:
        """Replace the text of one entry.

        :raises UnknownEntryError: where mem0 reports an id it does not know.
        """
        for memory_id in self._ids(entry_id):
            try:
                self._memory.update(memory_id, text=text)
            except ValueError as error:
                raise _unknown(error, entry_id) from error

    def delete_principal(self, principal_id: str) -> None:
        """Delete one principal's bucket."""
        self._memory.delete_all(user_id=principal_id)

    def probe_unknown_argument(self) -> None:
        """Search with an argument that mem0 does not have."""
        self._memory.search("door", filters={"user_id": "ann"}, no_such_argument=1)

    def close(self) -> None:
        """Close the history and the vector store, which mem0's own ``close`` leaves locked."""
        self._memory.close()
        self._memory.vector_store.client.close()

    def _search(self, bucket: str, query: Query) -> list[RecallItem]:
        found = self._memory.search(
            query.text, filters={"user_id": bucket}, top_k=query.top_k, threshold=_THRESHOLD
        )
        return [_item(row) for row in found["results"]]

    def _rows(self, bucket: str) -> Iterable[dict[str, Any]]:
        rows: list[dict[str, Any]] = self._memory.get_all(filters={"user_id": bucket}, top_k=_ALL)[
            "results"
        ]
        return rows

    def _ids(self, entry_id: str) -> Sequence[str]:
        """Return mem0's ids for an entry; for one never ingested its own, for mem0 to judge."""
        return self._stored.get(entry_id, [entry_id])

    def _find_stored(self) -> None:
        for row in sorted(self._rows("*"), key=lambda row: str(row["created_at"])):
            self._buckets[row["user_id"]] = None
            for entry_id in _item(row).source_ids:
                self._stored.setdefault(entry_id, []).append(row["id"])


def _configuration(
    setup: Setup, store: Path, failures: EmbeddingFailures, infer: bool
) -> dict[str, Any]:
    model = setup.endpoint.chat_model if infer else "none"
    address = setup.endpoint.chat_url if infer else _NOWHERE
    key = setup.endpoint.api_key if infer else "none"
    return {
        "embedder": {
            "provider": "langchain",
            "config": {"model": embeddings(setup.embedder, failures)},
        },
        "llm": {
            "provider": "vllm",
            "config": {"model": model, "vllm_base_url": address, "api_key": key},
        },
        "vector_store": {
            "provider": "qdrant",
            "config": {
                "path": str(store),
                "collection_name": "memories",
                "embedding_model_dims": setup.embedder.dimensions,
            },
        },
        "history_db_path": str(setup.directory / "history.db"),
    }


def _item(row: Mapping[str, Any]) -> RecallItem:
    metadata = row.get("metadata") or {}
    sources = (str(metadata[_ENTRY]),) if _ENTRY in metadata else ()
    speaker = Principal(str(row["user_id"]), str(metadata.get(_ROLE, "")))
    return RecallItem(row["memory"], row.get("score"), sources, speaker)


def _unknown(error: ValueError, entry_id: str) -> Exception:
    return UnknownEntryError(entry_id) if "not found" in str(error) else error
