"""What both offline readers do with recalled passages."""

from __future__ import annotations

import pytest

from pytest_comem.core.entries import Principal, Query
from pytest_comem.core.recall import RecallItem
from pytest_comem.core.replies import Action
from pytest_comem.models.passages import positioned, reply_with, select, tells

ASKER = Principal("asker", "owner")


def ask(text: str = "garden visit?", top_k: int = 2) -> Query:
    """Return a query of ``asker``."""
    return Query(text, ASKER, (), "", top_k)


def passages(*texts: str) -> tuple[RecallItem, ...]:
    """Return passages whose place in the episode is not known."""
    return tuple(RecallItem(text) for text in texts)


def at(*positions: int | None) -> tuple[RecallItem, ...]:
    """Return passages at the given places of the episode, named by their place in the list."""
    return tuple(RecallItem(str(n), position=place) for n, place in enumerate(positions))


def texts(items: tuple[RecallItem, ...]) -> list[str]:
    """Return the texts of *items*."""
    return [item.text for item in items]


def test_passages_are_put_into_the_order_of_the_episode() -> None:
    """The memory ranks by relevance; a reader reads what was said first, first."""
    assert texts(positioned(at(7, 0, 3))) == ["1", "2", "0"]


def test_passages_without_a_place_keep_the_order_of_the_list() -> None:
    """A memory that knows no sources is taken to list things in order."""
    assert texts(positioned(at(None, None, None))) == ["0", "1", "2"]


def test_an_unknown_place_is_the_place_in_the_list() -> None:
    """A passage without sources is sorted among the others by where it was listed."""
    assert texts(positioned(at(4, None, 0))) == ["2", "1", "0"]


def test_passages_of_the_same_entry_stay_in_order() -> None:
    """Two parts of one entry are not swapped."""
    assert texts(positioned(at(5, 5, 1))) == ["2", "0", "1"]


def test_a_recall_of_the_asked_size_is_taken_as_it_is() -> None:
    """The memory's choice and order stand, also where no word is shared."""
    items = passages("Bread is baked.", "The garden visit is in June.")
    assert select(ask(), items) == items


def test_never_more_passages_than_asked_for() -> None:
    """However many match, ``top_k`` of them are picked."""
    items = passages(*(f"The garden visit {number}." for number in range(9)))
    assert len(select(ask(top_k=3), items)) == 3


def test_what_shares_no_word_of_substance_is_not_picked() -> None:
    """A longer recall is not filled up with passages that only share words like "the"."""
    items = passages("What is the bread?", "The garden is open.", "The tea is hot.")
    assert texts(select(ask("What is the garden?"), items)) == ["The garden is open."]


def test_other_forms_of_a_word_match() -> None:
    """Number and capitals make no difference, in the question or in a passage."""
    items = passages("Visits are booked.", "Tea is hot.", "One visit is booked.")
    for question in ("visit?", "VISITS?"):
        assert set(texts(select(ask(question), items))) == {items[0].text, items[2].text}


def test_a_rare_shared_word_weighs_more_than_a_common_one() -> None:
    """The passage with the word that few have comes before those with the word that most have."""
    items = passages("garden one", "garden two", "visit three", "garden four")
    assert texts(select(ask(top_k=1), items)) == ["visit three"]


def test_a_short_passage_comes_before_a_long_one() -> None:
    """Of two passages with the same shared word the one that says less else is better."""
    long = "garden " + " ".join(f"filler{number}" for number in range(40))
    items = passages("garden gate", long, "Bread is baked.")
    assert texts(select(ask(top_k=2), items)) == ["garden gate", long]


def test_the_later_statement_comes_first_among_equals() -> None:
    """Later is decided by the place in the episode, not in the list."""
    items = (
        RecallItem("garden visit: June", position=9),
        RecallItem("garden visit: April", position=2),
        RecallItem("garden visit: July", position=5),
    )
    assert texts(select(ask(), items)) == ["garden visit: June", "garden visit: July"]


@pytest.mark.parametrize(
    ("text", "speaker", "expected"),
    [
        ("The visit is in June.", Principal("other", "owner"), True),
        ("The visit is in June.", None, True),
        ("The visit is in June.", ASKER, False),
        ("When is the visit?", Principal("other", "owner"), False),
        ("When is the visit? \n", None, False),
        ("When? In June.", None, True),
    ],
)
def test_questions_and_own_words_tell_nothing(
    text: str, speaker: Principal | None, expected: bool
) -> None:
    """A passage tells something unless the requester said it or it ends as a question."""
    assert tells(ask(), RecallItem(text, speaker=speaker)) is expected


def test_the_same_role_is_not_the_same_person() -> None:
    """What somebody else in the requester's role said can tell the requester something."""
    assert tells(ask(), RecallItem("In June.", speaker=Principal("other", ASKER.role)))


def test_a_reply_hands_the_passages_over_verbatim() -> None:
    """A passage a line, in the order given, with nothing added or trimmed."""
    reply = reply_with(Action.ANSWER_REDACTED, passages(" b ", "", "a?"))
    assert (reply.action, reply.text) == (Action.ANSWER_REDACTED, " b \n\na?")
    assert reply.structured is None
