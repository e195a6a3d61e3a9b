"""Synthetic governance data, held against a second reading of its own text."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest
from governance_play import domain_tallies
from synthetic_reader import WITHDRAWAL, Mention, Reading

from pytest_comem.core.entries import Entry
from pytest_comem.datasets.governance import (
    Category,
    Checkpoint,
)
from pytest_comem.datasets.synthetic import generate
from pytest_comem.errors import SettingsError
from pytest_comem.metrics.gatemem import Tally

DOMAINS = ("medical", "office", "education", "household")
SEEDS = (0, 1, 7, 20_260)


@cache
def readings(seed: int) -> list[Reading]:
    """Return a reading of every episode of a seed."""
    data = DATA[seed]
    return [Reading(episode, data.policies[episode.domain]) for episode in data.episodes]


def rows(seed: int, category: Category) -> list[tuple[Reading, Checkpoint, list[Mention]]]:
    """Return the checkpoints of one category, each with the facts its question names."""
    return [
        (reading, checkpoint, reading.mentions(checkpoint.question, checkpoint.requester))
        for reading in readings(seed)
        for checkpoint in reading.episode.checkpoints
        if checkpoint.annotation.category is category
    ]


def revealed(targets: tuple[str, ...], values: list[str]) -> bool:
    """Whether *targets* are exactly these values, besides tails that identify them."""
    whole = {target for target in targets if target in values}
    tails = set(targets) - whole
    return whole == set(values) and all(
        len(tail) >= 4 and tail.isdigit() and any(value.endswith(tail) for value in values)
        for tail in tails
    )


DATA = {seed: generate(3, seed) for seed in SEEDS}
each_seed = pytest.mark.parametrize("seed", SEEDS)


# ------------------------------------------------------------------------- annotations are exact


@each_seed
def test_a_utility_row_asks_for_what_holds_of_somebody_entitled(seed: int) -> None:
    """The required elements are the current values of the facts named, and the asker's to know."""
    for reading, checkpoint, mentions in rows(seed, Category.UTILITY):
        hidden, asker, position = checkpoint.annotation, checkpoint.requester, checkpoint.as_of
        assert mentions, checkpoint
        assert sorted(hidden.include) == sorted(
            reading.current(mention, position) for mention in mentions
        )
        assert all(reading.entitled(asker, mention, position) for mention in mentions), checkpoint
        assert (hidden.expected_action, hidden.attack_type) == ("answer", "")
        assert not hidden.leak_targets + hidden.not_include


@each_seed
def test_an_access_row_protects_exactly_what_the_asker_may_not_know(seed: int) -> None:
    """Of the facts named the entitled part is to be given, the rest is current and protected."""
    for reading, checkpoint, mentions in rows(seed, Category.ACCESS):
        hidden, asker, position = checkpoint.annotation, checkpoint.requester, checkpoint.as_of
        given = [each for each in mentions if reading.entitled(asker, each, position)]
        kept = [each for each in mentions if each not in given]
        assert kept, checkpoint
        assert list(hidden.include) == [reading.current(each, position) for each in given]
        assert revealed(hidden.leak_targets, [reading.current(each, position) for each in kept])
        assert hidden.not_include == hidden.leak_targets
        assert hidden.expected_action == ("answer_redacted" if given else "refuse")
        assert not {entry.speaker for entry in told(reading, hidden.leak_targets)} & {asker}


@each_seed
def test_a_forgetting_row_asks_for_what_was_said_then_deleted_and_never_said_again(
    seed: int,
) -> None:
    """Its targets are the deleted values of the fact named, asked for by somebody entitled."""
    for reading, checkpoint, (mention, *others) in rows(seed, Category.FORGETTING):
        hidden, asker, position = checkpoint.annotation, checkpoint.requester, checkpoint.as_of
        gone = reading.gone(mention, position)
        assert gone, checkpoint
        assert not others
        assert revealed(hidden.leak_targets, gone), checkpoint
        assert mention.previous == (gone != reading.values(mention, position))
        assert reading.entitled(asker, mention, position), checkpoint
        assert hidden.expected_action == "no_memory"
        deleted = min(
            place
            for place, each in reading.deletions
            if (each.noun, each.case) == (mention.noun, mention.case)
        )
        last = max(reading.episode.entries.index(entry) for entry in told(reading, tuple(gone)))
        assert last < deleted <= position


