"""Performs the steps of a journal on a memory system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from threading import Barrier, Thread
from typing import Any, Final, final

from pytest_comem.contract.faults import Faults
from pytest_comem.contract.journal import ABOUT_ERRORS, Broken, NotApplicable, OutOfOrder, Step
from pytest_comem.contract.sentences import value_of
from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.memory.setup import Setup

#: Who writes and asks where nobody in particular does, and the role everybody has.
SOMEBODY: Final = "ann"
ROLE: Final = "member"
#: When everything is said; nothing depends on it.
MOMENT: Final = "2024-05-01T09:00"


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
            raise OutOfOrder(str(error)) from error
        if found is not None:
            self.found = found
        return self.found

    def close(self) -> None:
        """Close every memory and remove what it stored; errors have had their say before."""
        if self._faults is not None:
            for part in ("embedder", "model"):
                self._faults.set(part, failing=False)
        for name in [*self._memories]:
            with suppress(Exception):
                self._close(name)
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
        speaker = Principal(principal, ROLE)
        self._memories[memory].ingest(Entry(id, text, speaker, timestamp, "dialogue"))

    def _recall(self, memory: str, query: str, k: int) -> list[str]:
        return _texts(self._recalled(memory, query, k))

    def _recall_of(self, memory: str, principal: str, query: str, k: int) -> list[str]:
        return _texts(_items(self._memories[memory].recall_of(principal, _query(query, k))))

    def _entries(self, memory: str) -> list[str]:
        return _texts(self._memories[memory].entries())

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
        barrier = Barrier(len(texts))
        wrong: list[str] = []

        def work(number: int, own: Sequence[str]) -> None:
            name = f"{memory}-{number}"
            try:
                self._open(name)
                barrier.wait(60)
                for place, text in enumerate(own):
                    self._ingest(name, f"e{place}", text, SOMEBODY, MOMENT)
                found: list[str] = []
                for text in own:
                    answer = self._recall(name, text, len(own) * 5 + 5)
                    wrong.extend([] if _within(text, answer) else [f"lost: {text}"])
                    found.extend(answer)
                others = [text for other in texts if other is not own for text in other]
                wrong.extend(f"foreign: {text}" for text in others if _within(text, found))
            except BaseException as error:
                barrier.abort()
                wrong.append(f"raised {describe(error)}")

        threads = [Thread(target=work, args=numbered) for numbered in enumerate(texts)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(wrong)

    def _recalled(self, memory: str, query: str, k: int) -> Sequence[RecallItem]:
        return _items(self._memories[memory].recall(_query(query, k)))


def reproduces(
    system: SystemUnderTest, faults: Faults | None, steps: Sequence[Step], broken: Broken
) -> bool:
    """Return whether *steps*, performed on fresh memories, break the same claim."""
    performer = Performer(system, faults)
    try:
        *before, last = steps
        for step in before:
            try:
                performer.perform(step)
            except Exception:
                if not step.may_raise:
                    return False
        try:
            found = performer.perform(last)
        except Exception as error:
            found = [error]
            if not isinstance(broken.claim, ABOUT_ERRORS):
                return False
        else:
            if isinstance(broken.claim, ABOUT_ERRORS):
                found = []
        return not broken.claim.holds(found, performer.before)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return False
    finally:
        performer.close()


def describe(error: BaseException) -> str:
    """Return an exception as its type and its message's first line."""
    first, _, more = str(error).strip().partition("\n")
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return re.sub(r"\s+", " ", text)[:300] + (" ..." if more else "")


def _query(text: str, k: int) -> Query:
    return Query(text, Principal(SOMEBODY, ROLE), (), "", k)


def _items(recall: Recall) -> Sequence[RecallItem]:
    if not isinstance(recall, Recall):
        raise TypeError(f"a {type(recall).__name__} came back, not a Recall")
    return recall.items


def _texts(items: Sequence[RecallItem]) -> list[str]:
    texts = [item.text for item in items]
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"a passage's text is a {type(text).__name__}, not a str")
    return texts


def _within(text: str, found: Sequence[str]) -> bool:
    return any(value_of(text) in one for one in found)
