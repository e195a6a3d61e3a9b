"""What happens in an episode: everyone's turns in order, played against the world's state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from enum import Enum, auto
from random import Random
from typing import Final, final

from pytest_comem.core.entries import Entry
from pytest_comem.datasets.synthetic import wording
from pytest_comem.datasets.synthetic.setting import Setting
from pytest_comem.datasets.synthetic.values import Mint, Shape, Value
from pytest_comem.datasets.synthetic.wording import say, small_talk
from pytest_comem.datasets.synthetic.world import Fact, Person, Version, World

#: Turns of an episode; small talk fills up what the plot leaves.
TURNS: Final = (68, 112)
#: Share of questions that call a fact by other words than the turns do.
ALIASED: Final = 0.35
#: One episode in so many has neither timestamps nor kinds, as some released ones.
BARE: Final = 4


class Fate(Enum):
    """What becomes of a fact."""

    KEPT = auto()
    UPDATED = auto()
    ERASED = auto()
    UPDATED_THEN_ERASED = auto()
    OLD_ONE_ERASED = auto()


@final
@dataclass(frozen=True, slots=True)
class Line:
    """A turn to come, and what it does to the world once it has a position."""

    speaker: Person
    text: str
    kind: str = "dialogue"
    effects: tuple[Callable[[int], None], ...] = ()


@final
class Playwright:
    """Plans the beats of one episode on a scale from 0 to 1, then lines them up.

    A beat is a few turns that follow each other; beats of different facts interleave.
    """

    def __init__(self, rng: Random, mint: Mint, setting: Setting, world: World) -> None:
        self._rng = rng
        self._mint = mint
        self._setting = setting
        self._world = world
        self._agent: Final = world.people["agent"]
        self._beats: list[tuple[float, list[Line]]] = []

    def write(self) -> tuple[Entry, ...]:
        """Return the turns; the world knows afterwards what happened where."""
        self._open()
        self._plan_facts()
        self._plan_consent()
        self._plan_noise()
        self._beats.sort(key=lambda beat: beat[0])
        lines = [line for _, beat in self._beats for line in beat]
        for position, line in enumerate(lines):
            for effect in line.effects:
                effect(position)
        self._world.length = len(lines)
        return self._entries(lines)

    def _at(self, start: float, end: float, *lines: Line | None) -> float:
        moment = self._rng.uniform(start, end)
        self._beats.append((moment, [line for line in lines if line is not None]))
        return moment

    def _open(self) -> None:
        text = say(
            self._rng,
            self._setting.opening,
            case_a=self._world.cases["a"],
            case_b=self._world.cases["b"],
        )
        self._at(-1, -1, Line(self._agent, text), self._heard(self._agent))

    def _plan_facts(self) -> None:
        delegated = self._setting.delegate.consent.split()
        kinds = self._setting.kinds
        own = [kind for kind in kinds if kind.topic not in delegated]
        self._rng.shuffle(own)
        for kind, fate in zip(own, self._fates(), strict=True):
            self._live(self._fact("a", kind.noun), fate, (0.0, 0.4))
        # What the delegate may hear has to be there when consent is given.
        for kind, when in zip(
            [kind for kind in kinds if kind.topic in delegated],
            [(0.45, 0.58), (0.82, 0.95)],
            strict=True,
        ):
            self._live(self._fact("a", kind.noun), Fate.UPDATED, (0.0, 0.2), when)
        others = self._rng.sample(kinds, 5)
        for kind, fate in zip(
            others,
            (Fate.UPDATED, Fate.ERASED, Fate.OLD_ONE_ERASED, Fate.KEPT, Fate.KEPT),
            strict=True,
        ):
            self._live(self._fact("b", kind.noun), fate, (0.0, 0.45))

    def _fates(self) -> list[Fate]:
        """Return the fates of the six facts of case *a* that the delegate never hears of."""
        fates = [Fate.ERASED, Fate.UPDATED, Fate.OLD_ONE_ERASED, Fate.KEPT]
        fates.append(self._rng.choice((Fate.ERASED, Fate.UPDATED_THEN_ERASED)))
        fates.append(self._rng.choice((Fate.OLD_ONE_ERASED, Fate.UPDATED)))
        return fates

    def _fact(self, case: str, noun: str) -> Fact:
        kind = next(kind for kind in self._setting.kinds if kind.noun == noun)
        fact = Fact(kind, case, [])
        self._world.facts.append(fact)
        return fact

    def _live(
        self,
        fact: Fact,
        fate: Fate,
        stated: tuple[float, float],
        updated: tuple[float, float] = (0.46, 0.7),
    ) -> None:
        """Plan everything that happens to *fact*."""
        self._state(fact, stated)
        moment = stated[1]
        if fate not in (Fate.KEPT, Fate.ERASED):
            moment = self._state(fact, updated)
        if fate is Fate.OLD_ONE_ERASED:
            self._erase(fact, fact.versions[:1], moment)
        elif fate in (Fate.ERASED, Fate.UPDATED_THEN_ERASED):
            self._erase(fact, fact.versions, moment)

    def _state(self, fact: Fact, when: tuple[float, float]) -> float:
        """Plan that the next value of *fact* is stated, and perhaps written down."""
        before = fact.versions[-1:]
        value = self._mint.value(fact.kind.shape, fact.kind.prefix)
        version = Version(value)
        fact.versions.append(version)
        teller = self._teller(fact)
        lines = wording.CHANGED if before else fact.kind.lines + wording.STATED
        shown = _shown(fact, value)
        told = Line(
            teller,
            say(self._rng, lines, thing=self._call(fact, teller), value=shown),
            effects=(version.say, *(old.replace for old in before)),
        )
        heard = self._heard(teller) if self._rng.random() < 0.3 else None
        if self._rng.random() < 0.5:
            return self._at(*when, told, heard)
        thing = self._call(fact, self._agent)
        text = say(self._rng, wording.NOTED, thing=thing, value=shown)
        return self._at(*when, told, heard, Line(self._agent, text, "note_update", (version.say,)))

    def _erase(self, fact: Fact, versions: list[Version], after: float) -> None:
        """Plan that *versions* of *fact* are deleted, without a word of what they were."""
        old_only = len(versions) < len(fact.versions)
        teller = self._teller(fact)
        lines = wording.ERASED_OLD if old_only else wording.ERASED
        request = Line(
            teller,
            say(self._rng, lines, thing=self._call(fact, teller, earlier=old_only)),
            effects=tuple(version.delete for version in versions),
        )
        thing = self._call(fact, self._agent, earlier=old_only)
        done = Line(self._agent, say(self._rng, wording.GONE, thing=thing), "note_update")
        self._at(max(0.55, after + 0.01), 0.93, request, done if self._rng.random() < 0.7 else None)

    def _plan_consent(self) -> None:
        owner = self._world.people[self._setting.principal]
        delegate = self._world.people[self._setting.delegate.key]
        about_self = self._world.subjects["a"] == owner.seat.key
        case = "me" if about_self else self._world.cases["a"]
        gaps = {"name": delegate.name, "case": case, "topics": self._setting.consented}
        for lines, effect, when in (
            (wording.PERMITTED, self._world.permit, (0.21, 0.4)),
            (wording.WITHDRAWN, self._world.withdraw, (0.6, 0.8)),
        ):
            said = Line(owner, say(self._rng, lines, **gaps), effects=(effect,))
            noted = say(self._rng, wording.RECORDED, name=delegate.name)
            self._at(*when, said, Line(self._agent, noted, "note_update"))

    def _plan_noise(self) -> None:
        missing = self._rng.randint(*TURNS) - sum(len(beat) for _, beat in self._beats)
        remarks = small_talk(self._rng, self._setting.noise)
        while missing > 0:
            said = Line(self._anyone(), remarks.pop())
            answer = self._heard(said.speaker) if self._rng.random() < 0.2 else None
            self._at(0, 1, said, answer)
            missing -= 1 if answer is None else 2

    def _call(self, fact: Fact, speaker: Person, *, earlier: bool = False) -> str:
        return called(self._rng, self._world, fact, speaker, earlier=earlier)

    def _teller(self, fact: Fact) -> Person:
        kind = fact.kind
        return self._world.people[kind.teller_a if fact.case == "a" else kind.teller_b]

    def _anyone(self, but: Person | None = None) -> Person:
        people = self._world.people.values()
        return self._rng.choice([one for one in people if one not in (self._agent, but)])

    def _heard(self, speaker: Person) -> Line:
        """Return a word of thanks from somebody other than *speaker*."""
        return Line(self._anyone(but=speaker), say(self._rng, wording.HEARD))

    def _entries(self, lines: list[Line]) -> tuple[Entry, ...]:
        bare = self._rng.randrange(BARE) == 0
        now = datetime.combine(self._mint.today, time(8, self._rng.randrange(60)))
        entries: list[Entry] = []
        for number, line in enumerate(lines, start=1):
            stamp = now.isoformat(timespec="minutes")
            entries.append(
                Entry(
                    id=f"t{number:03}",
                    text=line.text,
                    speaker=line.speaker.principal,
                    timestamp=None if bare else stamp,
                    kind=None if bare else line.kind,
                )
            )
            pause = self._rng.randint(1, 25) if now.hour < 17 else 15 * 60
            now += timedelta(minutes=pause)
        return tuple(entries)


def called(
    rng: Random,
    world: World,
    fact: Fact,
    speaker: Person,
    *,
    earlier: bool = False,
    asking: bool = False,
) -> str:
    """Return what *speaker* calls *fact*: the noun, and whose it is.

    :param earlier: a value is meant that no longer holds.
    :param asking: the speaker may have other words for it than those who told it.
    """
    noun = fact.kind.alias if asking and rng.random() < ALIASED else fact.kind.noun
    noun = f"previous {noun}" if earlier else noun
    if world.subjects[fact.case] == speaker.seat.key:
        return f"my {noun}"
    case = world.cases[fact.case]
    return rng.choice((f"the {noun} for {case}", f"{case}'s {noun}"))


def _shown(fact: Fact, value: Value) -> str:
    return f'"{value.text}"' if fact.kind.shape is Shape.PHRASE else value.text
