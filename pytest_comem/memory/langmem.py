"""LangMem: LangGraph's store, a namespace for each principal, and a manager that may extract.

The layout is the one LangMem documents for an organization: everybody's memories lie below one
parent namespace, and each principal has a namespace of their own in it. A store's search takes a
*prefix* of a namespace, so the memory that an organization shares is a search in the parent. It
reads everything below and knows nothing of who asks.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Self, final

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue, Package
from pytest_comem.memory.calls import PublicCalls
from pytest_comem.memory.setup import Setup

#: The parent namespace, and LangMem's own name for the variable of the namespace below it.
SHARED: Final = ("memories",)
PRIVATE: Final = (*SHARED, "{langgraph_user_id}")
#: More rows than an episode can have: a search without a limit returns ten.
_ALL: Final = 1_000_000
#: Temperature of the model that extracts.
_TEMPERATURE: Final = 0.0

CALLS: Final = PublicCalls(
    preamble="""\
from uuid import uuid4

from langchain_core.language_models import FakeListChatModel
from langgraph.store.memory import InMemoryStore
from langmem import create_memory_store_manager
from pytest_comem.embedders.hash import HashEmbedder

embedder = HashEmbedder()
unused_model = FakeListChatModel(responses=[])
speakers = {}


def of(principal):
    return {"configurable": {"langgraph_user_id": principal}}


def memory(text):
    return {"kind": "Memory", "content": {"content": text}}
""",
    open="""\
$m = create_memory_store_manager(
    unused_model,
    namespace=("memories", "{langgraph_user_id}"),
    store=InMemoryStore(
        index={
            "embed": embedder.embed,
            "dims": embedder.dimensions,
            "fields": ["content.content"],
        }
    ),
)""",
    ingest="""\
$id = str(uuid4())
speakers[$id] = $principal
$m.put($id, memory($text), config=of($principal))""",
    recall="""\
found = [
    item.value["content"]["content"]
    for item in $m.store.search(("memories",), query=$query, limit=$k)
]""",
    recall_of="""\
found = [
    item.value.content
    for item in $m.search(query=$query, limit=$k, config=of($principal))
]""",
    entries="""\
