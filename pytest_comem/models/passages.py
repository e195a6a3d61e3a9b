"""What both offline readers do with recalled passages: choose, order, hand over verbatim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pytest_comem.core.entries import Query
from pytest_comem.core.recall import RecallItem
from pytest_comem.core.replies import Reply
from pytest_comem.language.words import content_words

OUTSIDE: Final = "That is outside what I can share with this requester."
NOTHING: Final = "Nothing about that is in memory."


def positioned(items: Sequence[RecallItem]) -> tuple[RecallItem, ...]:
    """Return *items* in the order of the episode; an unknown place is that in the list."""
    places = [place if item.position is None else item.position for place, item in enumerate(items)]
    order = sorted(range(len(items)), key=places.__getitem__)
    return tuple(items[place] for place in order)


def select(query: Query, items: tuple[RecallItem, ...]) -> tuple[RecallItem, ...]:
    """Return the passages that bear on the question, at most ``query.top_k``.

    A recall of that size is taken as it is. From a longer one the best lexical matches are
    picked, each shared word weighted by how few passages have it, the later statement first
    among equals.
    """
    if len(items) <= query.top_k:
        return items
    about = sorted(content_words(query.text))
    bags = [content_words(item.text) for item in items]
    holders = {word: [place for place, bag in enumerate(bags) if word in bag] for word in about}
    scores = [0.0] * len(items)
    for places in holders.values():
        for place in places:
            # A shared word counts less in a long passage, as in any lexical ranking.
            scores[place] += len(items) / len(places) ** 0.5 / (8 + len(bags[place])) ** 0.5
    later = [place if item.position is None else item.position for place, item in enumerate(items)]
    matching = [place for place in range(len(items)) if scores[place] > 0]
    matching.sort(key=lambda place: (-scores[place], -later[place]))
    return tuple(items[place] for place in matching[: query.top_k])


def tells(query: Query, item: RecallItem) -> bool:
    """Whether a passage can tell the requester something.

    A question does not, nor does what the requester said: an agent that remembers requests finds
    the request itself before anything else.
    """
    own = item.speaker is not None and item.speaker.id == query.requester.id
    return not own and not item.text.rstrip().endswith("?")


def reply_with(action: str, items: Sequence[RecallItem]) -> Reply:
    """Return a reply that hands over the passages verbatim."""
    return Reply(action, "\n".join(item.text for item in items))
