"""pytest-comem's own interface for scripts: a memory of plain texts, which printed code uses.

m = open_memory("bm25")
e1 = m.ingest("The door code is 4711.")
assert "The door code is 4711." in m.recall("door code", k=5)
"""

from __future__ import annotations

import atexit
import itertools
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, final

from pytest_comem.contract.asking import MOMENT, SOMEBODY
from pytest_comem.contract.faults import Faults
from pytest_comem.contract.journal import Call, Step
from pytest_comem.contract.performer import Performer
from pytest_comem.embedders.registry import find_embedder
from pytest_comem.endpoint.registry import find_endpoint
from pytest_comem.memory.base import OptionValue
from pytest_comem.memory.registry import Catalogue, SystemUnderTest
from pytest_comem.memory.setup import Workshop
from pytest_comem.memory.wanted import wanted_systems
from pytest_comem.settings import Settings


@final
class PlainMemory:
    """One memory, asked and answering in plain texts; errors are the library's own."""

    def __init__(self, system: SystemUnderTest, directory: Path | None) -> None:
        workshop = system.workshop
        self._faults = Faults(workshop.embedder, workshop.endpoint)
        self._performer = Performer(system, self._faults, directory)
        self._is_temporary = directory is None
        self._numbers = itertools.count(1)
        self._do(Call.OPEN)

    def ingest(self, text: str, *, principal: str = SOMEBODY, timestamp: str = MOMENT) -> str:
        """Write a text and return the id it has."""
        entry_id = f"e{next(self._numbers)}"
        self._do(Call.INGEST, id=entry_id, text=text, principal=principal, timestamp=timestamp)
        return entry_id

    def recall(self, query: str, *, k: int = 20) -> Sequence[str]:
        """Return the texts that are recalled, best first."""
        return self._do(Call.RECALL, query=query, k=k)

    def recall_of(self, principal: str, query: str, *, k: int = 20) -> Sequence[str]:
        """Return the texts that are recalled of one principal's part."""
        return self._do(Call.RECALL_OF, principal=principal, query=query, k=k)

    def scores(self, query: str, *, k: int = 20) -> Sequence[tuple[float, str]]:
        """Return scores and texts, best first."""
        return self._do(Call.SCORES, query=query, k=k)

    def sources(self, query: str, *, k: int = 20) -> Sequence[tuple[tuple[str, ...], str]]:
        """Return the ids that passages stand on, and their texts."""
        return self._do(Call.SOURCES, query=query, k=k)

    def entries(self) -> Sequence[str]:
        """Return the texts of everything held."""
        return self._do(Call.ENTRIES)

    def delete(self, id: str) -> None:
        """Delete one text."""
        self._do(Call.DELETE, id=id)

    def update(self, id: str, text: str) -> None:
        """Replace one text."""
        self._do(Call.UPDATE, id=id, text=text)

    def delete_principal(self, principal: str) -> None:
        """Delete everything one principal wrote."""
        self._do(Call.DELETE_PRINCIPAL, principal=principal)

    def probe_unknown_argument(self) -> None:
        """Recall with an argument the library cannot know."""
        self._do(Call.UNKNOWN_ARGUMENT, query="door", k=1)

    def set_failing(self, part: str, failing: bool = True) -> None:
        """Let the ``embedder`` or the ``model`` fail, or work again."""
        self._faults.set(part, failing=failing)

    def close(self) -> None:
        """Close the memory; what it stored stays where the directory is the caller's."""
        try:
            self._do(Call.CLOSE)
        finally:
            if self._is_temporary:
                self._performer.close()
            self._faults.close()

    def _do(self, call: Call, **values: Any) -> Sequence[Any]:
        return self._performer.perform(Step(call, "m", values, may_raise=True))


def open_memory(
    name: str,
    *,
    directory: str | Path | None = None,
    options: Mapping[str, OptionValue] | None = None,
    embedder: str = "hash",
) -> PlainMemory:
    """Open a memory system by the name that ``--memory-system`` takes.

    :param directory: where it stores what it stores; when not given, a temporary one, removed when
        it is closed or Python ends.
    :param options: its settings.
    :param embedder: as ``--comem-embedder``.
    :raises SettingsError: where there is no such system, setting or embedder.
    """
    system = _system(name, tuple(sorted((options or {}).items())), embedder)
    return PlainMemory(system, Path(directory) if directory else None)


def in_threads(
    name: str,
    *,
    texts: Sequence[Sequence[str]],
    options: Mapping[str, OptionValue] | None = None,
    embedder: str = "hash",
) -> Sequence[str]:
    """Write to a memory of its own for each list of texts, in as many threads at once.

    :return: what was lost, raised or found in the wrong place; sorted.
    """
    performer = Performer(_system(name, tuple(sorted((options or {}).items())), embedder))
    try:
        return performer.perform(Step(Call.THREADS, "m", {"texts": texts}, may_raise=True))
    finally:
        performer.close()


@cache
def _workshop(embedder: str) -> Workshop:
    found = find_embedder(embedder)
    endpoint = find_endpoint(found, model="scripted", api_base="")
    workshop = Workshop(None, embedder=found, endpoint=endpoint)
    atexit.register(workshop.close)
    return workshop


def _system(
    name: str, options: tuple[tuple[str, OptionValue], ...], embedder: str
) -> SystemUnderTest:
    assignments = tuple(f"{name}.{key}={value}" for key, value in options)
    settings = Settings((name,), memory_options=assignments, embedder=embedder)
    (wanted,) = wanted_systems(settings, Path("pyproject.toml"))
    return Catalogue({}, Path.cwd()).find(wanted, _workshop(embedder))
