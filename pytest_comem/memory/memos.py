"""MemOS (package MemoryOS): its general textual memory over an embedded Qdrant.

One object is one memory: no principals, no scores. Importing the package configures the process's
logging, reads ``.env`` files and looks for tokenizers on the network; :func:`_import_quietly` keeps
the import from doing so, because the process belongs to whoever runs pytest.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, NoReturn, Self, final
from uuid import UUID, uuid5

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.memory.base import Capabilities, MemorySystem, OptionValue, Package
from pytest_comem.memory.calls import PublicCalls
from pytest_comem.memory.setup import Setup

#: MemOS takes only UUIDs for ids; ours are made from the entry's id below this one.
_IDS: Final = UUID("6f1c7a0e-54a5-5f0e-9c43-0f6d3a5b7c11")
#: Seconds an embedding may take: five, the library's own, are few on a busy machine.
_PATIENCE: Final = 120
#: Temperature of the model that extracts; 0.7 is the library's own.
_TEMPERATURE: Final = 0.0

CALLS: Final = PublicCalls(
    preamble="""\
import os
import tempfile
from uuid import uuid4

os.environ["MEMOS_BASE_PATH"] = tempfile.mkdtemp()

from memos.configs.memory import MemoryConfigFactory
from memos.memories.factory import MemoryFactory
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.endpoint.registry import find_endpoint

embedder = HashEmbedder()
server = find_endpoint(embedder, model="scripted", api_base="").embedding_url


def general_text(directory):
    openai = {"model_name_or_path": "any", "api_key": "any"}
    return MemoryConfigFactory(
        backend="general_text",
        config={
            "extractor_llm": {"backend": "openai", "config": {**openai, "api_base": server}},
            "embedder": {
                "backend": "universal_api",
                "config": {
                    **openai,
                    "provider": "openai",
                    "base_url": server,
                    "embedding_dims": embedder.dimensions,
                },
            },
            "vector_db": {
                "backend": "qdrant",
                "config": {
                    "collection_name": "entries",
                    "vector_dimension": embedder.dimensions,
                    "distance_metric": "cosine",
                    "path": directory,
                },
            },
        },
    )
""",
    open="$m = MemoryFactory.from_config(general_text($directory))",
    ingest="""\
$id = str(uuid4())
$m.add([{"id": $id, "memory": $text}])""",
    unknown_argument='$m.search("door", top_k=1, no_such_argument=1)',
    recall="found = [item.memory for item in $m.search($query, top_k=$k)]",
    entries="found = [item.memory for item in $m.get_all()]",
    delete="$m.delete([$id])",
    update='$m.update($id, {"memory": $text})',
    close="$m.vector_db.client.close()",
)


@final
class MemOS(MemorySystem):
    """A general textual memory; raw, or (option ``extract``) of what its model extracts.

    :param memory: the library's memory object.
    :param extract: hand each entry to the memory's model instead of storing its text.
    """

    packages = (
        Package("MemoryOS", "memos", "==2.0.33"),
        Package("qdrant-client", "memos", ">=1.20,<2"),
    )
    capabilities = Capabilities(
        deletes=True, updates=True, lists=True, persists=True, needs_embedder=True
    )
    options: ClassVar[Mapping[str, OptionValue]] = {"extract": False}
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {"extract": {"extract": True}}
    fixed: ClassVar[Mapping[str, OptionValue]] = {
        "search top_k": "top-k",
        "embedding timeout, unless MOS_EMBEDDER_TIMEOUT is set": _PATIENCE,
        "temperature (extract)": _TEMPERATURE,
    }
    calls = CALLS

    def __init__(self, memory: Any, *, extract: bool) -> None:
        self._memory = memory
        self._extracts = extract

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Point the library's own files at *home* and import it without side effects."""
        os.environ["MEMOS_BASE_PATH"] = str(home)
        os.environ.setdefault("MOS_EMBEDDER_TIMEOUT", str(_PATIENCE))
        _import_quietly()

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return the memory kept in *setup*'s directory."""
        from memos.memories.factory import MemoryFactory

        return cls(
            MemoryFactory.from_config(_configuration(setup)), extract=bool(setup.options["extract"])
        )

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return the capabilities raw, or with a model that rewrites."""
        if not options["extract"]:
            return cls.capabilities
        return Capabilities(
            deletes=True,
            lists=True,
            persists=True,
            verbatim=False,
            needs_embedder=True,
            needs_model=True,
        )

    def ingest(self, entry: Entry) -> None:
        """Store the entry, or what the model makes of it."""
        if not self._extracts:
            self._memory.add(
                [
                    {
                        "id": _library_id(entry.id),
                        "memory": entry.text,
                        "metadata": {"user_id": entry.speaker.id, "info": _info(entry)},
                    }
                ]
            )
            return
        extracted = self._memory.extract([{"role": "user", "content": entry.text}])
        for item in extracted:
            item.metadata.user_id = entry.speaker.id
            item.metadata.info = _info(entry)
        if extracted:
            self._memory.add(extracted)

    def recall(self, query: Query) -> Recall:
        """Return the nearest memories; the library says in which order, not how near."""
        found = self._memory.search(query.text, top_k=query.top_k)
        return Recall(tuple(_item(memory) for memory in found))

    def entries(self) -> Sequence[RecallItem]:
        """Return every memory, in the order of the library's ids."""
        return [_item(memory) for memory in self._memory.get_all()]

    def delete(self, entry_id: str) -> None:
        """Delete the memories of an entry; the library reports no unknown id."""
        ids = [_library_id(entry_id)]
        if self._extracts:
            ids = [held.id for held in self._memory.get_all() if _entry_id(held) == entry_id]
        self._memory.delete(ids)

    def update(self, entry_id: str, text: str) -> None:
        """Replace an entry's text; the library stores an unknown id as new."""
        library_id = _library_id(entry_id)
        held = self._memory.get_by_ids([library_id])
        # An update replaces a memory's metadata too.
        metadata = held[0].metadata if held else {"info": {"entry_id": entry_id}}
        self._memory.update(library_id, {"memory": text, "metadata": metadata})

    def probe_unknown_argument(self) -> None:
        """Search with an argument that the library does not have."""
        self._memory.search("door", top_k=1, no_such_argument=1)

    def close(self) -> None:
        """Close the vector store's files; the memory itself has no call for it."""
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.vector_db.client.close()


