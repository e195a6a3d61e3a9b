"""The default offline reader: extractive, and minding policy and retractions it can see.

A stand-in for a language model in keyless runs. It says only what was recalled, word for word, and
judges authorization and deletion from the text at hand, so that what the memory hands over decides
the metrics and neither access control nor forgetting is all or nothing.
"""

from __future__ import annotations

from typing import Final, final

from pytest_comem.core.entries import Query
from pytest_comem.core.recall import Recall, RecallItem, Withheld, WithheldReason
from pytest_comem.core.replies import Action, Reply
from pytest_comem.language.access import Grant, grant_of
from pytest_comem.language.retraction import (
    asks_for_object,
    asks_for_past,
    asks_for_present,
    deleted_values,
    deleted_words,
    deletion_clauses,
    subject_words,
)
from pytest_comem.language.words import content_words, is_name, values
from pytest_comem.models.base import Reader
from pytest_comem.models.passages import NOTHING, OUTSIDE, positioned, reply_with, select, tells

#: What was kept back must match the question at least so well, compared with the best passage
#: handed over, to count as what was asked for.
KEPT_BACK: Final = 1.0
#: A redacted answer is a short one: at most so many passages, the best ones.
REDACTED: Final = 5


@final
class OfflineReader(Reader):
    """Extracts, refuses and declines by general rules; deterministic."""

    name = "offline"

    def answer(self, query: Query, recall: Recall) -> Reply:
        """Return the passages that bear on the question, or say why there are none."""
        items = select(query, recall.items)
        unauthorized = recall.withheld_for(WithheldReason.UNAUTHORIZED)
        if _was_deleted(query, recall, items):
            return Reply(Action.NO_MEMORY, NOTHING)
        if recall.enforced_access:
            return _trust(query, items, unauthorized)
        if not items:
            return _nothing(unauthorized)
        return _judge(grant_of(query), query, items)


def _nothing(unauthorized: tuple[Withheld, ...]) -> Reply:
    if unauthorized:
        return Reply(Action.REFUSE, OUTSIDE)
    return Reply(Action.NO_MEMORY, NOTHING)


def _trust(
    query: Query, items: tuple[RecallItem, ...], unauthorized: tuple[Withheld, ...]
) -> Reply:
    """Reply where the memory decided on access: was what is asked for among what it kept back?"""
    if not items:
        return _nothing(unauthorized)
    if not unauthorized:
        return reply_with(Action.ANSWER, items)
    beyond = bool(grant_of(query).missing(query.text))
    if not beyond and not _outweigh(query, unauthorized, items):
        return reply_with(Action.ANSWER, items)
    return _redacted(query, items)


def _redacted(query: Query, items: tuple[RecallItem, ...]) -> Reply:
    """Reply with those passages within the scope that tell something about the question."""
    about = content_words(query.text)
    bearing = tuple(
        item for item in items if tells(query, item) and len(about & content_words(item.text)) > 1
    )
    if not bearing:
        return Reply(Action.REFUSE, OUTSIDE)
    return reply_with(Action.ANSWER_REDACTED, positioned(bearing[:REDACTED]))


def _outweigh(query: Query, kept_back: tuple[Withheld, ...], items: tuple[RecallItem, ...]) -> bool:
    """Whether what was kept back matches the question better than what was handed over."""
    scores = [kept.score for kept in kept_back if kept.score is not None]
    given = [item.score for item in items if item.score is not None and tells(query, item)]
    if not scores:
        return not items
    return not given or max(scores) >= KEPT_BACK * max(given)


def _was_deleted(query: Query, recall: Recall, items: tuple[RecallItem, ...]) -> bool:
    """Whether the thing asked for is gone, by the memory's word or by a recalled statement."""
    deleted = recall.withheld_for(WithheldReason.DELETED)
    if not deleted:
        return not recall.enforced_deletion and _retracted(query, items)
    unauthorized = recall.withheld_for(WithheldReason.UNAUTHORIZED)
    past, present = asks_for_past(query.text), asks_for_present(query.text)
    if not (items or unauthorized) or (past and not present):
        return True
    if present and not past and items:
        return False
    if unauthorized and grant_of(query).missing(query.text):
        return False
    return _outweigh(query, deleted, items)


def _retracted(query: Query, items: tuple[RecallItem, ...]) -> bool:
    """Whether what the question asks for was deleted, by a recalled statement.

    The question asks for the very thing; or for something past, and names a deleted value or
    shares its subject with a deletion; or every passage that bears on it is one that a later
    passage deletes.
    """
    statements = tuple(item for item in items if deletion_clauses(item.text))
    if not statements:
        return False
    if any(asks_for_object(query.text, item.text) for item in statements):
        return True
    if not asks_for_past(query.text):
        return _all_gone(query, items, statements)
    about = subject_words(query.text)
    asked = values(query.text)
    needed = max(2, len(about) / 3)
    return any(
        asked & deleted_values(item.text) or len(about & deleted_words(item.text)) >= needed
        for item in statements
    )


def _all_gone(
    query: Query, items: tuple[RecallItem, ...], statements: tuple[RecallItem, ...]
) -> bool:
    """Whether later statements delete a number or code of every passage that bears on it."""
    places = {id(item): place for place, item in enumerate(positioned(items))}
    about = content_words(query.text)
    bearing = [
        item
        for item in items
        if not deletion_clauses(item.text)
        and tells(query, item)
        and len(about & content_words(item.text)) > 1
    ]
    return bool(bearing) and all(
        any(
            places[id(later)] > places[id(item)]
            and any(
                not is_name(value) and value in values(item.text)
                for value in deleted_values(later.text)
            )
            for later in statements
        )
        for item in bearing
    )


def _judge(grant: Grant, query: Query, items: tuple[RecallItem, ...]) -> Reply:
    """Reply where the memory left access to the reader."""
    if not grant.entitled:
        return Reply(Action.REFUSE, OUTSIDE)
    if not grant.missing(query.text):
        return reply_with(Action.ANSWER, items)
    return _redacted(query, tuple(item for item in items if grant.covers(item.text, item.speaker)))
