"""Styles of dates and numbers: how a passage writes them, or says that they are to be written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pytest_comem.office.slots.passages import Passage, without_rejected
from pytest_comem.office.styles import dates_in, numbers_in
from pytest_comem.streams.plans import Slot
from pytest_comem.streams.schema import Task

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
#: Sentences that state a habit, whatever else they are about.
_STATED: Final = re.compile(
    r"\bfrom now on\b|\bplease\b|\balways\b|\bprefer\w*\b|\bwants?\b|\blikes?\b|\bshould\b|\bmust\b"
    r"|\bis now\b|\bin future\b|\bgoing forward\b|\bconvention\b|\bstandard\b|\bformat\w*\b"
    r"|\bstyle\w*\b|\breplaced with\b"
    r"|\b(?:dates?|numbers?|amounts?|figures?|values?|totals?|sums?)\b[^.\n]{0,40}"
    r"\b(?:as|like|in|use|using|with|look|written|write|go)\b"
    r"|\b(?:use|uses|using|write|writes|writing)\b",
    re.I,
)
#: What was looked at or looked for is not how the participant writes.
_SEEN: Final = re.compile(
    r"^(?:listed|read|queried|ran|ran on|asked the resource service)\b[^\n]*", re.M
)
_NAMES: Final = tuple(
    (style, re.compile(pattern, re.I))
    for style, pattern in (
        (
            "iso",
            r"\biso(?:[- ]?8601)?\b(?! (?:week|code|country|currency))|\byyyy-mm-dd\b|%Y-%m-%d\b"
            r"|\byear-month-day\b",
        ),
        ("slash", r"\bdd/mm/y{2,4}\b|\bday/month/year\b"),
        ("us", r"\bmm/dd/y{2,4}\b|\bmonth/day/year\b|\b(?:us|american)[- ](?:style )?dates?\b"),
        ("dotted", r"\bdd\.mm\.y{2,4}\b"),
        ("long", r"\bd{1,2} mmmm y{2,4}\b|\bd{1,2} month y{2,4}\b|\bday month year\b"),
        ("long", r"\b(?:dates?|months?)\b[^.\n]{0,30}\b(?:written out|spelled out|in full)\b"),
    )
)


def date_styles(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return the style that most dates of a passage are in.

    Sentences that state a habit count alone where they show or name a style (``ISO dates``,
    ``DD/MM/YYYY``). Of styles shown equally often the one shown last wins. The day in a passage's
    header is no evidence, nor is what a tool returned or was asked.
    """
    return _styles(passage, _dates)


def number_styles(slot: Slot, task: Task, passage: Passage) -> Sequence[str]:
    """Return the style that most telling numbers of a passage are in, as for dates.

    A number that can be in several styles counts for each in part. Where some number has decimals
    and can be in one style only, such numbers decide alone, as counts beside them are whole
    anyway. Numbers below 1000 with a point do not show how thousands look, and alone decide
    nothing.
    """
    return _styles(passage, _numbers)


def _styles(passage: Passage, shown: Callable[[str], Sequence[tuple[str, ...]]]) -> Sequence[str]:
    if passage.result:
        return []
    sentences = _SENTENCE.split(without_rejected(_SEEN.sub("", passage.kept)))
    stated = [sentence for sentence in sentences if _STATED.search(sentence)]
    for part in (stated, sentences):
        found = shown("\n".join(part))
        if found:
            return [_most(found)]
    return []


def _dates(text: str) -> list[tuple[str, ...]]:
    """Return the possible styles of each date shown or style named, in order."""
    found = [(date.start, date.styles) for date in dates_in(text)]
    found += [(match.start(), (style,)) for style, name in _NAMES for match in name.finditer(text)]
    return [styles for _, styles in sorted(found)]


def _numbers(text: str) -> list[tuple[str, ...]]:
    telling = [number for number in numbers_in(text) if number.telling]
    if not any(abs(one.value) >= 1000 or "," in one.text for one in telling):
        return []
    clear = [one for one in telling if len(one.styles) == 1 and one.value % 1]
    return [number.styles for number in clear or telling]


def _most(found: Sequence[tuple[str, ...]]) -> str:
    """Return the style with most votes, then the one seen last, then the likelier reading."""
    votes: dict[str, tuple[float, int, int]] = {}
    for place, styles in enumerate(found):
        for rank, style in enumerate(styles):
            votes[style] = (votes.get(style, (0.0, 0, 0))[0] + 1 / len(styles), place, -rank)
    return max(votes, key=lambda style: votes[style])
