"""Memory systems whose instances cannot share a process: each in a worker process of its own.

Run as a module, this is that process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.setup import Setup
from pytest_comem.memory.worker_process import TimedOutError, WorkerProcess
from pytest_comem.memory.worker_protocol import (
    PROTOCOL,
    from_entry,
    from_query,
    to_item,
    to_recall,
)

#: Seconds that close() of the system may take, and after that the end of its process.
CLOSE: Final = 10.0
_ENDING: Final = 2.0
_MODULE: Final = "pytest_comem.memory.worker"


def open_in_worker(system: type[MemorySystem], setup: Setup) -> MemorySystem:
    """Return an instance of *system* on *setup* that lives in a process started for it.

    Its process has the directory ``home`` in the set-up's directory for what ``prepare`` wants.

    :raises InfrastructureError: where it cannot be opened.
    """
    if os.name != "posix":
        raise InfrastructureError(
            f"{system.__qualname__} needs a worker process, which is made for Linux and macOS",
            type="adapter",
        )
    # -P: the current directory is none of the import path's business.
    process = WorkerProcess([sys.executable, "-P", "-m", _MODULE], system.__qualname__)
    try:
        process.ask("open", **_opening(setup), system=_address(system))
    except BaseException:
        process.end()
        raise
    return WorkerMemory(process)


@final
class WorkerMemory(MemorySystem):
    """A memory system in another process; every operation is asked for there."""

    def __init__(self, process: WorkerProcess) -> None:
        self.process: Final = process

    def ingest(self, entry: Entry) -> None:
        """Remember one entry."""
        self.process.ask("ingest", entry=from_entry(entry))

    def recall(self, query: Query) -> Recall:
        """Return what bears on the query."""
        return to_recall(self.process.ask("recall", query=from_query(query)))

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return what bears on the query in one principal's part."""
        more = {"principal_id": principal_id, "query": from_query(query)}
        return to_recall(self.process.ask("recall_of", **more))

    def entries(self) -> Sequence[RecallItem]:
        """Return everything held."""
        return [to_item(item) for item in self.process.ask("entries")]

    def delete(self, entry_id: str) -> None:
        """Delete one entry."""
        self.process.ask("delete", entry_id=entry_id)

    def update(self, entry_id: str, text: str) -> None:
        """Replace the text of one entry."""
        self.process.ask("update", entry_id=entry_id, text=text)

    def delete_principal(self, principal_id: str) -> None:
        """Delete everything one principal said."""
        self.process.ask("delete_principal", principal_id=principal_id)

    def probe_unknown_argument(self) -> None:
        """Call the library's search with an argument that it cannot know."""
        self.process.ask("probe_unknown_argument")

    def close(self) -> None:
        """Close it and end its process; does nothing where that is dead already.

        :raises InfrastructureError: where it does not close in :data:`CLOSE` seconds.
        """
        if self.process.is_dead:
            return
        try:
            self.process.ask("close", CLOSE)
        except TimedOutError:
            raise InfrastructureError(
                f"close() took more than {CLOSE:g} seconds; its worker process was killed",
                type="adapter",
            ) from None
        finally:
            self.process.end(_ENDING)


def _opening(setup: Setup) -> Mapping[str, Any]:
    endpoint, embedder = setup.endpoint, setup.embedder
    return {
        "protocol": PROTOCOL,
        "options": dict(setup.options),
        "directory": str(setup.directory),
        "top_k": setup.top_k,
        "seed": setup.seed,
        "embedding": {
            "url": endpoint.embedding_url,
            "model": endpoint.embedding_model,
            "dimensions": embedder.dimensions,
            "api_key": endpoint.api_key,
        },
        "chat": {
            "url": endpoint.chat_url,
            "model": endpoint.chat_model,
            "api_key": endpoint.api_key,
        },
    }


def _address(system: type[MemorySystem]) -> Mapping[str, Any]:
    module = sys.modules.get(system.__module__)
    return {
        "module": system.__module__,
        "class": system.__qualname__,
        "file": getattr(module, "__file__", None),
        "path": [str(place) for place in sys.path],
    }


if __name__ == "__main__":
    from pytest_comem.memory.worker_child import main

    main()
