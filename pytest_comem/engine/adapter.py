"""The boundary to a memory system: whatever it does wrong becomes a typed infrastructure error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import current_thread, main_thread
from types import TracebackType
from typing import Final, TypeVar, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.printable import printable
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.core.tokens import within
from pytest_comem.engine.returned import problem_of_nothing, problem_of_recall
from pytest_comem.errors import InfrastructureError, place_of
from pytest_comem.llm.faults import ModelCallError, RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.oracle import ShownAnnotations
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup
from pytest_comem.secrets import without_secrets

#: Characters of a library's message that are kept in every outcome it is the reason for.
_LONGEST: Final = 2_000
#: Phases that the calls of a library belong to; opening and closing are part of ingesting.
INGEST: Final = "ingest"
RECALL: Final = "recall"

T = TypeVar("T")


@final
class GuardedMemory:
    """One fresh memory system; opened, used by one thread, closed, its directory removed.

    A call of a model that failed for good is the infrastructure's failure, also where the library
    catches it and goes on: what it then remembers is not what it would have remembered.

    :param name: helps people to tell directories apart.
    :param meter: counts the library's own calls of models; a fresh one when not given.
    :raises InfrastructureError: from every method, naming the system, the operation and the error:
        of type ``adapter``, or of the failed call's own. A library may raise anything,
        ``BaseException`` included.
    """

    def __init__(
        self, system: SystemUnderTest, name: str = "memory", meter: Meter | None = None
    ) -> None:
        self.system = system
        self.meter: Final = meter or Meter(name)
        self._name = name
        self._setup: Setup | None = None
        self._memory: MemorySystem | None = None

    def __enter__(self) -> GuardedMemory:
        try:
            self._memory = self._guarded(INGEST, "could not be opened", self._opened)
        except BaseException:
            self._discard()
            raise
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
                close: Callable[[], object] = memory.close
                returned = self._guarded(INGEST, "raised in close()", close)
                self._check("close()", problem_of_nothing(returned))
            except InfrastructureError:
                if kind is None:
                    raise
            finally:
                self._discard()

    def _opened(self) -> MemorySystem:
        self._setup = self.system.setup(self._name, self.meter)
        memory: object = self.system.open(self._setup)
        if not isinstance(memory, MemorySystem):
            raise self._misbehaved(f"open() returned {type(memory).__name__}, not a MemorySystem")
        return memory

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
        what = f"raised in ingest() at entry {entry.id}"
        operation: Callable[[Entry], object] = self._open.ingest
        returned = self._guarded(INGEST, what, lambda: operation(entry))
        self._check(f"ingest() at entry {entry.id}", problem_of_nothing(returned))

    def recall(self, query: Query, phase: str = RECALL) -> Recall:
        """Ask the memory, its calls counted under *phase*, and check what it returns.

        What goes beyond the run's budget of tokens is cut off, last items first.
        """
        recall = self._guarded(phase, "raised in recall()", lambda: self._open.recall(query))
        self._check("recall()", problem_of_recall(recall))
        return within(_scrubbed(recall), self.system.info.budget)

    def _guarded(self, phase: str, what: str, operation: Callable[[], T]) -> T:
        """Return what *operation* returns, its calls counted under *phase*.

        :param what: says what went wrong, where something does.
        """
        try:
            with self.meter.during(phase):
                result = operation()
        except BaseException as error:
            raise self._broke(what, error) from error
        failure = self.meter.take_failure()
        if failure is not None:
            raise self._call_failed(what, failure) from failure
        return result

    @property
    def _open(self) -> MemorySystem:
        if self._memory is None:
            raise self._misbehaved("is used after it was closed")
        return self._memory

    def _broke(self, what: str, error: BaseException) -> InfrastructureError:
        if isinstance(error, KeyboardInterrupt) and current_thread() is main_thread():
            # The user's own; episodes are played on other threads.
            raise error
        failure = self.meter.take_failure()
        if failure is None and isinstance(error, ModelCallError):
            failure = error
        if failure is not None:
            return self._call_failed(what, failure)
        if isinstance(error, InfrastructureError):
            return InfrastructureError(without_secrets(str(error)), type=error.type)
        # A library's message may hold what no stream takes, or what a terminal obeys.
        text = printable(without_secrets(str(error)))
        shortened = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
        detail = f"{type(error).__name__}: {shortened}" if text else type(error).__name__
        return self._misbehaved(f"{what}: {detail}{place_of(error)}")

    def _call_failed(self, what: str, failure: ModelCallError) -> ModelCallError:
        """Return the error for a call of a model that failed, whatever the library made of it."""
        text = without_secrets(str(failure))
        if isinstance(failure, RunStopped):
            # One reason for the whole run, whoever hears of it first.
            return RunStopped(text, failure.kind)
        name = self.system.info.name
        return ModelCallError(
            f"memory system {name} {what}: a model it calls failed: {text}", failure.kind
        )

    def _check(self, operation: str, problem: str | None) -> None:
        if problem is not None:
            raise self._misbehaved(f"{operation} {problem}")

    def _misbehaved(self, what: str) -> InfrastructureError:
        return InfrastructureError(f"memory system {self.system.info.name} {what}", type="adapter")


def _scrubbed(recall: Recall) -> Recall:
    """Return *recall* without keys: a memory may hand over what it finds in its environment."""
    text = recall.text
    if without_secrets(text) == text:
        return recall
    items = tuple(replace(item, text=without_secrets(item.text)) for item in recall.items)
    return replace(recall, items=items)
