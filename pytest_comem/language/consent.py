"""Consent in plain language: who may be told something from now on, and who no longer.

A person gives or withdraws it for someone they name, or name by kinship or role. General English
cues, sentence by sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from pytest_comem.core.entries import Principal
from pytest_comem.language.topics import topics_of
from pytest_comem.language.words import remembered, words

_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+")
_WITHDRAWN: Final = re.compile(
    r"\b(?:revok|withdr[ae]w|remov|end|stop|cancel|cut off)\w*\b[^.?!]{0,60}"
    r"\b(?:access|sharing|permission|consent|updates|release)\b"
    r"|\b(?:access|sharing|permission|consent|release)\b[^.?!]{0,40}"
    r"\b(?:revoked|withdrawn|removed|ended|closed)\b"
    r"|\b(?:no longer|not) (?:share|receive|get|hear|given)\b[^.?!]{0,40}\banything\b",
    re.IGNORECASE,
)
_GIVEN: Final = re.compile(
    r"\b(?:may|can|is allowed to|is cleared to)(?: only)? "
    r"(?:hear|receive|know|get|see|have|be told)\b"
    r"|\b(?:share|give|tell)\b[^.?!]{0,40}\bonly\b",
    re.IGNORECASE,
)
_NOT: Final = re.compile(
    r"\?|\b(?:until|unless|if|before|cannot|can't|not yet|no one|nobody)\b", re.IGNORECASE
)
_RELATIVES: Final = """
    mother father mom dad parent parents sister brother wife husband spouse partner son daughter
    aunt uncle cousin grandmother grandfather family relative relatives guardian"""
_KIN: Final = frozenset(_RELATIVES.split())
_EXCEPTION: Final = re.compile(r"\b(?:but|not|except|without|nothing)\b", re.IGNORECASE)


@remembered
def withdrawals(text: str) -> tuple[str, ...]:
    """Return the sentences of *text* that end someone's access."""
    return tuple(
        sentence
        for sentence in _SENTENCE.split(text)
        if _WITHDRAWN.search(sentence) and not _NOT.search(sentence)
    )


@remembered
def permissions(text: str) -> tuple[str, ...]:
    """Return the sentences of *text* that give someone access to something."""
    return tuple(
        sentence
        for sentence in _SENTENCE.split(text)
        if _GIVEN.search(sentence) and not _NOT.search(sentence) and not _WITHDRAWN.search(sentence)
    )


@lru_cache(maxsize=8_192)
def concerns(sentence: str, person: Principal) -> bool:
    """Whether *sentence* names the person, or the kinship that their role is about."""
    said = frozenset(words(sentence))
    role = frozenset(words(person.role.replace("_", " ")))
    names = frozenset(words(person.id.replace("_", " "))) - role
    if said & names:
        return True
    return bool(role & _KIN) and bool(said & _KIN)


def topics_given(sentence: str) -> frozenset[str]:
    """Return what a permission covers: the topics named before any exception."""
    return topics_of(_EXCEPTION.split(sentence, maxsplit=1)[0]) - {"private"}
