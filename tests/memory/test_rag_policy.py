"""Retrieval restricted by policy."""

from __future__ import annotations

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import WithheldReason
from pytest_comem.memory.rag_policy import RagPolicy

POLICY = "- owner: everything\n- clerk: schedule\n- helper, with a relationship: schedule"
SPEAKER = Principal("someone", "owner")
TEXTS = ("The garden visit is on Friday.", "The garden budget is 4,300 dollars.", "Bread is baked.")


def filled() -> RagPolicy:
    """Return a memory of three entries, ``e0`` to ``e2``."""
    memory = RagPolicy()
    for number, text in enumerate(TEXTS):
        memory.ingest(Entry(f"e{number}", text, SPEAKER))
    return memory


def ask(role: str, asker: str = "asker") -> Query:
    """Return a query about the garden."""
    return Query("garden budget and visit", Principal(asker, role), (), POLICY, 5)


def test_an_owner_sees_everything_that_matches() -> None:
    """Nothing is kept back from a role that covers everything."""
    recall = filled().recall(ask("owner"))
    assert {item.text for item in recall.items} == set(TEXTS[:2])
    assert not recall.withheld


def test_entries_outside_the_role_are_kept_back_one_by_one() -> None:
    """Each entry is judged by itself, and what was kept back is said, with its score."""
    recall = filled().recall(ask("clerk"))
    assert [item.source_ids for item in recall.items] == [("e0",)]
    (kept,) = recall.withheld
    assert kept.reason is WithheldReason.UNAUTHORIZED
    assert kept.source_ids == ("e1",)
    assert kept.score is not None
    assert recall.enforced_access
    assert not recall.enforced_deletion


def test_an_unrelated_requester_gets_nothing() -> None:
    """Without the relationship the role needs, every entry is kept back."""
    recall = filled().recall(ask("helper"))
    assert not recall.items
    assert recall.withheld


def test_own_words_are_not_kept_back() -> None:
    """Whoever said something may hear it again."""
    recall = filled().recall(ask("clerk", "someone"))
    assert {item.text for item in recall.items} == set(TEXTS[:2])


def test_an_empty_memory_recalls_nothing() -> None:
    """Asking before anything is said is no error."""
    assert not RagPolicy().recall(ask("owner")).items
