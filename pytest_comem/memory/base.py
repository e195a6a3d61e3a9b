"""The interface every memory system is evaluated through."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall


@final
@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a memory system does by itself; it goes into outcomes and the manifest.

    :param deletes: it forgets what it is told to delete.
    :param principals: it uses who asks.
    :param reference: it sees hidden annotations and only checks the harness.
    """

    deletes: bool = False
    principals: bool = False
    reference: bool = False


class MemorySystem(ABC):
    """One memory: empty when made, filled in order, asked in between, closed at the end.

    A fresh instance is made for every episode, by calling the class without arguments, and used
    by one thread. Anything an implementation raises becomes an *infrastructure* error of the
    step at hand and of the episode's remaining ones, never a failure of the method.
    """

    version: ClassVar[str] = "1"
    capabilities: ClassVar[Capabilities] = Capabilities()

    @abstractmethod
    def ingest(self, entry: Entry) -> None:
        """Remember one entry. It must be recallable when this returns."""

    @abstractmethod
    def recall(self, query: Query) -> Recall:
        """Return what bears on the query, at most ``query.top_k`` items."""

    def close(self) -> None:
        """Release what the instance holds; called once, also after an error."""
        return
