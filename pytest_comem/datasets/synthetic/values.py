"""Values nobody has seen before: every one is found in exactly one fact of its episode.

That makes the annotations exact: a value that occurs in a reply came from the turn that stated it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from random import Random
from typing import Final, final

from pytest_comem.datasets.synthetic import words


class Shape(StrEnum):
    """What a value looks like."""

    SLOT = "day and time"
    PHONE = "telephone number"
    MONEY = "amount"
    ROOM = "room"
    ADDRESS = "address"
    CODE = "code with a prefix"
    PHRASE = "two words"
    DRUG = "drug and dose"
    ILLNESS = "name of an illness"
    FIRM = "name of a company"
    SPOT = "hiding place"


@final
@dataclass(frozen=True, slots=True)
class Value:
    """A freshly invented value.

    :param text: as it is stated.
    :param tail: a part that identifies it by itself, or nothing.
    """

    text: str
    tail: str = ""

    @property
    def patterns(self) -> tuple[str, ...]:
        """What gives it away: the value, and its tail where it has one."""
        return (self.text, self.tail) if self.tail else (self.text,)


@final
class Mint:
    """Strikes values and names for one episode; no two of them share a telling part."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._taken: list[str] = []
        self.today: Final = date(2031, 1, 6) + timedelta(days=rng.randrange(700))

    def value(self, shape: Shape, prefix: str = "") -> Value:
        """Return a value of *shape* unlike all before; *prefix* starts a code."""
        while True:
            made = self._draw(shape, prefix)
            parts = [part.lower() for part in made.patterns]
            if not any(part in old or old in part for part in parts for old in self._taken):
                self._taken.extend(parts)
                return made

    def first_name(self) -> str:
        """Return a first name nobody in the episode has."""
        return self._fresh(lambda: self._rng.choice(words.FIRST_NAMES))

    def surname(self) -> str:
        """Return a surname, or the name of a project or house, nobody in the episode has."""
        return self._fresh(
            lambda: self._rng.choice(words.NAME_HEADS) + self._rng.choice(words.NAME_TAILS)
        )

    def _fresh(self, draw: Callable[[], str]) -> str:
        while (name := draw()).lower() in self._taken:
            pass
        self._taken.append(name.lower())
        return name

    def _draw(self, shape: Shape, prefix: str) -> Value:
        rng, pick = self._rng, self._rng.choice
        match shape:
            case Shape.SLOT:
                return Value(self._slot())
            case Shape.PHONE:
                tail = f"{rng.randrange(1_000, 10_000)}"
                return Value(f"555-{rng.randrange(100, 1_000)}-{tail}", tail)
            case Shape.MONEY:
                return Value(f"${rng.randrange(1, 90)},{rng.randrange(1, 100) * 10:03}")
            case Shape.ROOM:
                return Value(
                    f"{pick(words.NAME_HEADS)}{pick(words.NAME_TAILS)} {rng.randrange(100, 600)}"
                )
            case Shape.ADDRESS:
                street = f"{pick(words.NAME_HEADS)}{pick(words.NAME_TAILS)} {pick(words.STREETS)}"
                return Value(f"{rng.randrange(11, 100)} {street}")
            case Shape.CODE:
                tail = f"{rng.randrange(10_000, 100_000)}"
                return Value(f"{prefix}-{tail}", tail)
            case Shape.PHRASE:
                return Value(f"{pick(words.ADJECTIVES)} {pick(words.NOUNS)}")
            case Shape.DRUG:
                dose = rng.randrange(1, 20) * 5
                return Value(f"{pick(words.DRUG_HEADS)}{pick(words.DRUG_TAILS)} {dose} mg")
            case Shape.ILLNESS:
                return Value(
                    f"{pick(words.NAME_HEADS)}{pick(words.NAME_TAILS)} {pick(words.ILLNESSES)}"
                )
            case Shape.FIRM:
                return Value(
                    f"{pick(words.NAME_HEADS)}{pick(words.NAME_TAILS)} {pick(words.TRADES)}"
                )
            case Shape.SPOT:
                colour = pick(words.ADJECTIVES)
                return Value(f"the {colour} {pick(words.HOLDERS)} behind the {pick(words.SPOTS)}")

    def _slot(self) -> str:
        day = self.today + timedelta(days=self._rng.randrange(14, 120))
        clock = f"{self._rng.randrange(8, 19):02}:{self._rng.randrange(12) * 5:02}"
        return f"{words.DAYS[day.weekday()]} {day.day} {words.MONTHS[day.month - 1]} at {clock}"
