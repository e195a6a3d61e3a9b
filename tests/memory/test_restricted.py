"""A rank over what may be handed over, and a word about the rest."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.core.recall import Recall, WithheldReason
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.memory.restricted import restricted_recall, withheld_recall

SPEAKER = Principal("speaker", "owner")
#: The first matches "red apple" best, the second less, the others not at all.
FRUIT = ("red apple", "red pear and more words", "green plum", "blue grape", "white melon")
DENIED = WithheldReason.UNAUTHORIZED
DELETED = WithheldReason.DELETED


def indexed(texts: tuple[str, ...]) -> tuple[BM25Index, list[Entry]]:
    """Return an index of *texts* and their entries, ``e0`` and so on."""
    index = BM25Index()
    for text in texts:
        index.add(text)
    return index, [Entry(f"e{number}", text, SPEAKER) for number, text in enumerate(texts)]


def ask(text: str, top_k: int) -> Query:
    """Return a query of somebody."""
    return Query(text, Principal("asker", "owner"), (), "", top_k)


def recall(
    objections: Mapping[int, WithheldReason],
    *,
    question: str = "red apple",
    top_k: int = 2,
    texts: tuple[str, ...] = FRUIT,
) -> Recall:
    """Return the restricted recall under *objections*, by number of the entry."""
    return restricted_recall(*indexed(texts), ask(question, top_k), objections.get)


def given(found: Recall) -> list[tuple[str, ...]]:
    """Return the sources of what was handed over."""
    return [item.source_ids for item in found.items]


def kept(found: Recall) -> list[tuple[tuple[str, ...], WithheldReason]]:
    """Return the sources of what was kept back, and why."""
    return [(withheld.source_ids, withheld.reason) for withheld in found.withheld]


def test_without_objections_it_is_the_plain_rank() -> None:
    """The same entries with the same scores in the same order as the index gives."""
    index, entries = indexed(FRUIT)
    found = restricted_recall(index, entries, ask("red apple", 2), lambda number: None)
    assert [(item.source_ids, item.score) for item in found.items] == [
        ((entries[number].id,), score) for number, score in index.rank("red apple", 2)
    ]
    assert given(found) == [("e0",), ("e1",)]
    assert not found.withheld


def test_what_is_handed_over_is_the_entry() -> None:
    """An item has its entry's words and speaker."""
    (item,) = recall({}, top_k=1).items
    assert (item.text, item.speaker) == ("red apple", SPEAKER)


def test_an_entry_with_an_objection_makes_room_for_the_next() -> None:
    """The restriction comes before the rank: the next best permitted entry moves up."""
    found = recall({0: DENIED}, top_k=1)
    assert given(found) == [("e1",)]
    assert kept(found) == [(("e0",), DENIED)]


def test_each_entry_is_kept_back_for_its_own_reason() -> None:
    """Two entries with different objections are reported with theirs, best first."""
    found = recall({1: DELETED, 0: DENIED})
    assert not found.items
    assert kept(found) == [(("e0",), DENIED), (("e1",), DELETED)]


def test_scores_of_both_kinds_are_comparable() -> None:
    """An entry has the same score whether it is handed over or kept back."""
    free = {item.source_ids: item.score for item in recall({}).items}
    found = recall({0: DENIED})
    assert {withheld.source_ids: withheld.score for withheld in found.withheld} == {
        ("e0",): free["e0",]
    }
    assert {item.source_ids: item.score for item in found.items} == {("e1",): free["e1",]}


def test_only_what_would_have_been_handed_over_is_kept_back() -> None:
    """An objection to an entry below the rank says nothing about the question."""
    found = recall({1: DENIED, 3: DELETED}, top_k=1)
    assert given(found) == [("e0",)]
    assert not found.withheld


def test_entries_without_a_shared_word_do_not_fill_up() -> None:
    """Where everything that matches is kept back, nothing is handed over instead."""
    found = recall({0: DENIED, 1: DENIED}, top_k=5)
    assert not found.items
    assert len(found.withheld) == 2


def test_shared_words_without_substance_do_not_count() -> None:
    """Words like "the" are in the index, but no reason to hand an entry over."""
    found = recall({}, question="What is the apple?", texts=("the apple", "what is the plum"))
    assert given(found) == [("e0",)]


def test_a_question_without_substance_gets_the_rank_as_it_is() -> None:
    """With no word to go by there is nothing to hold against an entry."""
    found = recall({0: DENIED}, question="what is that?")
    assert len(found.items) == 2
    assert ("e0",) not in given(found)


def test_it_says_what_it_enforces() -> None:
    """Access always, deletion where the caller does."""
    index, entries = indexed(FRUIT)
    query = ask("red apple", 2)
    assert recall({}).enforced_access
    assert not recall({}).enforced_deletion
    found = restricted_recall(index, entries, query, lambda number: None, enforced_deletion=True)
    assert found.enforced_access
    assert found.enforced_deletion


def test_an_empty_memory_has_nothing_to_keep_back() -> None:
    """Asking before anything is said is no error."""
    index, entries = indexed(())
    query = ask("red apple", 2)
    assert not recall({}, texts=()).items
    assert not recall({}, texts=()).withheld
    assert not withheld_recall(index, entries, query, DELETED).withheld


def test_a_question_kept_back_as_a_whole_gets_nothing() -> None:
    """All of the best entries are reported for the one reason, with their scores."""
    index, entries = indexed(FRUIT)
    found = withheld_recall(index, entries, ask("red apple", 2), DELETED)
    assert not found.items
    assert kept(found) == [(("e0",), DELETED), (("e1",), DELETED)]
    scores = [score for _, score in index.rank("red apple", 2)]
    assert [withheld.score for withheld in found.withheld] == scores


def test_a_question_kept_back_as_a_whole_says_what_is_enforced() -> None:
    """Access always, deletion where the caller does."""
    index, entries = indexed(FRUIT)
    query = ask("red apple", 2)
    plain = withheld_recall(index, entries, query, DENIED)
    assert (plain.enforced_access, plain.enforced_deletion) == (True, False)
    both = withheld_recall(index, entries, query, DELETED, enforced_deletion=True)
    assert (both.enforced_access, both.enforced_deletion) == (True, True)
