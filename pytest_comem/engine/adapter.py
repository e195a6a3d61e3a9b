"""The boundary to a memory system: whatever it does wrong becomes a typed infrastructure error."""

from __future__ import annotations

from threading import current_thread, main_thread
from types import TracebackType
from typing import Final, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall, RecallItem, WithheldReason
from pytest_comem.errors import InfrastructureError, place_of
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.oracle import ShownAnnotations
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup
from pytest_comem.secrets import without_secrets

#: Characters of a library's message that are kept in every outcome it is the reason for.
_LONGEST: Final = 2_000


@final
class GuardedMemory:
    """One fresh memory system; opened, used by one thread, closed, its directory removed.

    :param name: helps people to tell directories apart.
    :raises InfrastructureError: of type ``adapter`` from every method, naming the system, the
        operation and the error. A library may raise anything, ``BaseException`` included.
    """

    def __init__(self, system: SystemUnderTest, name: str = "memory") -> None:
        self.system = system
        self._name = name
        self._setup: Setup | None = None
        self._memory: MemorySystem | None = None

    def __enter__(self) -> GuardedMemory:
        try:
            self._setup = self.system.setup(self._name)
            self._memory = self.system.open(self._setup)
        except BaseException as error:
            self._discard()
            raise self._broke("could not be opened", error) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            try:
                memory.close()
            except BaseException as failure:
                if kind is None:
                    raise self._broke("raised in close()", failure) from failure
            finally:
                self._discard()

    def _discard(self) -> None:
        if self._setup is not None:
            self._setup.discard()

    @property
    def is_shown_annotations(self) -> bool:
        """Whether it is a reference system that sees hidden annotations."""
        return self.system.capabilities.reference and isinstance(self._memory, ShownAnnotations)

    def reveal(self, evidence: tuple[str, ...], withheld: WithheldReason | None) -> None:
        """Show a reference system what a perfect memory would do."""
        if isinstance(self._memory, ShownAnnotations):
            self._memory.reveal(evidence, withheld)

    def ingest(self, entry: Entry) -> None:
        """Hand one entry to the memory."""
        try:
            self._open.ingest(entry)
        except BaseException as error:
            raise self._broke(f"raised in ingest() at entry {entry.id}", error) from error

    def recall(self, query: Query) -> Recall:
        """Ask the memory, and check what it returns."""
        try:
            recall = self._open.recall(query)
        except BaseException as error:
            raise self._broke("raised in recall()", error) from error
        if not isinstance(recall, Recall):
            raise self._misbehaved(f"recall() returned {type(recall).__name__}, not a Recall")
        for item in recall.items:
            if not isinstance(item, RecallItem) or not isinstance(item.text, str):
                raise self._misbehaved("recall() returned an item that is not a RecallItem of text")
        return recall

    @property
    def _open(self) -> MemorySystem:
        if self._memory is None:
            raise self._misbehaved("is used after it was closed")
        return self._memory

    def _broke(self, what: str, error: BaseException) -> InfrastructureError:
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            # The user's own; episodes are played on other threads.
            raise error
        if isinstance(error, InfrastructureError):
            return InfrastructureError(without_secrets(str(error)), type=error.type)
        # A library's message may hold what no stream or channel takes, such as half a surrogate.
        text = without_secrets(str(error).encode("utf-8", "backslashreplace").decode())
        shortened = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
        detail = f"{type(error).__name__}: {shortened}" if text else type(error).__name__
        return self._misbehaved(f"{what}: {detail}{place_of(error)}")

    def _misbehaved(self, what: str) -> InfrastructureError:
        return InfrastructureError(f"memory system {self.system.info.name} {what}", type="adapter")
