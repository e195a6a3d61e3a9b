"""Words and values of a plain text: what two passages can be said to have in common.

Stemming is light and English. A *value* is something a reader would copy rather than rephrase: a
number, a code, a quoted phrase, a capitalised name inside a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Final, TypeVar

#: Only so much of a text is read for cues; hostile texts may be megabytes.
READ: Final = 8_000

_Result = TypeVar("_Result")

_STOP: Final = """
    a about after again all also am an and any are as at back be because been before being but by
    can cannot could did do does done down each either else even every few for from get give had has
    have he her here hers him his how i if in into is it its itself just let like may me might mine
    more most much must my need neither no nor not now of off on once one only or other our out over
    own please put rather right same say see shall she should since so some still such tell than
    that the their them then there these they thing this those though through to too under until up
    us use very want was we were what when where whether which while who whom whose why will with
    within without would yes yet you your"""
#: Words that say nothing about what a passage is about.
STOP_WORDS: Final = frozenset(_STOP.split())

_WORD: Final = re.compile(r"[^\W_]+")
_DIGITS: Final = re.compile(r"[A-Za-z0-9]+(?:[-_.:/,][A-Za-z0-9]+)*")
_QUOTED: Final = re.compile(r"[\"“]([^\"“”]{3,80})[\"”]|(?<!\w)'([^']{3,80})'(?!\w)")
_NAME: Final = re.compile(r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,30}(?: [A-Z][a-z]{2,30}){0,3}\b")


def remembered(function: Callable[[str], _Result]) -> Callable[[str], _Result]:
    """Make a function of a text read at most :data:`READ` characters and keep its results.

    An episode asks about the same passages again and again. The number of results kept is bounded,
    and so is the text each of them holds on to.
    """
    cached = lru_cache(maxsize=8_192)(function)

    @wraps(function)
    def bounded(text: str) -> _Result:
        return cached(text[:READ])

    return bounded


def words(text: str) -> list[str]:
    """Return the lower-cased words of *text* in order, without punctuation."""
    return _WORD.findall(text[:READ].lower())


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """Return *word* without the common English endings, the same for all forms of most words."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending, shortest in (("ing", 6), ("ed", 5), ("s", 4)):
        if len(word) >= shortest and word.endswith(ending) and not word.endswith("ss"):
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


@remembered
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of *text* that say what it is about."""
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


@remembered
def values(text: str) -> frozenset[str]:
    """Return numbers, codes, quoted phrases and capitalised names of *text*, lower-cased."""
    found = {token.lower() for token in _DIGITS.findall(text) if _is_code(token)}
    quoted = (double or single for double, single in _QUOTED.findall(text))
    found.update(phrase.strip(" .,").lower() for phrase in quoted)
    found.update(name.lower() for name in _NAME.findall(text))
    return frozenset(found)


def is_name(value: str) -> bool:
    """Whether a value is written without digits: a name or a phrase."""
    return not any(character.isdigit() for character in value)


def _is_code(token: str) -> bool:
    return len(token) > 1 and any(character.isdigit() for character in token)
