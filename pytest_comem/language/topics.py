"""A small table of what texts are about: general words by topic.

It links a word of a policy or of a scope (``scheduling_only``) with the words people use for the
same thing (date, meeting, arrival). Everyday vocabulary only.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_comem.language.words import STOP_WORDS, remembered, stem, words

_TABLE: Final = {
    "schedule": """schedule scheduling date day time timing calendar appointment visit meeting
        booking slot week deadline window monday tuesday wednesday thursday friday saturday sunday
        january february march april june july august september october november december when""",
    "transport": "ride rides drive driver transport transportation parking pickup car vehicle",
    "arrival": "arrive arrival entrance entry buzz desk lobby front release check-in drop drop-off",
    "contact": """phone mobile cell call callback voicemail contact email telephone line extension
        reach number""",
    "medication": """medication medicine dose dosage tablet pill prescription drug hormone mg
        milligram antibiotic inhaler injection""",
    "diagnosis": "diagnosis",
    "clinical": """result lab pathology symptom clinical biopsy tumor cancer pregnancy
        pregnant infection mri chart disease treatment therapy condition hospital""",
    "care": "care aftercare instruction trigger warning wellbeing support diet prep",
    "billing": "billing invoice insurance copay claim",
    "money": """budget amount price cost discount usd dollar salary stipend grant award fee
        provisional figure""",
    "credential": """token code pin password badge key keypad credential login passcode secret
        phrase""",
    "customer": "customer client account mapping identity",
    "label": "label codename alias",
    "incident": "incident outage log logs debug debugging bug cause worker",
    "contract": "contract clause renewal redline legal term",
    "location": "room address location suite booth building hall annex site seat",
    "area": "area zone kitchen pantry shelf closet approved",
    "device": "device setup camera speaker thermostat router app",
    "status": "status state progress blocker summary recap logistics coordination coordinator",
    "private": """private confidential secret exact exactly internal restricted hidden hiding
        specific full raw alone empty away""",
}

#: Topics that disclose little by themselves.
OPEN: Final = frozenset({"schedule", "status", "arrival", "transport", "area", "device", "care"})

_BY_STEM: Final[dict[str, tuple[str, ...]]] = {}
for _topic, _words in _TABLE.items():
    for _word in (_topic, *_words.split()):
        _key = stem(_word)
        if _topic not in _BY_STEM.get(_key, ()):
            _BY_STEM[_key] = (*_BY_STEM.get(_key, ()), _topic)

_DIGIT: Final = re.compile(r"\d")
#: Shapes of values, each with a digit in it: telephone numbers, amounts, codes, rooms.
_SHAPES: Final = {
    "contact": re.compile(r"\b\d{3}-\d{3}-\d{4}\b|\b\d{3}-\d{4}\b"),
    "money": re.compile(r"[$€£] ?\d|\b\d{1,3},\d{3}\b|\d ?%"),
    "credential": re.compile(r"\b(?=[A-Za-z_]*\d)(?=[\d_]*[A-Za-z])\w{4,24}(?:-\w{2,12}){1,6}\b"),
    "location": re.compile(
        r"\b(?!(?:January|February|March|April|May|June|July|August|September|October|November"
        r"|December)\b)[A-Z][a-z]{2,20} [A-Z]?\d{1,4}\b(?![,:.]\d)"
    ),
}


@remembered
def topics_of(text: str) -> frozenset[str]:
    """Return the topics that the words of *text*, and the shapes of its values, belong to."""
    found: set[str] = set()
    for word in words(text):
        if word not in STOP_WORDS:
            found.update(_BY_STEM.get(stem(word), ()))
    if _DIGIT.search(text):
        found.update(topic for topic, shape in _SHAPES.items() if shape.search(text))
    return frozenset(found)


def sensitive(topics: frozenset[str]) -> frozenset[str]:
    """Return those topics that disclose something by themselves."""
    return topics - OPEN


def named_topics(text: str) -> frozenset[str]:
    """Return the topics that *text* calls by their own name or a synonym of it."""
    return topics_of(text.replace("_", " "))
