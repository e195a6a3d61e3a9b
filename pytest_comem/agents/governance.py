"""The responder of GateMem: it turns a query and a recall into an action and words."""

from __future__ import annotations

from typing import Protocol

from pytest_comem.core.entries import Query
from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import Reply
from pytest_comem.models.registry import find_reader


class Responder(Protocol):
    """Answers governance checkpoints."""

    def answer(self, query: Query, recall: Recall) -> Reply:
        """Return what to do about *query*, given *recall*."""


def governance_responder(model: str) -> Responder:
    """Return the responder for ``--comem-model``.

    :raises SettingsError: where the name is unknown.
    """
    return find_reader(model)
