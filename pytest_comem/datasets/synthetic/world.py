"""The state of an episode's world at every position; all annotations are derived from it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, final

from pytest_comem.core.entries import Principal
from pytest_comem.datasets.synthetic.setting import Kind, Seat
from pytest_comem.datasets.synthetic.values import Value

#: A position after every other one.
NEVER: Final = 1 << 30


@final
@dataclass(frozen=True, slots=True)
class Person:
    """A seat, filled."""

    seat: Seat
    name: str
    principal: Principal


@final
@dataclass(slots=True)
class Version:
    """One value a fact has had.

    :param value: the value.
    :param said: positions that state it, in order.
    :param replaced: position that states its successor.
    :param deleted: position that deletes it.
    """

    value: Value
    said: list[int] = field(default_factory=list)
    replaced: int = NEVER
    deleted: int = NEVER

    def say(self, position: int) -> None:
        """Note that the turn at *position* states it."""
        self.said.append(position)

    def replace(self, position: int) -> None:
        """Note that the turn at *position* states its successor."""
        self.replaced = position

    def delete(self, position: int) -> None:
        """Note that the turn at *position* deletes it."""
        self.deleted = position

    def current(self, position: int) -> bool:
        """Whether it is what holds after the turn at *position*."""
        return self.known(position) and position < min(self.replaced, self.deleted)

    def known(self, position: int) -> bool:
        """Whether it has been said by then."""
        return bool(self.said) and self.said[0] <= position


@final
@dataclass(slots=True)
class Fact:
    """A kind of fact of one case, with all values it has in turn.

    :param case: ``a`` or ``b``.
    """

    kind: Kind
    case: str
    versions: list[Version]

    def current(self, position: int) -> Version | None:
        """Return the version that holds after *position*, if one does."""
        return next((each for each in self.versions if each.current(position)), None)

    def deleted(self, position: int) -> list[Version]:
        """Return the versions that are deleted by *position*."""
        return [each for each in self.versions if each.deleted <= position]


@final
@dataclass(slots=True)
class World:
    """Who is there, what was said of what, and who has consent when.

    :param length: number of turns so far.
    """

    people: dict[str, Person]
    cases: dict[str, str]
    subjects: dict[str, str]
    facts: list[Fact]
    permitted: int = NEVER
    withdrawn: int = NEVER
    length: int = 0

    def permit(self, position: int) -> None:
        """Note that the turn at *position* gives the delegate consent."""
        self.permitted = position

    def withdraw(self, position: int) -> None:
        """Note that the turn at *position* takes consent back."""
        self.withdrawn = position

    def may_know(self, person: Person, fact: Fact, position: int) -> bool | None:
        """Whether *person* may be told *fact* at *position*; ``None`` where it is arguable."""
        seat, topic = person.seat, fact.kind.topic
        told = (seat.a if fact.case == "a" else seat.b).split()
        if "*" in told or topic in told:
            return True
        if topic in seat.unclear.split():
            return None
        if fact.case == "a" and topic in seat.consent.split():
            if position >= self.withdrawn:
                return False
            return True if position >= self.permitted else None
        return False

    def may_be_told(self, fact: Fact, position: int) -> list[Person]:
        """Return everyone who clearly may be told *fact* at *position*."""
        everyone = self.people.values()
        return [person for person in everyone if self.may_know(person, fact, position)]

    def holds(self, version: Version) -> range:
        """Return the positions after which *version* holds."""
        return range(version.said[0], min(version.replaced, version.deleted, self.length))
