"""Consent in plain language."""

from __future__ import annotations

from pytest_comem.core.entries import Principal
from pytest_comem.language.consent import concerns, permissions, topics_given, withdrawals

MOTHER = Principal("family_ruth_ames", "family_member")


def test_withdrawal_is_recognised() -> None:
    """Revoking someone's access ends it."""
    assert withdrawals("Please revoke my mother's access today.")
    assert withdrawals("Her permission has been withdrawn.")


def test_a_question_or_condition_withdraws_nothing() -> None:
    """Only a statement counts."""
    assert not withdrawals("Should we revoke her access?")
    assert not withdrawals("Her access stays until it is revoked.")


def test_permission_covers_what_it_names_before_the_exception() -> None:
    """What is excepted is not given."""
    (said,) = permissions("Ruth can hear arrival times, but not lab results.")
    assert "schedule" in topics_given(said)
    assert "clinical" not in topics_given(said)


def test_a_person_is_named_by_name_or_kinship() -> None:
    """Kinship counts for those whose role is about it."""
    assert concerns("Ruth may know.", MOTHER)
    assert concerns("My mother may know.", MOTHER)
    assert not concerns("My mother may know.", Principal("clerk_ann", "clerk"))
