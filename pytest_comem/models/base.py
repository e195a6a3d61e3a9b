"""The interface of an offline reader."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from pytest_comem.core.entries import Query
from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import Reply


class Reader(ABC):
    """A deterministic, free stand-in for a language model.

    It sees the query (requester, relationship facts, policy, question) and the recall, and
    nothing else. One instance serves all episodes of a run, from several threads at once, so it
    keeps no state.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"

    @abstractmethod
    def answer(self, query: Query, recall: Recall) -> Reply:
        """Return the action and the words for *query*, given *recall*."""
