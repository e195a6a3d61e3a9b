"""Work of several steps at once, on daemon threads: none of them keeps a process alive."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar, final

T = TypeVar("T")


@final
class Work(Generic[T]):
    """Something that is being done; asked by one thread."""

    def __init__(self, do: Callable[[], T]) -> None:
        self._do = do
        self._over = threading.Event()
        self._result: T | None = None
        self._error: BaseException | None = None

    def is_done(self) -> bool:
        """Whether :meth:`result` would not wait."""
        return self._over.is_set()

    def result(self) -> T:
        """Return what came of it, waiting for it; what it raised is raised here."""
        self._over.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def run(self) -> None:
        """Do it, once, on the thread at hand."""
        try:
            self._result = self._do()
        except BaseException as error:
            self._error = error
        finally:
            self._over.set()


@final
class SideBySide:
    """Does work on a bounded number of threads, in the order in which it was given.

    :param most: at once.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"{most} threads do no work")
        self.most = most
        self._waiting: deque[Work[object]] = deque()
        self._running = 0
        self._lock = threading.Lock()

    def begin(self, do: Callable[[], T]) -> Work[T]:
        """Do something as soon as there is room."""
        work = Work(do)
        with self._lock:
            self._waiting.append(work)  # type: ignore[arg-type]
            if self._running < self.most:
                self._running += 1
                threading.Thread(target=self._serve, name="comem-task", daemon=True).start()
        return work

    def give_up(self, work: Work[T]) -> None:
        """Do not begin what nobody waits for any more; what has begun goes on."""
        with self._lock:
            if work in self._waiting:
                self._waiting.remove(work)  # type: ignore[arg-type]

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    return
                work = self._waiting.popleft()
            work.run()
