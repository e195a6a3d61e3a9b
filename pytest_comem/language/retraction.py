"""Deletion in plain language: who says that something goes, and who asks for it afterwards.

General English cues: verbs of removal in the imperative or the perfect for the one, words for the
past or for recovery for the other. Sentence by sentence, and never a model.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_comem.language.words import content_words, remembered, values

_REMOVAL: Final = (
    r"(?:delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|eras(?:e|ed|ing)|purg(?:e|ed|ing)"
    r"|scrub(?:bed|bing)?|wip(?:e|ed|ing)|forget|retract(?:ed|ing)?|expung(?:e|ed|ing)"
    r"|discard(?:ed)?|strike|struck)"
)
#: One of them begins every verb and noun of removal; most passages are dismissed by these alone.
_HINTS: Final = (
    *("delet", "remov", "eras", "purg", "scrub", "wip", "forget", "retract", "expung"),
    *("discard", "strike", "struck"),
)
_VERB: Final = re.compile(rf"\b{_REMOVAL}\b", re.IGNORECASE)
_PAUSE: Final = re.compile(r"[,:;]|\b(?:from|so|because|since|as)\b", re.IGNORECASE)
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\bbut\b|,? and keep\b|,? keep only\b")
_PLEASE: Final = r"(?:yes|no|ok|okay|correct|also|please|now|then|and|to|must|should|can you|just)"
_IMPERATIVE: Final = re.compile(
    rf"(?:^|[,:;] |\b{_PLEASE},? (?:be )?){_REMOVAL}\b"
    r"|\brequest\w* (?:the )?(?:deletion|removal)\b|\bi am deleting\b",
    re.IGNORECASE,
)
_PERFECT: Final = re.compile(
    rf"\b(?:has|have|had|was|were|is|are|been|being|be|stays?|remains?) "
    rf"(?:now |also |fully |hereby |been )?{_REMOVAL}\b|\b{_REMOVAL} from\b"
    r"|\b(?:deletion|removal) (?:is )?(?:complete|completed|confirmed|logged|request)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\?|\b(?:cannot|can't|can not|could not|will not|won't|do not|don't|did not|not yet|until"
    r"|no deletion|if|unless|before|whether|never)\b",
    re.IGNORECASE,
)
_KEPT: Final = re.compile(
    r"\b(?:keep|kept|retain|current|currently|active|remains?|stays|only|new|instead)\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    rf"\b(?:{_REMOVAL}|deletion|earlier|older|old|previous|previously|former|formerly|original"
    r"|originally|retired|used to|past|historical|prior|restore|recover|reconstruct"
    r"|retrieve|legacy|undo|bring back|roll\w* back|what was|which was|who was|did we|did i"
    r"|we had|i had|had we|had i)\b|^(?:was|were)\b"
    r"|\bbefore\b.{0,60}\b(?:switch|replac|remov|delet|chang|mov|rotat|cleanup)",
    re.IGNORECASE,
)
_PRESENT: Final = re.compile(
    r"\b(?:current|currently|now|as of|active|today|right now|latest"
    r"|(?:what|when|where|which|who)(?: is| are|'s))\b",
    re.IGNORECASE,
)
_REPLACED: Final = re.compile(r"\bdid\b.{0,40}\breplace\b", re.IGNORECASE)

#: Stems about deleting itself; they do not say what was deleted.
GENERIC: Final = frozenset(
    content_words(
        "delete deletion deleted remove removed erase old older earlier current active memory"
        " note exact record note update updated longer available unavailable stay keep answer"
        " question detail value request confirm former previous original retired new now project"
        " restore recover reconstruct stored chart file answerable routine know"
    )
)


@remembered
def deletion_clauses(text: str) -> tuple[str, ...]:
    """Return the sentences of *text* that ask for or report a deletion, in order."""
    lowered = text.lower()
    if not any(hint in lowered for hint in _HINTS):
        return ()
    return tuple(
        sentence
        for sentence in _SENTENCE.split(text)
        if sentence
        and not _DENIED.search(sentence)
        and (_IMPERATIVE.search(sentence) or _PERFECT.search(sentence))
    )


@remembered
def kept_values(text: str) -> frozenset[str]:
    """Return the values of the sentences of *text* that say what stays or holds now."""
    gone = deletion_clauses(text)
    found: set[str] = set()
    for sentence in _SENTENCE.split(text):
        if sentence and sentence not in gone and _KEPT.search(sentence):
            found.update(values(f". {sentence}"))
    return frozenset(found)


@remembered
def asks_for_past(question: str) -> bool:
    """Whether *question* asks for something deleted, replaced or earlier."""
    return bool(_PAST.search(question) or _REPLACED.search(question))


@remembered
def asks_for_present(question: str) -> bool:
    """Whether *question* asks, perhaps among other things, for what holds now."""
    return _PRESENT.search(question) is not None


@remembered
def subject_words(text: str) -> frozenset[str]:
    """Return the content words of *text* without the words for deleting itself."""
    return content_words(text) - GENERIC


@remembered
def deleted_objects(text: str) -> tuple[frozenset[str], ...]:
    """Return what each deletion sentence of *text* names right behind its verb, in order.

    The words up to the next comma; in the passive, where nothing follows, those before it.
    """
    found: list[frozenset[str]] = []
    for clause in deletion_clauses(text):
        before, *after = _VERB.split(clause, maxsplit=1)
        behind = subject_words(_PAUSE.split(after[0], maxsplit=1)[0]) if after else frozenset()
        found.append(behind or subject_words(before))
    return tuple(named for named in found if named)


def asks_for_object(question: str, text: str) -> bool:
    """Whether *question* asks for the very thing that *text* deletes.

    Half of the words for it are enough where the question is about the past; two at least where it
    is not, and none where it asks for what holds now.
    """
    past = asks_for_past(question)
    if not past and asks_for_present(question):
        return False
    about = subject_words(question)
    return any(
        len(about & named) >= max(1 if past else 2, len(named) / 2)
        for named in deleted_objects(text)
    )


@remembered
def deleted_words(text: str) -> frozenset[str]:
    """Return what the deletion sentences of *text* are about."""
    return frozenset().union(*(subject_words(clause) for clause in deletion_clauses(text)))


def deleted_values(text: str) -> frozenset[str]:
    """Return the values that the deletion sentences of *text* name, without those it keeps."""
    named = frozenset().union(*(values(f". {clause}") for clause in deletion_clauses(text)))
    return named - kept_values(text)
