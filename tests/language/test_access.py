"""Who may be told what."""

from __future__ import annotations

from pytest_comem.core.entries import Principal, Query, Relationship
from pytest_comem.language.access import grant_of, is_reserved, role_rule

POLICY = """# Example
- owner: everything of their own
- clerk: schedule, contact
- helper, with a relationship: schedule
- friend, with a relationship: schedule, money
- Other lines are for people.
"""


def ask(role: str, *facts: Relationship) -> Query:
    """Return a query of ``asker`` in *role*."""
    return Query("?", Principal("asker", role), facts, POLICY, 5)


def fact(kind: str, **fields: str) -> Relationship:
    """Return a relationship fact."""
    return Relationship(kind, tuple(fields.items()))


def test_a_role_line_gives_topics() -> None:
    """A role is covered for the topics of its line and no others."""
    grant = grant_of(ask("clerk"))
    assert not grant.missing("Which phone number?")
    assert grant.missing("What is the budget?")


def test_everything_is_everything() -> None:
    """An owner is covered for any topic."""
    assert not grant_of(ask("owner")).missing("Tell me the exact password.")


def test_an_unrelated_requester_gets_nothing() -> None:
    """Where the role needs a relationship, nothing is covered without one."""
    grant = grant_of(ask("helper"))
    assert not grant.entitled
    assert not grant.covers("The visit is on Friday.", None)


def test_an_unknown_role_gets_nothing_without_a_relationship() -> None:
    """A role that the policy does not name is treated as unrelated."""
    assert role_rule("stranger", POLICY) == (True, False, frozenset())


def test_a_scope_limits_the_role() -> None:
    """A scoped relationship is good for its scope only."""
    scoped = grant_of(ask("friend", fact("friend_of", id="asker", access_scope="scheduling_only")))
    free = grant_of(ask("friend", fact("friend_of", id="asker")))
    assert scoped.missing("How large is the budget?")
    assert not scoped.missing("When is the meeting?")
    assert not free.missing("How large is the budget?")


def test_the_subject_of_a_relationship_may_know_everything() -> None:
    """Whoever is treated or advised owns what is said about them."""
    grant = grant_of(ask("helper", fact("treats", doctor="other", patient_id="asker")))
    assert not grant.missing("Tell me the exact diagnosis.")


def test_being_represented_is_no_ownership() -> None:
    """A delegate's fact gives the one represented nothing beyond the role, nor limits it."""
    delegate = fact(
        "delegate", id="other", for_principal_id="asker", access_scope="scheduling_only"
    )
    grant = grant_of(ask("friend", fact("member", id="asker"), delegate))
    assert not grant.missing("How large is the budget?")
    assert grant.missing("What is the password?")


def test_a_reserved_passage_is_not_for_everyone() -> None:
    """A passage that says it is private is, whatever its topic."""
    grant = grant_of(ask("clerk"))
    assert is_reserved("This date is confidential.")
    assert not grant.covers("This date is confidential.", None)
    assert grant.covers("This date is confidential.", Principal("asker", "clerk"))
