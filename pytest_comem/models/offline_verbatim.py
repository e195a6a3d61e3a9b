"""The offline reader without judgement: whatever was exposed is said.

With it the metrics show what a memory system alone lets out.
"""

from __future__ import annotations

from typing import final

from pytest_comem.core.entries import Query
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.core.replies import Action, Reply
from pytest_comem.models.base import Reader
from pytest_comem.models.passages import NOTHING, OUTSIDE, reply_with, select


@final
class VerbatimReader(Reader):
    """Hands over whatever bears on the question; deterministic."""

    name = "offline-verbatim"

    def answer(self, query: Query, recall: Recall) -> Reply:
        """Return the recalled passages; without any, refuse if some were kept back for access."""
        items = select(query, recall.items)
        if items:
            return reply_with(Action.ANSWER, items)
        if recall.withheld_for(WithheldReason.UNAUTHORIZED):
            return Reply(Action.REFUSE, OUTSIDE)
        return Reply(Action.NO_MEMORY, NOTHING)
