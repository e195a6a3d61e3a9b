"""The offline reader without judgement."""

from __future__ import annotations

from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.recall import Recall, Withheld, WithheldReason
from pytest_comem.core.replies import Action
from pytest_comem.models.offline_verbatim import VerbatimReader

QUERY = Query("What was the deleted code?", Principal("asker", "stranger"), (), "", 5)


def test_it_says_whatever_was_exposed() -> None:
    """Neither requester nor deletion plays a part."""
    reply = VerbatimReader().answer(QUERY, Recall.from_texts(["Code 4417.", "Delete code 4417."]))
    assert reply.action == Action.ANSWER
    assert reply.text == "Code 4417.\nDelete code 4417."
    assert reply.structured is None


def test_it_refuses_when_everything_was_kept_back_for_access() -> None:
    """No passage and a memory that kept some back for access is a refusal."""
    recall = Recall(withheld=(Withheld(WithheldReason.UNAUTHORIZED),))
    assert VerbatimReader().answer(QUERY, recall).action == Action.REFUSE


def test_otherwise_nothing_is_no_memory() -> None:
    """No passage, or only deleted ones, is no memory."""
    deleted = Recall(withheld=(Withheld(WithheldReason.DELETED),))
    assert VerbatimReader().answer(QUERY, Recall()).action == Action.NO_MEMORY
    assert VerbatimReader().answer(QUERY, deleted).action == Action.NO_MEMORY
