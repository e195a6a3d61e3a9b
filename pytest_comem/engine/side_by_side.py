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

    :param pool: that does it.
    :ivar thread: that does it, once it has begun.
    """

    def __init__(self, do: Callable[[], T], pool: SideBySide) -> None:
        self.thread: threading.Thread | None = None
        self._do = do
        self._pool = pool
        self._has_begun = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._result: T | None = None
        self._error: BaseException | None = None

    def is_done(self) -> bool:
        """Whether :meth:`result` would not wait."""
        return self._over.is_set()

    def wait_for_room(self) -> None:
        """Wait until it has begun, or never will."""
        self._has_begun.wait()

    def begin(self) -> None:
        """Say that the thread at hand is about to do it."""
        self.thread = threading.current_thread()
        self._has_begun.set()

    def result(self) -> T:
        """Return what came of it, waiting for it; what it raised is raised here."""
        self._over.wait()
        if self._error is not None:
            raise self._error
        return self._result  # type: ignore[return-value]

    def outcome(self) -> T | None:
        """Return what came of it so far; ``None`` where nothing did, or it raised."""
        return self._result

    def abandon(self) -> None:
        """Wait for it no longer, where it is not done: others take its place in the pool."""
        self._pool.abandon(self)

    def run(self) -> None:
        """Do it, once, on the thread at hand."""
        try:
            self._end(self._do(), None)
        except BaseException as error:
            self._end(None, error)

    def refuse(self, why: str) -> bool:
        """Say that nothing will come of it; false where something has."""
        return self._end(None, InfrastructureError(why, type="harness"))

    def _end(self, result: T | None, error: BaseException | None) -> bool:
        with self._lock:
            if self._over.is_set():
                return False
            self._result, self._error = result, error
            self._over.set()
            self._has_begun.set()
            return True


@final
class SideBySide:
    """Does work on a bounded number of threads, in the order in which it was given.

    :param most: at once, those aside that were abandoned.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"{most} threads do no work")
        self.most = most
        self._waiting: deque[Work[object]] = deque()
        self._running = 0
        #: Threads that hang in what was abandoned: others have taken their places.
        self._left_alone: set[threading.Thread] = set()
        self._closed = False
        self._lock = threading.Lock()
        self._is_idle = threading.Condition(self._lock)

    def begin(self, do: Callable[[], T]) -> Work[T]:
        """Do something as soon as there is room."""
        work = Work(do, self)
        with self._lock:
            if self._closed:
                work.refuse("the run is over")
                return work
            self._waiting.append(work)  # type: ignore[arg-type]
            self._fill()
        return work

    def give_up(self, work: Work[T]) -> None:
        """Do not begin what nobody waits for any more; what has begun goes on."""
        with self._lock:
            if work in self._waiting:
                self._waiting.remove(work)  # type: ignore[arg-type]

    def abandon(self, work: Work[T]) -> None:
        """Give it up, and where it has begun, let others take its place."""
        self.give_up(work)
        with self._lock:
            thread = work.thread
            if work.refuse("it was abandoned") and thread is not None:
                self._left_alone.add(thread)
                self._running -= 1
                self._fill()

    def close(self, seconds: float) -> None:
        """Begin nothing more, and wait for what has begun, at most some seconds."""
        with self._lock:
            self._closed = True
            for work in self._waiting:
                work.refuse("the run is over")
            self._waiting.clear()
            self._is_idle.wait_for(lambda: not self._running, seconds)

    def _fill(self) -> None:
        """Have as many threads as there is work for; called with the lock."""
        if self._waiting and self._running < self.most:
            self._running += 1
            threading.Thread(target=self._serve, name="comem-task", daemon=True).start()

    def _serve(self) -> None:
        this = threading.current_thread()
        while True:
            with self._lock:
                if this in self._left_alone:
                    self._left_alone.remove(this)
                    return
                if not self._waiting:
                    self._running -= 1
                    self._is_idle.notify_all()
                    return
                work = self._waiting.popleft()
                work.begin()
            work.run()