@each_seed
def test_leak_targets_are_precise(seed: int) -> None:
    """A target was said before, and stands in no question and in no required element."""
    for reading in readings(seed):
        included = {e for c in reading.episode.checkpoints for e in c.annotation.include}
        for checkpoint in reading.episode.checkpoints:
            heard = reading.episode.entries[: checkpoint.as_of + 1]
            for target in checkpoint.annotation.leak_targets:
                assert any(target in entry.text for entry in heard)
                assert target.lower() not in checkpoint.question.lower()
                for element in checkpoint.annotation.include:
                    assert target.lower() not in element.lower()
            for element in checkpoint.annotation.include:
                assert any(element in entry.text for entry in heard)
        for element in included:
            assert len({noun for noun, said in reading.stated.items() if element in str(said)}) == 1


@each_seed
def test_consent_counts_from_permission_to_withdrawal(seed: int) -> None:
    """In every episode the same delegate is answered before the withdrawal and refused after it."""
    for episode in DATA[seed].episodes:
        (withdrawal,) = (
            position
            for position, entry in enumerate(episode.entries)
            if WITHDRAWAL.search(entry.text)
        )
        delegate = next(
            fact for fact in episode.relationships if any("_while_" in v for _, v in fact)
        )
        asked = [row for row in episode.checkpoints if delegate.names(row.requester.id)
                 and row.requester.role in ("family_member", "executive_assistant",
                                            "parent_guardian", "household_manager")]  # fmt: skip
        before = {row.annotation.expected_action for row in asked if row.as_of < withdrawal}
        after = {row.annotation.expected_action for row in asked if row.as_of >= withdrawal}
        assert before == {"answer", "answer_redacted", "refuse"}
        assert after == {"refuse"}


def told(reading: Reading, values: tuple[str, ...]) -> list[Entry]:
    """Return the entries that hold one of *values*."""
    return [entry for entry in reading.episode.entries if any(v in entry.text for v in values)]


# ------------------------------------------------------------------------------ form and variety


@each_seed
def test_an_episode_has_the_size_and_order_of_a_real_one(seed: int) -> None:
    """60 to 120 turns, 15 checkpoints or more at many positions, in asking order, ids unique."""
    data = DATA[seed]
    assert Counter(episode.domain for episode in data.episodes) == dict.fromkeys(DOMAINS, 3)
    assert list(data.policies) == list(data.checksums) or len(data.policies) == len(data.checksums)
    ids = [episode.id for episode in data.episodes]
    ids += [checkpoint.id for episode in data.episodes for checkpoint in episode.checkpoints]
    assert len(ids) == len(set(ids))
    for episode in data.episodes:
        assert 60 <= len(episode.entries) <= 120
        assert len({entry.id for entry in episode.entries}) == len(episode.entries)
        positions = [checkpoint.as_of for checkpoint in episode.checkpoints]
        assert positions == sorted(positions)
        assert len(positions) >= 15
        assert len(set(positions)) >= 12
        assert positions[-1] < len(episode.entries)
        stamps = [entry.timestamp for entry in episode.entries if entry.timestamp]
        assert stamps == sorted(stamps)
        assert len(stamps) in (0, len(episode.entries))


@each_seed
def test_one_episode_a_domain_has_every_kind_of_checkpoint(seed: int) -> None:
    """All categories and actions in every episode, at least ten attack types over four domains."""
    episodes = generate(1, seed).episodes
    attacks = {row.annotation.attack_type for each in episodes for row in each.checkpoints} - {""}
    assert len(attacks) >= 10
    for episode in episodes:
        hidden = [checkpoint.annotation for checkpoint in episode.checkpoints]
        assert {each.category for each in hidden} == set(Category)
        assert {each.expected_action for each in hidden} == {
            *("answer", "answer_redacted", "refuse", "no_memory"),
        }
        for each in hidden:
            assert bool(each.attack_type) == (each.category is not Category.UTILITY)


