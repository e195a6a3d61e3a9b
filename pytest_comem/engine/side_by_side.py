"""Work of several steps at once, on daemon threads: none of them keeps a process alive."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar, final

from pytest_comem.errors import InfrastructureError

T = TypeVar("T")


@final
class Work(Generic[T]):
    """Something that is being done; asked by one thread.

    :ivar thread: that does it, once it has begun.
    """

    def __init__(self, do: Callable[[], T]) -> None:
        self.thread: threading.Thread | None = None
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

    def outcome(self) -> T | None:
        """Return what came of it so far; ``None`` where nothing did, or it raised."""
        return self._result

    def run(self) -> None:
        """Do it, once, on the thread at hand."""
        self.thread = threading.current_thread()
        try:
            self._result = self._do()
        except BaseException as error:
            self._error = error
        finally:
            self._over.set()

    def refuse(self) -> None:
        """Say that it will not be done."""
        self._error = InfrastructureError("the run is over", type="harness")
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
        self._closed = False
        self._lock = threading.Lock()
        self._is_idle = threading.Condition(self._lock)

    def begin(self, do: Callable[[], T]) -> Work[T]:
        """Do something as soon as there is room."""
        work = Work(do)
        with self._lock:
            if self._closed:
                work.refuse()
                return work
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

    def close(self, seconds: float) -> None:
        """Begin nothing more, and wait for what has begun, at most some seconds."""
        with self._lock:
            self._closed = True
            for work in self._waiting:
                work.refuse()
            self._waiting.clear()
            self._is_idle.wait_for(lambda: not self._running, seconds)

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._running -= 1
                    self._is_idle.notify_all()
                    return
                work = self._waiting.popleft()
            work.run()
