"""What texts are about."""

from __future__ import annotations

import pytest

from pytest_comem.language.topics import named_topics, sensitive, topics_of


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("The meeting moved to Friday.", "schedule"),
        ("Reach her at 555-010-4477.", "contact"),
        ("It comes to 1,250 in all.", "money"),
        ("Use zz_tmp_4F2A-9KLM from now on.", "credential"),
        ("She is in Maple Room 12.", "location"),
    ],
)
def test_words_and_shapes_give_topics(text: str, topic: str) -> None:
    """A word of the table or the shape of a value is enough."""
    assert topic in topics_of(text)


def test_a_month_with_a_day_is_no_place() -> None:
    """Dates look like named places and are none."""
    assert "location" not in topics_of("We meet on May 12 again.")


def test_scope_words_are_linked_to_everyday_words() -> None:
    """``scheduling_only`` covers what is said about dates."""
    assert "schedule" in named_topics("scheduling_only")


def test_open_topics_are_not_sensitive() -> None:
    """Dates alone disclose little, a budget does."""
    assert sensitive(frozenset({"schedule", "money"})) == {"money"}