@each_seed
def test_roles_are_those_of_the_policy_and_relationships_name_people(seed: int) -> None:
    """Everybody but the assistant has a role the policy has a line for."""
    for reading in readings(seed):
        for person in reading.people:
            if person.role != "agent":
                assert re.search(rf"^- .*\b{person.role.replace('_', ' ')}\b.*:", reading.policy,
                                 re.MULTILINE), person  # fmt: skip
        for fact in reading.episode.relationships:
            assert any(fact.names(person.id) for person in reading.people) or fact.fields


@each_seed
def test_nothing_in_a_turn_labels_a_memory_operation(seed: int) -> None:
    """Turns are natural language: no braces left over, no operation names, no pattern syntax."""
    for episode in DATA[seed].episodes:
        for entry in episode.entries:
            assert not re.search(r"[{}\[\]|<>_]|\b(?:ADD|UPDATE|DELETE|NOOP)\b", entry.text), entry


# ----------------------------------------------------------------------------------- determinism


def test_the_same_seed_gives_the_same_data() -> None:
    """Two calls agree, and the checksums say what the data is."""
    assert generate(2, 5) == generate(2, 5)
    assert generate(2, 5).checksums != generate(2, 6).checksums


def test_hash_randomization_changes_nothing() -> None:
    """Two processes with different hash seeds make the same data."""
    code = (
        "import hashlib; from pytest_comem.datasets.synthetic import generate; "
        "print(hashlib.sha256(repr(generate(2, 3)).encode()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1


def test_an_episode_does_not_depend_on_how_many_there_are_or_of_which_domains() -> None:
    """The first episodes of a larger set are those of a smaller one."""
    small, large = generate(1, 4, domains=("office",)), generate(3, 4)
    assert small.episodes[0] == next(each for each in large.episodes if each.domain == "office")
    assert list(small.policies) == ["office"]


def test_different_seeds_share_next_to_no_value() -> None:
    """What one seed asks for is not what another one asks for."""
    asked = {
        seed: {
            element
            for episode in data.episodes
            for row in episode.checkpoints
            for element in (*row.annotation.include, *row.annotation.leak_targets)
        }
        for seed, data in DATA.items()
    }
    for seed, values in asked.items():
        for other in SEEDS:
            if other != seed:
                assert len(values & asked[other]) < 0.2 * len(values)


def test_unknown_domains_and_empty_sets_are_refused() -> None:
    """A misspelt domain is answered with the nearest one; no episodes is no data set."""
    with pytest.raises(SettingsError, match="no domain 'medcal'; did you mean medical"):
        generate(1, 0, domains=("medcal",))
    with pytest.raises(SettingsError, match="at least one episode"):
        generate(0, 0)


# ------------------------------------------------------------------------------------ end to end


def play(seed: int, system: str, model: str) -> dict[str, Tally]:
    """Play the data of *seed* and return a tally a domain."""
    return domain_tallies(DATA[seed], system, model)


@pytest.mark.parametrize("model", ["offline", "offline-verbatim"])
@each_seed
def test_the_reference_is_perfect_and_the_extremes_are_extreme(seed: int, model: str) -> None:
    """oracle: U 100, A 0, F 0, MGS 100; none: U 0; full-context exposes all there is."""
    for tally in play(seed, "oracle", model).values():
        assert (tally.U, tally.A, tally.F, tally.MGS) == (100, 0, 0, 100)
    for tally in play(seed, "none", model).values():
        assert tally.U == tally.A_exposed == tally.F_exposed == 0
    for tally in play(seed, "full-context", model).values():
        assert tally.U_exposed == tally.A_exposed == tally.F_exposed == 100


@each_seed
def test_bm25_is_off_both_ends_of_every_scale(seed: int) -> None:
    """With the default reader retrieval is neither useless nor perfect at U, A or F."""
    total = Counter[str]()
    for tally in play(seed, "bm25", "offline").values():
        for name in ("U", "A", "F"):
            total[name] += getattr(tally, name)
    for name in ("U", "A", "F"):
        assert 0 < total[name] / len(DOMAINS) < 100


@each_seed
def test_labels_are_plain_text(seed: int) -> None:
    """What travels between processes holds no enumeration, which pytest-xdist cannot send."""
    for episode in DATA[seed].episodes:
        for checkpoint in episode.checkpoints:
            assert type(checkpoint.annotation.expected_action) is str
            assert type(checkpoint.annotation.attack_type) is str
