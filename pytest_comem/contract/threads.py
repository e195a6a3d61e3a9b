"""Many instances of a system, written to and asked in as many threads at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Barrier, BrokenBarrierError, Thread
from typing import final

from pytest_comem.contract.asking import entry_of, items_of, query_of, texts_of
from pytest_comem.contract.sentences import value_of
from pytest_comem.contract.telling import describe
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.base import MemorySystem


def tell_in_threads(
    texts: Sequence[Sequence[str]], opened: Callable[[int], MemorySystem]
) -> list[str]:
    """Write each list of texts to a memory of its own, all at once; return what went wrong.

    :param opened: opens the memory for the list of that number.
    :raises InfrastructureError: where something around the library broke.
    """
    return _Threads(texts, opened).run()


@final
class _Threads:
    def __init__(
        self, texts: Sequence[Sequence[str]], opened: Callable[[int], MemorySystem]
    ) -> None:
        self._texts = texts
        self._opened = opened
        self._barrier = Barrier(len(texts))
        self._wrong: list[str] = []
        self._trouble: list[InfrastructureError] = []

    def run(self) -> list[str]:
        # Daemons: an interrupt does not wait for a library that hangs.
        threads = [
            Thread(target=self._work, args=(place,), daemon=True)
            for place in range(len(self._texts))
        ]
        try:
            for thread in threads:
                thread.start()
        except BaseException:
            # Those that did start wait for the others.
            self._barrier.abort()
            raise
        for thread in threads:
            thread.join()
        if self._trouble:
            raise min(self._trouble, key=str)
        return sorted(self._wrong)

    def _work(self, number: int) -> None:
        try:
            memory = self._open(number)
            if memory is not None:
                self._wrong.extend(self._told(memory, self._texts[number]))
        except BaseException as error:
            # A worker process says "adapter" for whatever its library raises.
            if isinstance(error, InfrastructureError) and error.type != "adapter":
                self._trouble.append(error)
            else:
                self._wrong.append(f"raised {describe(error)}")

    def _open(self, number: int) -> MemorySystem | None:
        """Return a memory when every thread has one; ``None`` where another could not get one."""
        try:
            memory = self._opened(number)
        except BaseException:
            self._barrier.abort()
            raise
        try:
            self._barrier.wait()
        except BrokenBarrierError:
            # The thread that broke it says why.
            return None
        return memory

    def _told(self, memory: MemorySystem, own: Sequence[str]) -> list[str]:
        for place, text in enumerate(own):
            memory.ingest(entry_of(f"e{place}", text))
        wrong: list[str] = []
        found: list[str] = []
        for text in own:
            answer = texts_of(items_of(memory.recall(query_of(text, len(own) * 5 + 5))))
            wrong.extend([] if _within(text, answer) else [f"lost: {text}"])
            found.extend(answer)
        others = [text for other in self._texts if other is not own for text in other]
        return wrong + [f"foreign: {text}" for text in others if _within(text, found)]


def _within(text: str, found: Sequence[str]) -> bool:
    return any(value_of(text) in one for one in found)
