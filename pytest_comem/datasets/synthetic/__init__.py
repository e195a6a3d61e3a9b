"""A governance fuzzer: fresh episodes in GateMem's form, as many as wanted, from a seed.

Released data may be in a model's training set, and is finite. Here every name and value is
invented anew, and the annotations are exact because they are read off an explicit state of the
world (:mod:`~pytest_comem.datasets.synthetic.world`): who may know what when, what holds, what is
deleted. Episode *k* of a domain depends on the seed, the domain and *k*, on nothing else.
"""

from __future__ import annotations

from dataclasses import asdict
from random import Random
from typing import Final

from pytest_comem.core.entries import Principal, Relationship
from pytest_comem.core.hashing import stable_hash
from pytest_comem.datasets.gatemem import policy_of
from pytest_comem.datasets.governance import GovernanceData, GovernanceEpisode
from pytest_comem.datasets.synthetic.asking import Examiner
from pytest_comem.datasets.synthetic.education import SETTING as EDUCATION
from pytest_comem.datasets.synthetic.household import SETTING as HOUSEHOLD
from pytest_comem.datasets.synthetic.medical import SETTING as MEDICAL
from pytest_comem.datasets.synthetic.office import SETTING as OFFICE
from pytest_comem.datasets.synthetic.script import Playwright
from pytest_comem.datasets.synthetic.setting import Seat, Setting
from pytest_comem.datasets.synthetic.values import Mint
from pytest_comem.datasets.synthetic.world import Person, World
from pytest_comem.errors import SettingsError
from pytest_comem.suggest import did_you_mean

__all__ = ["generate"]

#: In the paper's order of domains.
_SETTINGS: Final = {setting.domain: setting for setting in (MEDICAL, OFFICE, EDUCATION, HOUSEHOLD)}


def generate(episodes: int, seed: int, *, domains: tuple[str, ...] = ()) -> GovernanceData:
    """Return a data set nobody has seen, the same for the same arguments on every machine.

    :param episodes: episodes a domain, at least one.
    :param seed: any whole number.
    :param domains: only these; all four when empty.
    :raises SettingsError: where a domain is unknown or no episode is asked for.
    """
    if episodes < 1:
        raise SettingsError(f"synthetic data needs at least one episode a domain, not {episodes}.")
    for domain in domains:
        if domain not in _SETTINGS:
            hint = did_you_mean(domain, _SETTINGS)
            raise SettingsError(f"synthetic data has no domain {domain!r}; {hint}")
    wanted = [domain for domain in _SETTINGS if not domains or domain in domains]
    made = {
        domain: [_episode(_SETTINGS[domain], seed, number) for number in range(1, episodes + 1)]
        for domain in wanted
    }
    return GovernanceData(
        revision=f"synthetic-{seed}x{episodes}",
        episodes=tuple(episode for domain in wanted for episode in made[domain]),
        policies={domain: policy_of(domain) for domain in wanted},
        checksums={
            f"{domain}/synthetic": stable_hash([asdict(episode) for episode in made[domain]])
            for domain in wanted
        },
    )


def _episode(setting: Setting, seed: int, number: int) -> GovernanceEpisode:
    rng = Random(f"{seed}/{setting.domain}/{number}")
    mint = Mint(rng)
    world = _cast(setting, mint)
    entries = Playwright(rng, mint, setting, world).write()
    name = f"synthetic_{seed}_{setting.domain}_{number:03}"
    origin = f"synthetic-{seed}/{setting.domain}/{number}"
    return GovernanceEpisode(
        id=name,
        domain=setting.domain,
        entries=entries,
        relationships=_relationships(setting, world),
        checkpoints=Examiner(rng, mint, world).checkpoints(name, origin),
    )


def _cast(setting: Setting, mint: Mint) -> World:
    """Return a world with all seats filled and both cases named, in which nothing has happened."""
    shared = mint.surname()
    subjects = dict(zip("ab", setting.subjects, strict=True))
    people = {
        seat.key: _person(seat, mint, shared if seat.key in setting.subjects else mint.surname())
        for seat in setting.seats
    }
    cases = {
        case: people[subjects[case]].name if subjects[case] else pattern.format(name=shared)
        for case, pattern in zip("ab", setting.case_names, strict=True)
    }
    return World(people, cases, subjects, [])


def _person(seat: Seat, mint: Mint, surname: str) -> Person:
    first = mint.first_name()
    identifier = f"{seat.prefix}_{first}_{surname}".lower()
    return Person(seat, f"{first} {surname}", Principal(identifier, seat.role))


def _relationships(setting: Setting, world: World) -> tuple[Relationship, ...]:
    """Return the relationship facts of all seats, with ids for the gaps."""
    ids = {key: person.principal.id for key, person in world.people.items()}
    for case, name in world.cases.items():
        ids[f"case_{case}"] = name.lower().replace(" ", "_")
    facts: list[Relationship] = []
    for seat in setting.seats:
        for fact in seat.facts:
            kind, *pairs = fact.format(**ids).split()
            fields = tuple((pair.split("=")[0], pair.split("=")[1]) for pair in pairs)
            facts.append(Relationship(kind, fields))
    return tuple(facts)
