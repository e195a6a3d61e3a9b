"""A-MEM (package ``a-mem``): notes that a model describes and links, in a Chroma collection.

The library always calls a model: to describe a note, and to decide whether its neighbours change.
It has no switch for that, so without ``analyze`` a model that has nothing to say takes its place.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Mapping, Sequence
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
from pytest_comem.memory.calls import PublicCalls
from pytest_comem.memory.clock import stated_time

if TYPE_CHECKING:
    from pytest_comem.memory.a_mem_library import FailureLog
    from pytest_comem.memory.setup import Setup

#: When a note was said that is the first and has no time. The library would take the present, and
#: show it to its model, so that no run would be like another.
_UNKNOWN_TIME: Final = "197001010000"

CALLS: Final = PublicCalls(
    preamble="""\
import os
from datetime import datetime

os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LITELLM_MODE="PRODUCTION")
os.environ.update(ANONYMIZED_TELEMETRY="False", HF_HUB_OFFLINE="1")

import agentic_memory.retrievers
from agentic_memory.memory_system import AgenticMemorySystem
from chromadb import EmbeddingFunction

from pytest_comem.embedders.hash import HashEmbedder


class Hashed(EmbeddingFunction):
    def __init__(self, model_name=None):
        pass

    def __call__(self, input):
        return HashEmbedder().embed(input)

    def default_space(self):
        return "cosine"  # as the library's own embedding function has it

    name = staticmethod(lambda: "hashed")
    get_config = lambda self: {}
    build_from_config = staticmethod(lambda config: Hashed())


class NoModel:
    def get_completion(self, prompt, response_format=None, temperature=1.0):
        return '{"should_evolve": false}'


agentic_memory.retrievers.SentenceTransformerEmbeddingFunction = Hashed


def minute(timestamp):
    return timestamp and datetime.fromisoformat(timestamp).strftime("%Y%m%d%H%M")
""",
    open="""\
$m = AgenticMemorySystem(api_key="unused", storage_path=$directory)
$m.llm_controller.llm = NoModel()""",
    ingest="$id = $m.add_note($text, time=minute($timestamp))",
    recall="""\
found = [str($m.read(result["id"]).content) for result in $m.search($query, k=$k)]""",
    entries="""\
found = [str($m.read(id).content) for id in $m.retriever.collection.get()["ids"]]""",
    delete="assert $m.delete($id)",
    unknown_argument='$m.search("door", k=1, no_such_argument=1)',
    update='assert $m.update($id, content=$text), "unknown id"',
    close="$m.retriever.client.close()",
)

#: The import takes 15 CPU-seconds (torch); threads that open at once wait for the first.
_importing: Final = threading.Lock()


@final
class AMem(MemorySystem):
    """A note an entry; the text handed over is the note's content, never its description.

    Unlike with the other libraries, a model is called by default, because this one always calls
    one: option ``analyze`` switched off (preset ``raw``) is the departure from it, and the preset
    ``extract`` is the default under the name it has elsewhere.

    The links between notes are made and kept, and play no part in what is recalled: the library's
    ``search`` looks at the notes nearest to the question only. Its ``search_agentic`` is meant to
    add the notes these are linked to, but puts them behind the *k* nearest and then cuts at *k*,
    so that it returns the same. The A-Mem of the GateMem paper follows links over one hop.
    """

    capabilities = Capabilities(
        deletes=True, updates=True, lists=True, persists=True, needs_embedder=True
    )
    packages = (
        Package("a-mem", "a-mem", ">=0.2.6,<0.3"),
        Package("chromadb", "a-mem", ">=1.5,<2"),
    )
    options: ClassVar[Mapping[str, OptionValue]] = {"analyze": True}
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {
        "extract": {"analyze": True},
        "raw": {"analyze": False},
    }
    fixed: ClassVar[Mapping[str, OptionValue]] = {"search k": "top-k"}
    calls = CALLS

    def __init__(self, library: Any, failures: FailureLog) -> None:
        self._library = library
        self._failures = failures
        self._speakers: dict[str, Principal] = {}
        #: Of the latest entry that has one.
        self._time = _UNKNOWN_TIME

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return what it does with the model, or without."""
        analyze = bool(options["analyze"])
        # Notes keep their time either way, but only the model is ever shown it.
        return Capabilities(
            deletes=True,
            updates=True,
            lists=True,
            persists=True,
            needs_embedder=True,
            needs_model=analyze,
            timestamps=analyze,
        )

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Switch telemetry, downloads and the reading of ``.env`` off."""
        os.environ.update(
            ANONYMIZED_TELEMETRY="False",
            HF_HOME=str(home / "huggingface"),
            HF_HUB_OFFLINE="1",
            LITELLM_LOCAL_MODEL_COST_MAP="True",
            LITELLM_MODE="PRODUCTION",
        )

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return a memory whose Chroma database is in the set-up's directory."""
        with _importing:
            # Where a project turns warnings into errors, litellm's own would end the import.
            # Set here, not in prepare(): pytest puts filters back after every test.
            warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"litellm\b")
            from pytest_comem.memory.a_mem_library import FailureLog, open_library

        failures = FailureLog()
        return cls(open_library(setup, failures, analyze=bool(setup.options["analyze"])), failures)

    def ingest(self, entry: Entry) -> None:
        """Add a note under the entry's id.

        :raises Exception: what calling the model raised, which the library only logs.
        """
        self._time = _minute(entry.timestamp) or self._time
        self._library.add_note(entry.text, time=self._time, id=entry.id)
        self._failures.raise_first()
        self._speakers[entry.id] = entry.speaker

    def recall(self, query: Query) -> Recall:
        """Return the nearest notes."""
        results = self._library.search(query.text, k=query.top_k)
        # Chroma's score is a distance.
        return Recall(tuple(self._item(result["id"], -result["score"]) for result in results))

    def entries(self) -> Sequence[RecallItem]:
        """Return every note; an updated one comes last, because the library adds it anew."""
        return [self._item(note, None) for note in self._library.retriever.collection.get()["ids"]]

    def delete(self, entry_id: str) -> None:
        """Delete one note; the library says nothing of ids it does not know."""
        if not self._library.delete(entry_id):
            raise RuntimeError(f"a-mem could not delete {entry_id}")

    def update(self, entry_id: str, text: str) -> None:
        """Replace a note's content; the library keeps what its model said of the old one.

        :raises UnknownEntryError: where there is no such note.
        """
        if not self._library.update(entry_id, content=text):
            raise UnknownEntryError(entry_id)

    def probe_unknown_argument(self) -> None:
        """Search with an argument that the library does not have."""
        self._library.search("door", k=1, no_such_argument=1)

    def close(self) -> None:
        """Close the database and the connections to the model."""
        self._library.retriever.client.close()
        self._library.llm_controller.llm.close()

    def _item(self, note_id: str, score: float | None) -> RecallItem:
        # The library can turn a text that looks like a number or like JSON into that.
        text = str(self._library.read(note_id).content)
        return RecallItem(text, score, (note_id,), self._speakers.get(note_id))


def _minute(timestamp: str | None) -> str | None:
    """Return a time as the library writes it, or ``None`` where there is none."""
    stated = stated_time(timestamp)
    return None if stated is None else stated.strftime("%Y%m%d%H%M")
