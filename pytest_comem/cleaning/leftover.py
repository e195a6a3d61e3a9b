"""What every kind of leftover has in common; a new kind is one more finder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, final


class RemovalError(Exception):
    """A leftover could not be removed; the message says why."""


class Leftover(Protocol):
    """Something of a run whose owner is dead."""

    @property
    def name(self) -> str:
        """What it is, for people; may hold any characters."""

    def remove(self) -> None:
        """Remove it; one that is gone meanwhile is no error.

        :raises RemovalError: where it cannot be removed.
        """


@final
@dataclass(frozen=True, slots=True)
class Spared:
    """Something that is left alone.

    :param name: what it is.
    :param why: the reason.
    """

    name: str
    why: str


@final
@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader has to know about the search itself.

    :param text: a line.
    """

    text: str


Found = Leftover | Spared | Note


class Finder(Protocol):
    """Finds the leftovers of one kind."""

    def find(self) -> Iterator[Found]:
        """Yield what is there; what was yielded may be removed before the next is looked for."""
