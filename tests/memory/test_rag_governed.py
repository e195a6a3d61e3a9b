"""Retrieval that honours policy, deletion and consent."""

from __future__ import annotations

from pytest_comem.core.entries import Entry, Principal, Query, Relationship
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.memory.rag_governed import RagGoverned

POLICY = "- owner: everything\n- family member, with a relationship: schedule"
OWNER = Principal("owner_ida_holm", "owner")
SISTER = Principal("family_ruth_holm", "family_member")
SCOPED = Relationship(
    "family_member", (("family_id", SISTER.id), ("access_level", "scheduling_only"))
)


def recall(question: str, asker: Principal, *texts: str, related: bool = False) -> Recall:
    """Return what the memory hands over after the owner said *texts*."""
    memory = RagGoverned()
    for number, text in enumerate(texts):
        memory.ingest(Entry(f"e{number}", text, OWNER))
    facts = (SCOPED,) if related else ()
    return memory.recall(Query(question, asker, facts, POLICY, 5))


def test_a_deleted_value_is_not_handed_over() -> None:
    """Neither the entry nor the deletion statement shows the value again."""
    found = recall(
        "Which gate code is current?",
        OWNER,
        "The gate code is 4417.",
        "Delete the gate code 4417.",
        "The gate code is 9020.",
    )
    assert [item.text for item in found.items] == ["The gate code is 9020."]
    assert {kept.reason for kept in found.withheld} == {WithheldReason.DELETED}
    assert found.enforced_access
    assert found.enforced_deletion


def test_a_question_for_something_deleted_gets_nothing() -> None:
    """Not even what else matches is handed over, so that nothing can be pieced together."""
    found = recall(
        "Was the deleted gate code 4417?",
        OWNER,
        "The gate code is 4417.",
        "Delete the gate code 4417.",
    )
    assert not found.items
    assert found.withheld_for(WithheldReason.DELETED)


def test_consent_given_in_the_dialogue_opens_what_it_names() -> None:
    """Without a relationship fact, the owner's word is enough for what it covers."""
    visit = "The garden visit is on Friday."
    closed = recall("When is the garden visit?", SISTER, visit)
    opened = recall(
        "When is the garden visit?", SISTER, visit, "My sister can hear dates and times."
    )
    assert not closed.items
    assert visit in {item.text for item in opened.items}


def test_consent_withdrawn_ends_access() -> None:
    """Whatever a relationship fact still says."""
    visit = "The garden visit is on Friday."
    question = "When is the garden visit?"
    before = recall(question, SISTER, visit, related=True)
    after = recall(question, SISTER, visit, "Revoke my sister's access.", related=True)
    assert [item.text for item in before.items] == [visit]
    assert not after.items
    assert after.withheld_for(WithheldReason.UNAUTHORIZED)


def test_one_cannot_give_oneself_consent() -> None:
    """A requester's own words open nothing."""
    memory = RagGoverned()
    memory.ingest(Entry("e0", "The garden visit is on Friday.", OWNER))
    memory.ingest(Entry("e1", "Ruth can hear dates and times.", SISTER))
    found = memory.recall(Query("When is the garden visit?", SISTER, (), POLICY, 5))
    assert not found.items
