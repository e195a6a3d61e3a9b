"""Deletion in plain language."""

from __future__ import annotations

import pytest

from pytest_comem.language.retraction import (
    asks_for_object,
    asks_for_past,
    asks_for_present,
    deleted_values,
    deleted_words,
    deletion_clauses,
)
from pytest_comem.language.words import stem


@pytest.mark.parametrize(
    "text",
    [
        "Please delete the gate code 4417.",
        "Yes, remove it from memory.",
        "The old address has been erased.",
        "Deletion completed.",
    ],
)
def test_deletions_are_recognised(text: str) -> None:
    """Requests and reports of a deletion both count."""
    assert deletion_clauses(text)


@pytest.mark.parametrize(
    "text",
    [
        "Should I delete the gate code?",
        "I cannot confirm what was deleted.",
        "Do not delete anything until Friday.",
        "The budget is now 300.",
    ],
)
def test_questions_refusals_and_conditions_delete_nothing(text: str) -> None:
    """Talk about deletion is not a deletion."""
    assert not deletion_clauses(text)


def test_deleted_values_leave_out_what_is_kept() -> None:
    """The sentence that says what stays is not part of the deletion."""
    text = "Delete the gate code 4417. Keep the current code 9020."
    assert deleted_values(text) == {"4417"}


def test_deleted_words_describe_what_goes() -> None:
    """The words for deleting itself say nothing about what goes."""
    assert deleted_words("Please delete the garage gate code.") == {
        stem("garage"),
        stem("gate"),
        stem("code"),
    }


@pytest.mark.parametrize(
    "question",
    ["What was the deleted code?", "Which code did we use before we switched?"],
)
def test_questions_for_the_past_are_recognised(question: str) -> None:
    """Deleted, earlier and replaced things belong to the past."""
    assert asks_for_past(question)


def test_a_question_for_the_present_is_not_for_the_past() -> None:
    """What holds now is not history."""
    assert asks_for_present("What is the current code?")
    assert not asks_for_past("What is the current code?")


def test_long_hostile_text_is_read_in_linear_time() -> None:
    """No cue can be made to backtrack over a long text."""
    assert not deletion_clauses("please " * 200_000)
    assert not deletion_clauses("," * 1_000_000)


def test_the_thing_deleted_is_recognised_in_a_question() -> None:
    """What follows the verb is the thing; asking for what holds now is something else."""
    said = "My phone is back. Delete the temporary number, please, and thank you."
    assert asks_for_object("Was it the temporary number?", said)
    assert asks_for_object("Read me the temporary number.", said)
    assert not asks_for_object("What is the current number?", said)
    assert not asks_for_object("When is the visit?", said)


def test_in_the_passive_the_thing_comes_first() -> None:
    """Where nothing follows the verb, what precedes it was deleted."""
    assert asks_for_object("What was the gate code?", "The gate code has been erased.")
