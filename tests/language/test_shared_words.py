"""Words that sets have in common, found without comparing each with each."""

from __future__ import annotations

from random import Random

from pytest_comem.language.shared_words import SharedWords


def test_it_counts_what_comparing_each_set_would_count() -> None:
    """Sets that share nothing are left out; empty ones have a number as well."""
    random = Random(0)
    vocabulary = [f"word{number}" for number in range(12)]
    sets = [frozenset(random.sample(vocabulary, random.randrange(6))) for _ in range(60)]
    shared = SharedWords()
    for place, words in enumerate(sets):
        expected = {n: len(words & other) for n, other in enumerate(sets[:place]) if words & other}
        assert shared.with_any(words) == expected
        shared.add(words)


def test_asking_for_an_unknown_word_leaves_nothing_behind() -> None:
    """A question does not make the collection grow."""
    shared = SharedWords()
    shared.add(frozenset({"gate"}))
    assert shared.with_any({"gate", "never"}) == {0: 1}
    assert not shared.with_any({"never"})
