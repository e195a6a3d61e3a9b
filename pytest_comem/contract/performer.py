"""Performs the steps of a journal on a memory system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, final

from pytest_comem.contract.asking import entry_of, items_of, query_of, texts_of
from pytest_comem.contract.faults import Faults
from pytest_comem.contract.journal import (
    ABOUT_ERRORS,
    NOT_THE_LIBRARYS,
    Broken,
    Call,
    NotApplicable,
    OutOfOrder,
    Step,
)
from pytest_comem.contract.threads import tell_in_threads
from pytest_comem.core.printable import printable
from pytest_comem.core.recall import RecallItem
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup


@final
class Performer:
    """Memories of one system by name; everything is closed and removed at the end.

    :param faults: what the memories call, where that shall be able to fail.
    :param place: directory of the only memory; one of the workshop's where there are several.
    """

    def __init__(
        self, system: SystemUnderTest, faults: Faults | None = None, place: Path | None = None
    ) -> None:
        self._system = system
        self._place = place
        self._faults = faults
        self._memories: dict[str, MemorySystem] = {}
        self._setups: dict[str, Setup] = {}
        self.found: Sequence[Any] = ()
        self.before: Sequence[Any] = ()

    def perform(self, step: Step) -> Sequence[Any]:
        """Do one step and return what was read, if it reads.

        :raises Exception: whatever the library raises; libraries raise any ``BaseException``.
        :raises OutOfOrder: where the library is not to blame.
        """
        if step.call.reads:
            self.found = ()
        try:
            found = getattr(self, f"_{step.call.value}")(step.memory, **step.values)
        except InfrastructureError as error:
            # A worker process says "adapter" for whatever its library raises.
            if step.may_raise or error.type == "adapter":
                raise
            raise OutOfOrder(printable(str(error), keep="\n")) from error
        if found is not None:
            self.found = found
        return self.found

    def attempt(self, step: Step) -> BaseException | None:
        """Do one step and return what the library raised, if anything.

        :raises OutOfOrder: where the library is not to blame.
        """
        try:
            self.perform(step)
        except NOT_THE_LIBRARYS:
            raise
        except BaseException as error:
            return error
        return None

    def close(self) -> None:
        """Close every memory and remove what it stored; errors have had their say before."""
        if self._faults is not None:
            for part in ("embedder", "model"):
                self._faults.set(part, failing=False)
        try:
            for name in [*self._memories]:
                self.attempt(Step(Call.CLOSE, name, may_raise=True))
        finally:
            for setup in self._setups.values():
                setup.discard()

    def _open(self, memory: str) -> None:
        setup = self._setups[memory] = self._setup(memory)
        if self._faults is not None:
            self._faults.serve(setup)
        self._memories[memory] = self._system.open(setup)

    def _setup(self, memory: str) -> Setup:
        if self._place is None:
            return self._system.setup(f"contract-{memory}")
        workshop = self._system.workshop
        return Setup(
            self._place,
            options=self._system.options,
            top_k=self._system.top_k,
            embedder=workshop.embedder,
            endpoint=workshop.endpoint,
        )

    def _reopen(self, memory: str) -> None:
        self._close(memory)
        self._memories[memory] = self._system.open(self._setups[memory])

    def _close(self, memory: str) -> None:
        self._memories.pop(memory).close()

    def _ingest(self, memory: str, id: str, text: str, principal: str, timestamp: str) -> None:
        self._memories[memory].ingest(entry_of(id, text, principal, timestamp))

    def _recall(self, memory: str, query: str, k: int) -> list[str]:
        return texts_of(self._recalled(memory, query, k))

    def _recall_of(self, memory: str, principal: str, query: str, k: int) -> list[str]:
        return texts_of(items_of(self._memories[memory].recall_of(principal, query_of(query, k))))

    def _entries(self, memory: str) -> list[str]:
        return texts_of(self._memories[memory].entries())

    def _scores(self, memory: str, query: str, k: int) -> list[tuple[float, str]]:
        items = self._recalled(memory, query, k)
        if any(item.score is None for item in items):
            raise NotApplicable(f"{self._system.info.name} gives no scores")
        return [(item.score or 0.0, item.text) for item in items]

    def _sources(self, memory: str, query: str, k: int) -> list[tuple[tuple[str, ...], str]]:
        items = self._recalled(memory, query, k)
        return [(item.source_ids, item.text) for item in items]

    def _delete(self, memory: str, id: str) -> None:
        self._memories[memory].delete(id)

    def _update(self, memory: str, id: str, text: str) -> None:
        self._memories[memory].update(id, text)

    def _delete_principal(self, memory: str, principal: str) -> None:
        self._memories[memory].delete_principal(principal)

    def _unknown_argument(self, memory: str, query: str, k: int) -> None:
        try:
            self._memories[memory].probe_unknown_argument()
        except NotImplementedError:
            name = self._system.info.name
            raise NotApplicable(f"the adapter of {name} has no probe_unknown_argument()") from None

    def _keep(self, memory: str) -> None:
        self.before = self.found

    def _fail(self, memory: str, part: str, failing: bool) -> None:
        assert self._faults is not None
        self._faults.set(part, failing=failing)

    def _threads(self, memory: str, texts: Sequence[Sequence[str]]) -> list[str]:
        def opened(number: int) -> MemorySystem:
            self._open(f"{memory}-{number}")
            return self._memories[f"{memory}-{number}"]

        return tell_in_threads(texts, opened)

    def _recalled(self, memory: str, query: str, k: int) -> Sequence[RecallItem]:
        return items_of(self._memories[memory].recall(query_of(query, k)))


def reproduces(
    system: SystemUnderTest, faults: Faults | None, steps: Sequence[Step], broken: Broken
) -> bool:
    """Return whether *steps*, performed on fresh memories, break the same claim."""
    performer = Performer(system, faults)
    try:
        *before, last = steps
        for step in before:
            if performer.attempt(step) is not None and not step.may_raise:
                return False
        error = performer.attempt(last)
        if isinstance(broken.claim, ABOUT_ERRORS):
            return not broken.claim.holds([] if error is None else [error], performer.before)
        return error is None and not broken.claim.holds(performer.found, performer.before)
    except (NotApplicable, OutOfOrder):
        return False
    finally:
        performer.close()
