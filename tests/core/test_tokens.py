"""Tokens by one rule for all, and recalls cut to a budget."""

from __future__ import annotations

import pytest

from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.core.tokens import count_tokens, first_tokens, within


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" \n\t", 0),
        ("word", 1),
        ("eightish", 1),
        ("ninechars", 2),
        ("a, b!", 4),
        ("2025-02-03", 5),
        ("x" * 80, 10),
        ("naïve café", 2),
    ],
)
def test_tokens_are_counted_by_their_rule(text: str, tokens: int) -> None:
    """One for every eight letters begun, one for any other visible character."""
    assert count_tokens(text) == tokens


def test_a_text_is_cut_after_a_token() -> None:
    """What is kept has as many tokens as asked for, and is a beginning of the text."""
    text = "One two, three: four."
    for most in range(count_tokens(text) + 2):
        kept = first_tokens(text, most)
        assert text.startswith(kept)
        assert count_tokens(kept) == min(most, count_tokens(text))


def test_a_recall_is_cut_from_its_end() -> None:
    """Items stay in order; the one that goes beyond is cut, and what follows is left out."""
    items = (
        RecallItem("one two", 0.9, ("a",)),
        RecallItem("three four five", 0.8, ("b",)),
        RecallItem("six", 0.7, ("c",)),
    )
    recall = Recall(items, enforced_access=True)
    assert within(recall, None) is recall
    assert within(recall, 6) == recall
    cut = within(recall, 4)
    assert [item.text for item in cut.items] == ["one two", "three four"]
    assert cut.items[1].source_ids == ("b",)
    assert cut.enforced_access
    assert [item.text for item in within(recall, 2).items] == ["one two"]
