"""The texts of one episode, each held once.

A memory hands over the same entries again and again, and a reader repeats them. So items and
replies are numbers of texts: a memory that exposes everything costs a few bytes a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

from pytest_comem.core.entries import Entry
from pytest_comem.core.recall import RecallItem, Withheld
from pytest_comem.evaluators.patterns import ScannedText


@final
class Pool:
    """Texts by number; the first ones are the episode's entries, in their order."""

    def __init__(self, entries: Sequence[Entry] = ()) -> None:
        self.texts = [ScannedText(entry.text) for entry in entries]
        self._sources = {entry.id: place for place, entry in enumerate(entries)}
        self._places: dict[str, int] = {}
        for place, entry in enumerate(entries):
            self._places.setdefault(entry.text, place)
        self._ids = [entry.id for entry in entries]

    def number(self, text: str) -> int:
        """Return the number of *text*, a new one where it is new."""
        place = self._places.setdefault(text, len(self.texts))
        if place == len(self.texts):
            self.texts.append(ScannedText(text))
        return place

    def lines(self, text: str) -> list[int]:
        """Return the numbers of the lines of *text*."""
        return [self.number(line) for line in text.split("\n")]

    def items(self, items: Sequence[RecallItem]) -> list[Any]:
        """Return what was exposed, in the form the page reads.

        An item is ``[text, score, sources]``, where sources are missing if it is the entry of that
        number, and the score as well if it has none; ``[first, last]`` in an object is a series of
        entries without scores.
        """
        found: list[Any] = []
        for item in items:
            number, plain = self._of_item(item)
            if not plain:
                found.append([number, _rounded(item.score), list(item.source_ids)])
            elif item.score is not None:
                found.append([number, _rounded(item.score)])
            elif found and isinstance(found[-1], dict) and found[-1]["to"] == number - 1:
                found[-1]["to"] = number
            else:
                found.append({"from": number, "to": number})
        return found

    def _of_item(self, item: RecallItem) -> tuple[int, bool]:
        """Return the number of an item's text, and whether it is the entry of that number."""
        place = self._sources.get(item.source_ids[0]) if len(item.source_ids) == 1 else None
        if place is not None and self.texts[place].raw == item.text:
            return place, True
        return self.number(item.text), False


def withheld(kept: Sequence[Withheld]) -> list[Any]:
    """Return what a memory says it kept back: reason, score, sources."""
    return [[str(one.reason), _rounded(one.score), list(one.source_ids)] for one in kept]


def _rounded(score: float | None) -> float | None:
    return None if score is None or score != score or abs(score) == float("inf") else score
