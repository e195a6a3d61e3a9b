"""The invented world as facts: who led, built, wrote, paid for and founded what, where and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, final

from pytest_comem.domains.retrieval.corpus.names import Names

#: Everything follows from it; another seed is another corpus, and needs another hash.
SEED: Final = "comembench-retrieval-1"


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """One fact, such as that an expedition (*subject*) was led by a person (*object*)."""

    relation: str
    subject: str
    object: str


@final
@dataclass(frozen=True)
class World:
    """Names by kind, the women among the people, and all facts in the order of their making."""

    names: dict[str, tuple[str, ...]]
    women: frozenset[str]
    facts: tuple[Fact, ...]

    def about(self, relation: str, *, subject: str = "", object: str = "") -> list[Fact]:
        """Return facts of a relation with a given subject, object or both."""
        return [
            fact
            for fact in self.facts
            if fact.relation == relation
            and subject in ("", fact.subject)
            and object in ("", fact.object)
        ]


def make_world(seed: str = SEED) -> World:
    """Return the world of a seed, the same on every machine."""
    rng = Random(seed)
    draw = Names(rng)
    places = draw.places(44)
    people = draw.people(draw.surnames(34), 132)
    houses = draw.houses(places, 18)
    names = {
        "person": tuple(name for name, _ in people),
        "expedition": tuple(draw.expeditions(places, 76)),
        "instrument": tuple(draw.instruments(places, 84)),
        "place": tuple(places),
        "institution": tuple(name for name, _ in houses),
        "book": tuple(draw.books(places, 96)),
    }
    women = frozenset(name for name, hers in people if hers)
    facts = tuple(_facts(rng, names))
    return World(names, women, facts)


def _facts(rng: Random, names: dict[str, tuple[str, ...]]) -> Iterator[Fact]:
    people, places, houses = names["person"], names["place"], names["institution"]
    makers, leaders, authors = people[:36], people[36:72], people[72:110]
    yield from _each(rng, "birthplace", people, places)
    yield from _each(rng, "post", people, houses)
    yield from _each(rng, "founder", houses, people[110:])
    yield from _each(rng, "seat", houses, places)
    yield from _each(rng, "maker", names["instrument"], makers)
    for instrument in names["instrument"]:
        yield Fact("finished", instrument, str(rng.randint(1821, 1869)))
    keepers: dict[str, str] = {}
    for expedition in names["expedition"]:
        yield from _expedition(rng, expedition, names, leaders, keepers)
    for instrument in names["instrument"]:
        yield Fact("keeper", instrument, keepers.get(instrument) or rng.choice(houses))
    yield from _each(rng, "author", names["book"], authors)
    yield from _each(rng, "subject", names["book"], names["expedition"])


def _each(
    rng: Random, relation: str, subjects: Sequence[str], objects: Sequence[str]
) -> Iterator[Fact]:
    for subject in subjects:
        yield Fact(relation, subject, rng.choice(objects))


def _expedition(
    rng: Random,
    name: str,
    names: dict[str, tuple[str, ...]],
    leaders: Sequence[str],
    keepers: dict[str, str],
) -> Iterator[Fact]:
    """Yield an expedition's facts; who paid often keeps the instrument afterwards."""
    sponsor = rng.choice(names["institution"])
    bound, port = rng.sample(names["place"], 2)
    carried = rng.sample(names["instrument"], rng.choice((1, 1, 2)))
    yield Fact("leader", name, rng.choice(leaders))
    yield Fact("sponsor", name, sponsor)
    yield Fact("bound", name, bound)
    yield Fact("port", name, port)
    yield Fact("departed", name, str(rng.randint(1871, 1924)))
    for instrument in carried:
        yield Fact("carried", name, instrument)
        if rng.random() < 0.7:
            keepers.setdefault(instrument, sponsor)
