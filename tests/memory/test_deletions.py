"""The ledger of what the dialogue deletes."""

from __future__ import annotations

from pytest_comem.memory.deletions import DeletionLedger


def ledger(*texts: str) -> DeletionLedger:
    """Return a ledger of entries in this order."""
    found = DeletionLedger()
    for text in texts:
        found.add(text)
    return found


def test_entries_with_a_deleted_value_become_unavailable() -> None:
    """Earlier entries, the statement itself and later repetitions carry the value."""
    found = ledger(
        "The gate code is 4417.", "Bread is baked.", "Delete the gate code 4417.", "Was it 4417?"
    )
    assert found.unavailable() == {0, 2, 3}


def test_a_deletion_without_a_value_finds_the_entry_it_describes() -> None:
    """The code of the best earlier match goes."""
    found = ledger(
        "The garage gate code is 44170.", "Bread is baked.", "Please delete the garage gate code."
    )
    assert 0 in found.unavailable()
    assert 1 not in found.unavailable()


def test_a_value_restated_as_current_is_available_again() -> None:
    """The latest word counts."""
    found = ledger("Code 4417.", "Delete code 4417.", "The current code is 4417.")
    assert not found.unavailable()


def test_questions_for_deleted_things_are_recognised() -> None:
    """By the value, or by the words of the deletion."""
    found = ledger("The garage gate code is 4417.", "Delete the garage gate code 4417.")
    assert found.asks_for_deleted("Was it 4417?")
    assert found.asks_for_deleted("What was the old garage gate code?")
    assert not found.asks_for_deleted("What is the garage gate code?")
    assert not found.asks_for_deleted("When was bread baked before?")


def test_an_entry_that_repeats_what_was_deleted_long_before_is_unavailable() -> None:
    """Also among many deletions: it is told about the past and holds most of one's words."""
    deletions = [f"Delete the spare colour of shed number {n} for good." for n in range(20)]
    found = ledger(
        "Please remove the garden party guest list draft.",
        *deletions,
        "The garden party guest list draft was what we had before.",
        "The garden party starts at noon.",
    )
    assert 21 in found.unavailable()
    assert 22 not in found.unavailable()


def test_a_description_takes_every_earlier_entry_that_it_matches_for_the_most_part() -> None:
    """Three of its five words are enough, two are not, and later entries are not touched."""
    found = ledger(
        "The orange kayak paddle broke.",
        "An orange paddle is here.",
        "Please delete the orange kayak paddle repair invoice.",
        "The orange kayak paddle is new.",
    )
    assert found.unavailable() == {0, 2}