found = [
    item.value["content"]["content"]
    for item in $m.store.search(("memories",), limit=1_000_000)
]""",
    unknown_argument='$m.search(query="door", limit=1, no_such_argument=1, config=of("ann"))',
    delete='$m.delete($id, config=of(speakers.get($id, "nobody")))',
    update='$m.put($id, memory($text), config=of(speakers.get($id, "nobody")))',
)


@final
class LangMem(MemorySystem):
    """A manager over an in-memory store; raw, or (option ``extract``) with its model.

    There is no call that deletes a namespace, so nothing that deletes all of one principal.

    :param manager: writes to and reads from one principal's namespace.
    :param shared: the same over the parent namespace.
    :param extract: hand each entry to the manager's model instead of storing its text.
    """

    packages = (
        Package("langmem", "langmem", "==0.0.30"),
        Package("langgraph", "langmem", ">=1.2,<2"),
    )
    capabilities = Capabilities(
        deletes=True, updates=True, lists=True, principals=True, needs_embedder=True
    )
    options: ClassVar[Mapping[str, OptionValue]] = {"extract": False, "fields": "content.content"}
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {"extract": {"extract": True}}
    fixed: ClassVar[Mapping[str, OptionValue]] = {
        "search limit": "top-k",
        "list limit": _ALL,
        "temperature (extract)": _TEMPERATURE,
    }
    calls = CALLS

    def __init__(self, manager: Any, shared: Any, *, extract: bool) -> None:
        self._manager = manager
        self._shared = shared
        self._extracts = extract
        self._speakers: dict[str, Principal] = {}
        #: The entries that each row stands on, by the principal and key of the row.
        self._sources: dict[tuple[str, str], list[str]] = {}

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Switch tracing off, which LangChain would send to its makers."""
        os.environ.update(LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false")

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an empty memory that embeds with the run's embedder."""
        from langgraph.store.memory import InMemoryStore
        from langmem import create_memory_store_manager

        extract = bool(setup.options["extract"])
        model = _chat_model(setup) if extract else _unused_model()
        store = InMemoryStore(
            index={
                "embed": setup.embedder.embed,
                "dims": setup.embedder.dimensions,
                # By default the row's JSON is embedded, braces and field names included.
                "fields": [str(setup.options["fields"])],
            }
        )
        manager, shared = (
            create_memory_store_manager(model, namespace=namespace, store=store)
            for namespace in (PRIVATE, SHARED)
        )
        return cls(manager, shared, extract=extract)

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return the capabilities raw, or with a model that rewrites.

        With it, a row may stand on several entries, because the manager lets its model change
        what is there. No call takes one entry out of such a row, so nothing deletes an entry.
        """
        if not options["extract"]:
            return cls.capabilities
        return Capabilities(lists=True, verbatim=False, needs_embedder=True, needs_model=True)

    def ingest(self, entry: Entry) -> None:
        """Store the entry in its speaker's namespace, or what the model makes of it."""
        speaker = entry.speaker.id
        self._speakers[speaker] = entry.speaker
        if self._extracts:
            keys = self._extracted(entry)
        else:
            self._manager.put(entry.id, _row(entry.text), config=_of(speaker))
            keys = [entry.id]
        for key in keys:
            self._sources.setdefault((speaker, key), []).append(entry.id)

    def _extracted(self, entry: Entry) -> list[str]:
        """Return the keys of the rows that the manager wrote for *entry*."""
        written = self._manager.invoke(
            {"messages": [{"role": "user", "content": entry.text}]}, config=_of(entry.speaker.id)
        )
        for row in written:
            # The manager writes on threads whose errors it does not look at.
            held = self._manager.store.get(row["namespace"], row["key"])
            if held is None or held.value != row["value"]:
                raise InfrastructureError(
                    f"langmem reported the memory {row['key']} as stored, and it is not",
                    type="adapter",
                )
        return [row["key"] for row in written]

    def recall(self, query: Query) -> Recall:
        """Return the rows of all principals that are nearest to the question."""
        found = self._shared.search(query=query.text, limit=query.top_k)
        return Recall(tuple(self._item(row) for row in found))

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return the nearest rows of one principal's namespace."""
        found = self._manager.search(query=query.text, limit=query.top_k, config=_of(principal_id))
        return Recall(tuple(self._item(row) for row in found))

    def entries(self) -> Sequence[RecallItem]:
        """Return every row, namespace by namespace."""
        return [self._item(row) for row in self._shared.search(limit=_ALL)]

    def delete(self, entry_id: str) -> None:
        """Delete an entry's row; the library reports no unknown key.

        :raises NotImplementedError: extracting.
        """
        if self._extracts:
            raise NotImplementedError("a row of langmem's may stand on other entries too")
        rows = self._rows(entry_id)
        for speaker, key in rows:
            self._manager.delete(key, config=_of(speaker))
        if not rows:
            self._shared.delete(entry_id)

    def update(self, entry_id: str, text: str) -> None:
        """Put another text under an entry's key; the library stores an unknown key as new.

        :raises NotImplementedError: extracting.
        """
        if self._extracts:
            raise NotImplementedError("a row of langmem's may stand on other entries too")
        rows = self._rows(entry_id)
        for speaker, key in rows:
            self._manager.put(key, _row(text), config=_of(speaker))
        if not rows:
            self._shared.put(entry_id, _row(text))

    def probe_unknown_argument(self) -> None:
        """Search with an argument that the library does not have."""
        self._shared.search(query="door", limit=1, no_such_argument=1)

    def close(self) -> None:
        """Let go of the store, which is all in memory."""
        self._manager = self._shared = None

    def _rows(self, entry_id: str) -> list[tuple[str, str]]:
        return [row for row, entries in self._sources.items() if entry_id in entries]

    def _item(self, row: Any) -> RecallItem:
        principal = row.namespace[-1] if len(row.namespace) > len(SHARED) else ""
        return RecallItem(
            row.value.content,
            row.score,
            tuple(self._sources.get((principal, row.key), (row.key,))),
            self._speakers.get(principal),
        )


def _row(text: str) -> dict[str, Any]:
    """Return *text* in the form in which LangMem's manager keeps memories without a schema."""
    return {"kind": "Memory", "content": {"content": text}}


def _of(principal_id: str) -> dict[str, Any]:
    return {"configurable": {"langgraph_user_id": principal_id}}


def _chat_model(setup: Setup) -> Any:
    from langchain_openai import ChatOpenAI
    from pydantic import SecretStr

    return ChatOpenAI(
        model=setup.endpoint.chat_model,
        base_url=setup.endpoint.chat_url,
        api_key=SecretStr(setup.endpoint.api_key),
        temperature=_TEMPERATURE,
    )


def _unused_model() -> Any:
    """Return what the manager wants in place of a model; calling it would raise."""
    from langchain_core.language_models import FakeListChatModel

    return FakeListChatModel(responses=[])