def _configuration(setup: Setup) -> Any:
    from memos.configs.memory import MemoryConfigFactory

    endpoint, dimensions = setup.endpoint, setup.embedder.dimensions
    return MemoryConfigFactory(
        backend="general_text",
        config={
            "extractor_llm": {
                "backend": "openai",
                "config": {
                    "model_name_or_path": endpoint.chat_model,
                    "api_base": endpoint.chat_url,
                    "api_key": endpoint.api_key,
                    "temperature": _TEMPERATURE,
                },
            },
            "embedder": {
                "backend": "universal_api",
                "config": {
                    "provider": "openai",
                    "model_name_or_path": endpoint.embedding_model,
                    "base_url": endpoint.embedding_url,
                    "api_key": endpoint.api_key,
                    "embedding_dims": dimensions,
                },
            },
            "vector_db": {
                "backend": "qdrant",
                "config": {
                    "collection_name": "entries",
                    "vector_dimension": dimensions,
                    "distance_metric": "cosine",
                    "path": str(setup.directory / "qdrant"),
                },
            },
        },
    )


def _library_id(entry_id: str) -> str:
    return str(uuid5(_IDS, entry_id))


def _info(entry: Entry) -> dict[str, str]:
    return {"entry_id": entry.id, "role": entry.speaker.role}


def _entry_id(memory: Any) -> str | None:
    found: str | None = (memory.metadata.info or {}).get("entry_id")
    return found


def _item(memory: Any) -> RecallItem:
    info = memory.metadata.info or {}
    speaker = memory.metadata.user_id
    return RecallItem(
        memory.memory,
        None,
        (info["entry_id"],) if "entry_id" in info else (),
        Principal(speaker, info.get("role", "")) if speaker else None,
    )


def _import_quietly() -> None:
    """Import the library while what its import would do to the process is switched off.

    It replaces the handlers of the root logger and closes every handler there is, pytest's among
    them; it reads the nearest ``.env`` above its own files, which for an environment inside a
    project is the project's; and it downloads tokenizers, for a part that is not used here.
    """
    import logging.config
    from contextlib import ExitStack
    from importlib.util import find_spec
    from unittest.mock import patch

    import dotenv

    with ExitStack() as switched_off:
        switched_off.enter_context(patch.object(logging.config, "dictConfig", _do_nothing))
        switched_off.enter_context(patch.object(dotenv, "load_dotenv", _do_nothing))
        if find_spec("tiktoken") is not None:
            # The package does without it, and other packages bring it along.
            import tiktoken.load

            switched_off.enter_context(patch.object(tiktoken.load, "read_file", _refuse))
        import memos.memories.factory  # noqa: F401
    # Its warnings go to whoever listens, and to the standard error of nobody else.
    logging.getLogger("memos").addHandler(logging.NullHandler())


def _do_nothing(*arguments: object, **more: object) -> None:
    return


def _refuse(address: str) -> NoReturn:
    raise OSError(f"no download of {address} here")
