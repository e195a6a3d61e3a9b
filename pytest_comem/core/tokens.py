"""Tokens as this package counts them to compare systems, and recalls cut to a budget of them.

No model's own tokenizer: the same text counts the same in every run, for every model. A word counts
one for every eight letters or digits begun, any other visible character one. English prose comes to
about as many as common tokenizers make of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pytest_comem.core.recall import Recall, RecallItem

#: A piece of at most eight word characters, or one other visible character.
_TOKEN: Final = re.compile(r"\w{1,8}|[^\w\s]")


def count_tokens(text: str) -> int:
    """Return how many tokens a text has."""
    return sum(1 for _ in _TOKEN.finditer(text))


def first_tokens(text: str, most: int) -> str:
    """Return a text up to the end of its token number *most*; all of it where it has no more."""
    end = 0
    for number, found in enumerate(_TOKEN.finditer(text), 1):
        if number > most:
            return text[:end]
        end = found.end()
    return text


def within(recall: Recall, budget: int | None) -> Recall:
    """Return a recall whose items have at most *budget* tokens in all.

    Items are kept in their order; the one that goes beyond is cut, and the rest left out.

    :param budget: ``None`` for no bound.
    """
    if budget is None:
        return recall
    return replace(recall, items=tuple(_kept(recall.items, budget)))


def _kept(items: tuple[RecallItem, ...], budget: int) -> Iterator[RecallItem]:
    for item in items:
        tokens = count_tokens(item.text)
        if tokens <= budget:
            budget -= tokens
            yield item
            continue
        if cut := first_tokens(item.text, budget).rstrip():
            yield replace(item, text=cut)
        return
