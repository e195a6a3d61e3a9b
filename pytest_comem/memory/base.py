"""The interface every memory system is evaluated through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem

if TYPE_CHECKING:
    from pytest_comem.memory.calls import PublicCalls
    from pytest_comem.memory.setup import Setup

#: Value of a system's setting.
OptionValue = bool | int | float | str


class UnknownEntryError(LookupError):
    """An id that the memory does not know was to be deleted or updated."""


@final
@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a memory system does by itself; it goes into outcomes and the manifest.

    The contract suite holds a system to every capability it declares.

    :param deletes: it has a call that deletes one entry (:meth:`MemorySystem.delete`).
    :param updates: it has a call that replaces one entry (:meth:`MemorySystem.update`).
    :param lists: it has a call that lists what it holds (:meth:`MemorySystem.entries`).
    :param principals: it keeps principals apart (:meth:`MemorySystem.recall_of`).
    :param deletes_principals: it has a call that deletes everything of one principal
        (:meth:`MemorySystem.delete_principal`).
    :param verbatim: it keeps the text it is given, word for word.
    :param persists: opened again on the same directory, it holds what it held.
    :param timestamps: it uses when an entry was said.
    :param governs_access: it decides itself what a requester may see.
    :param governs_deletion: it honours deletions asked for in the dialogue.
    :param needs_model: it calls a language model.
    :param needs_embedder: it calls an embedder.
    :param external_service: it is a client of a service elsewhere.
    :param recall_changes: what it recalls depends on what was recalled before.
    :param reference: it sees hidden annotations and only checks the harness.
    """

    deletes: bool = False
    updates: bool = False
    lists: bool = False
    principals: bool = False
    deletes_principals: bool = False
    verbatim: bool = True
    persists: bool = False
    timestamps: bool = False
    governs_access: bool = False
    governs_deletion: bool = False
    needs_model: bool = False
    needs_embedder: bool = False
    external_service: bool = False
    recall_changes: bool = False
    reference: bool = False


@final
@dataclass(frozen=True, slots=True)
class Package:
    """The package a system stands on.

    :param distribution: name on the package index.
    :param extra: extra of pytest-comem that installs it.
    :param supported: version specifier, such as ``>=2.0,<3``.
    :param library: it is what is evaluated, and its version is the system's; otherwise a tool.
    """

    distribution: str
    extra: str
    supported: str
    library: bool = True


class MemorySystem(ABC):
    """One memory: empty when made, filled in order, asked in between, closed at the end.

    A fresh instance is made for every episode and used by one thread. Anything an implementation
    raises becomes an *infrastructure* error of the step at hand and of the episode's remaining
    ones, never a failure of the method.

    An adapter does what the library's documented calls do and no more: filtering or deletion that
    the library lacks is not added here.
    """

    version: ClassVar[str] = "1"
    capabilities: ClassVar[Capabilities] = Capabilities()
    #: The packages it needs, the library itself first.
    packages: ClassVar[tuple[Package, ...]] = ()
    #: Its settings with their defaults; a setting keeps the type of its default.
    options: ClassVar[Mapping[str, OptionValue]] = {}
    #: Named sets of settings: ``mem0:extract`` is ``mem0`` with the preset ``extract``.
    presets: ClassVar[Mapping[str, Mapping[str, OptionValue]]] = {}
    #: Settings of the library that the adapter states itself, so that no default of the library
    #: changes a comparison unseen; shown by ``comem doctor``.
    fixed: ClassVar[Mapping[str, OptionValue]] = {}
    #: Instances cannot share a process; each gets a worker process of its own.
    own_process: ClassVar[bool] = False
    #: How the library's own API says what this adapter does, for printed counter-examples.
    calls: ClassVar[PublicCalls | None] = None

    @classmethod
    def prepare(cls, home: Path) -> None:
        """Get the process ready, once, before the library is imported.

        The place to switch telemetry off and to point caches at *home*, a directory of the run.
        """
        return

    @classmethod
    def surroundings(cls) -> Mapping[str, OptionValue]:
        """Return what else on this machine changes what the library does.

        Such as optional packages that it uses where they are installed. It goes into the hash of
        the configuration, and ``comem doctor`` shows it. Must not import the library.
        """
        return {}

    @classmethod
    def surroundings_with(cls, options: Mapping[str, OptionValue]) -> Mapping[str, OptionValue]:
        """Return the surroundings under these settings, where settings change them."""
        return cls.surroundings()

    @classmethod
    def open(cls, setup: Setup) -> Self:
        """Return an instance on *setup*'s directory; by default the class called without arguments.

        Empty where the directory is new. A system that persists finds what it stored before.
        """
        return cls()

    @classmethod
    def check(cls, options: Mapping[str, OptionValue]) -> None:
        """Check the effective settings before anything runs.

        :raises SettingsError: naming the setting and the way out.
        """
        return

    @classmethod
    def capabilities_with(cls, options: Mapping[str, OptionValue]) -> Capabilities:
        """Return the capabilities under these settings, where settings change them."""
        return cls.capabilities

    @abstractmethod
    def ingest(self, entry: Entry) -> None:
        """Remember one entry. It must be recallable when this returns."""

    @abstractmethod
    def recall(self, query: Query) -> Recall:
        """Return what bears on the query, at most ``query.top_k`` items."""

    def recall_of(self, principal_id: str, query: Query) -> Recall:
        """Return what bears on the query in one principal's part (capability *principals*)."""
        raise NotImplementedError

    def entries(self) -> Sequence[RecallItem]:
        """Return everything held (capability *lists*)."""
        raise NotImplementedError

    def delete(self, entry_id: str) -> None:
        """Delete one entry (capability *deletes*).

        :raises UnknownEntryError: where the library reports an id it does not know.
        """
        raise NotImplementedError

    def update(self, entry_id: str, text: str) -> None:
        """Replace the text of one entry (capability *updates*).

        :raises UnknownEntryError: where the library reports an id it does not know.
        """
        raise NotImplementedError

    def delete_principal(self, principal_id: str) -> None:
        """Delete everything one principal said (capability *deletes_principals*)."""
        raise NotImplementedError

    def probe_unknown_argument(self) -> None:
        """Call the library's search with an argument that it cannot know.

        Whatever the library raises is let through; returning means that it took the argument.

        :raises NotImplementedError: where there is no such call.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Release what the instance holds; called once, also after an error."""
        return
