"""A ledger of what the dialogue deletes: which entries are no longer to be handed over.

A deletion statement names values (numbers, codes, quoted phrases, names), or describes what goes
in words. Entries that carry a deleted value, before or after, become unavailable, and so does an
entry that the description matches for the most part. A value that a later entry states as current
is available again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from pytest_comem.language.retraction import (
    asks_for_object,
    asks_for_past,
    deleted_values,
    deleted_words,
    deletion_clauses,
    kept_values,
    subject_words,
)
from pytest_comem.language.shared_words import SharedWords
from pytest_comem.language.words import is_name, values

#: Share of a deletion's own words an entry must hold to be what it describes.
DESCRIBED: Final = 0.6
#: A name in more entries than this share is what the episode is about, not what is deleted.
COMMON: Final = 0.08
#: One in so many of a question's words must be a deletion's for the question to ask after it.
ASKED: Final = 3
#: Fewest words in common that mean anything: for a question, and for an entry with a description.
_CLOSE: Final = 2
_MATCHES: Final = 3


@final
class DeletionLedger:
    """What was deleted so far, entry by entry in the order of the episode."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._statements: list[str] = []
        self._gone: set[int] = set()
        self._values: dict[str, int] = {}
        self._carriers: dict[str, list[int]] = {}
        self._subjects: dict[frozenset[str], int] = {}
        self._words = SharedWords()
        self._subject_words = SharedWords()

    def add(self, text: str) -> None:
        """Take note of the next entry."""
        number = len(self._texts)
        self._texts.append(text.lower())
        self._restore(text)
        for value, carriers in self._carriers.items():
            if value in self._texts[number]:
                carriers.append(number)
        if deletion_clauses(text):
            self._delete(text, number)
        elif self._subjects and asks_for_past(text) and self._is_described(text):
            self._gone.add(number)
        self._words.add(subject_words(text))

    def unavailable(self) -> frozenset[int]:
        """Return the numbers of the entries that are not to be handed over."""
        return frozenset(self._gone.union(*self._carriers.values()))

    def asks_for_deleted(self, question: str) -> bool:
        """Whether a question names a deleted value, or describes something deleted."""
        lowered = question.lower()
        if any(value in lowered for value in self._carriers):
            return True
        if any(asks_for_object(question, said) for said in self._statements):
            return True
        about = subject_words(question)
        needed = max(_CLOSE, len(about) / ASKED)
        return asks_for_past(question) and any(
            len(about & subject) >= needed for subject in self._subjects
        )

    def _delete(self, text: str, number: int) -> None:
        subject = deleted_words(text)
        self._statements.append(text)
        named = self._uncommon(deleted_values(text))
        if not named and len(subject) >= _CLOSE:
            named = self._described_values(subject, kept_values(text))
        for value in sorted(named):
            if value not in self._carriers:
                self._carriers[value] = self._places_of(value)
        if len(subject) >= _CLOSE and subject not in self._subjects:
            self._subjects[subject] = number
            self._subject_words.add(subject)
        if len(subject) >= _MATCHES:
            shared = self._words.with_any(subject)
            self._gone.update(place for place in shared if _describes(subject, shared[place]))
            self._gone.add(number)

    def _is_described(self, text: str) -> bool:
        """Whether one of the deletions so far describes *text*."""
        subjects = list(self._subjects)
        shared = self._subject_words.with_any(subject_words(text))
        return any(_describes(subjects[place], count) for place, count in shared.items())

    def _places_of(self, value: str) -> list[int]:
        return [place for place, text in enumerate(self._texts) if value in text]

    def _uncommon(self, found: Iterable[str]) -> set[str]:
        """Return codes, and those names that few entries have."""
        limit = max(4.0, COMMON * len(self._texts))
        return {
            value
            for value in found
            if not is_name(value) or (" " in value and len(self._places_of(value)) <= limit)
        }

    def _described_values(self, subject: frozenset[str], kept: frozenset[str]) -> set[str]:
        """Return the codes of the earlier entry that a deletion without values describes best."""
        best, most = -1, len(subject) / 2
        for place, shared in sorted(self._words.with_any(subject).items()):
            if shared >= most and any(not is_name(v) for v in values(self._texts[place])):
                best, most = place, shared
        if best < 0:
            return set()
        codes = {value for value in values(self._texts[best]) if not is_name(value)}
        return {value for value in codes - kept if len(value) > 3}

    def _restore(self, text: str) -> None:
        """Make values available again that a later entry states as holding now."""
        if self._carriers and not asks_for_past(text):
            for value in kept_values(text).intersection(self._carriers):
                del self._carriers[value]


def _describes(subject: frozenset[str], shared: int) -> bool:
    """Whether a deletion describes an entry that has *shared* of its words."""
    return len(subject) >= _MATCHES and shared >= DESCRIBED * len(subject)
