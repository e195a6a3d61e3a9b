"""What was done to a memory, call by call, and what must hold of what came back.

A journal is data: it is performed on a memory system, performed again to make it shorter, and
written out as code.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final, Protocol, final

import pytest

from pytest_comem.memory.base import UnknownEntryError


class Call(StrEnum):
    """Kinds of steps; most are calls of the memory interface."""

    OPEN = "open"
    REOPEN = "reopen"
    INGEST = "ingest"
    RECALL = "recall"
    RECALL_OF = "recall_of"
    ENTRIES = "entries"
    DELETE = "delete"
    UPDATE = "update"
    DELETE_PRINCIPAL = "delete_principal"
    CLOSE = "close"
    #: Scores of a recall's passages, and ids of the entries they stand on.
    SCORES = "scores"
    SOURCES = "sources"
    #: A recall with an argument the library cannot know.
    UNKNOWN_ARGUMENT = "unknown_argument"
    #: Set what was read last aside, to compare with.
    KEEP = "keep"
    #: Make the embedder or the model fail, or work again.
    FAIL = "fail"
    #: Many instances in as many threads; see ``pytest_comem.contract.threads``.
    THREADS = "threads"

    @property
    def reads(self) -> bool:
        """Whether it only looks at what is there."""
        return self in _READING


_READING: Final = {Call.RECALL, Call.RECALL_OF, Call.ENTRIES, Call.SCORES, Call.SOURCES}


@final
@dataclass(frozen=True, slots=True)
class Step:
    """One step.

    :param call: what is done.
    :param memory: the memory it is done to, by the name it has in printed code.
    :param values: arguments by the names of :class:`pytest_comem.memory.calls.PublicCalls`.
    :param may_raise: an exception is one of the right answers.
    """

    call: Call
    memory: str
    values: Mapping[str, Any] = field(default_factory=dict)
    may_raise: bool = False


class Claim(Protocol):
    """Something that must hold of what was read last."""

    @property
    def source(self) -> str:
        """The claim as a Python expression over ``found`` (and ``before``, ``error``)."""

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """Whether it holds."""


@final
@dataclass(frozen=True, slots=True)
class Has:
    """Some text has this part."""

    part: str

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        return f"any({self.part!r} in text for text in found)"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return any(self.part in text for text in found)


@final
@dataclass(frozen=True, slots=True)
class Lacks:
    """No text has this part."""

    part: str

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        return f"not any({self.part!r} in text for text in found)"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return not any(self.part in text for text in found)


@final
@dataclass(frozen=True, slots=True)
class Times:
    """A text is there word for word, at least so many times."""

    text: str
    count: int = 1

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        if self.count == 1:
            return f"{self.text!r} in found"
        return f"found.count({self.text!r}) >= {self.count}"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return list(found).count(self.text) >= self.count


@final
@dataclass(frozen=True, slots=True)
class AtMost:
    """So many things were found at most; none, with 0."""

    count: int

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        return f"len(found) <= {self.count}" if self.count else "not found"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return len(found) <= self.count


@final
@dataclass(frozen=True, slots=True)
class AsBefore:
    """The same texts as were kept, in any order."""

    source: str = "sorted(found) == sorted(before)"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return sorted(found) == sorted(before)


@final
@dataclass(frozen=True, slots=True)
class BestFirst:
    """Of ``(score, text)`` pairs: scores never rise, and the first has the exact text's score."""

    text: str

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        return (
            "not found or"
            " all(one[0] >= other[0] - 1e-6 for one, other in zip(found, found[1:]))"
            f" and max((score for score, text in found if {self.text!r} in text), default=1e9)"
            " >= found[0][0] - 1e-6"
        )

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        exact = [score for score, text in found if self.text in text]
        falling = all(one[0] >= other[0] - 1e-6 for one, other in pairwise(found))
        return falling and (not found or max(exact, default=1e9) >= found[0][0] - 1e-6)


@final
@dataclass(frozen=True, slots=True)
class NamesOnly:
    """Of ``(ids, text)`` pairs: a text with this part names this entry if it names any."""

    part: str
    entry_id: str

    @property
    def source(self) -> str:
        """See :class:`Claim`."""
        return (
            f"all({self.entry_id!r} in ids for ids, text in found if ids and {self.part!r} in text)"
        )

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`."""
        return all(self.entry_id in ids for ids, text in found if ids and self.part in text)


@final
@dataclass(frozen=True, slots=True)
class NothingRaised:
    """The last step raised nothing."""

    source: str = "error is None"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`; what was raised stands in *found*."""
        return not found


@final
@dataclass(frozen=True, slots=True)
class Raised:
    """The last step raised something."""

    source: str = "error is not None"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`; what was raised stands in *found*."""
        return bool(found)


@final
@dataclass(frozen=True, slots=True)
class RaisedUnknownEntry:
    """The last step raised our own word for an unknown id."""

    source: str = "isinstance(error, UnknownEntryError)"

    def holds(self, found: Sequence[Any], before: Sequence[Any]) -> bool:
        """See :class:`Claim`; what was raised stands in *found*."""
        return any(isinstance(error, UnknownEntryError) for error in found)


#: Claims about an exception instead of about what was read.
ABOUT_ERRORS: Final = (NothingRaised, Raised, RaisedUnknownEntry)


@final
class Broken(Exception):
    """A promise does not hold.

    :param steps: what was done; the claim is about the last of them.
    :param claim: what does not hold.
    :param expected: the same in words.
    :param happened: what happened instead, in words.
    """

    def __init__(
        self, steps: Sequence[Step], claim: Claim, *, expected: str, happened: str
    ) -> None:
        super().__init__(f"{expected}; {happened}")
        self.steps = tuple(steps)
        self.claim = claim
        self.expected = expected
        self.happened = happened

    @property
    def size(self) -> tuple[int, int]:
        """How long it is to read: steps, then characters."""
        return len(self.steps), sum(len(repr(step.values)) for step in self.steps)


class NotApplicable(BaseException):
    """The promise says nothing about this system; not an ``Exception``, to end a search at once.

    :param reason: why, as a sentence without a full stop.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OutOfOrder(BaseException):
    """Something around the library broke; says nothing about the promise."""


#: What may come out of a call and is no answer of the library's; everything else is, as libraries
#: raise any ``BaseException``.
NOT_THE_LIBRARYS: Final = (
    KeyboardInterrupt,
    NotApplicable,
    OutOfOrder,
    pytest.exit.Exception,
    pytest.fail.Exception,
)
