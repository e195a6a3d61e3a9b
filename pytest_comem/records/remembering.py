"""A bounded memory of results of pure work, by the content that they follow from.

Twins of a family, and runs of an office task, repeat most of each other: the same tree, the same
command. What such work came to is kept once a process. What breaks is never kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar, final

from pytest_comem.records.canonical import digest

T = TypeVar("T")


@final
class Remembered(Generic[T]):
    """Results by key, the least lately asked for forgotten first; for any number of threads.

    :param most: results that are kept.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError(f"a memory of {most} results keeps nothing")
        self._most = most
        self._known: OrderedDict[str, T] = OrderedDict()
        self._making: dict[str, Lock] = {}
        self._lock = Lock()

    def get(self, parts: Any, make: Callable[[], T]) -> T:
        """Return the result for *parts*, made by *make* where it is not known.

        Threads that ask for the same at once wait for the first of them, and make it themselves
        where that one failed.

        :param parts: a JSON value that holds all that the result follows from.
        """
        key = digest(parts)
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
                return self._known[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._known:
                    return self._known[key]
            try:
                result = make()
            finally:
                with self._lock:
                    if self._making.get(key) is making:
                        del self._making[key]
            with self._lock:
                self._known[key] = result
                while len(self._known) > self._most:
                    self._known.popitem(last=False)
            return result
