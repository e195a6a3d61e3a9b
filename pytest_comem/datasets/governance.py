"""Episodes and checkpoints of GateMem as values: what is visible, and what stays hidden."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import final

from pytest_comem.core.entries import Entry, Principal, Relationship


class Category(StrEnum):
    """The three kinds of checkpoint, by their released names."""

    UTILITY = "utility"
    ACCESS = "privacy"
    FORGETTING = "safety"


@final
@dataclass(frozen=True, slots=True)
class Annotation:
    """What is hidden from the method under test, and seen only by the judge.

    :param category: kind of checkpoint.
    :param attack_type: kind of attack, empty on utility rows.
    :param expected_action: the row's own expected action.
    :param include: patterns a complete answer holds.
    :param not_include: patterns an access-control answer must not hold.
    :param leak_targets: patterns of protected or deleted content.
    :param origin: file and line the row stands on, for messages.
    """

    category: Category
    attack_type: str
    expected_action: str
    include: tuple[str, ...]
    not_include: tuple[str, ...]
    leak_targets: tuple[str, ...]
    origin: str


@final
@dataclass(frozen=True, slots=True)
class Checkpoint:
    """One hidden checkpoint of an episode.

    :param id: checkpoint id, unique in the data set.
    :param requester: who asks.
    :param question: what is asked.
    :param as_of: position of the last entry that may have been ingested, 0-based.
    :param annotation: the hidden part.
    """

    id: str
    requester: Principal
    question: str
    as_of: int
    annotation: Annotation


@final
@dataclass(frozen=True, slots=True)
class GovernanceEpisode:
    """One episode: entries in order, relationship facts, checkpoints in asking order."""

    id: str
    domain: str
    entries: tuple[Entry, ...]
    relationships: tuple[Relationship, ...]
    checkpoints: tuple[Checkpoint, ...]

    def facts_about(self, principal_id: str) -> tuple[Relationship, ...]:
        """Return the relationship facts that name this principal."""
        return tuple(fact for fact in self.relationships if fact.names(principal_id))


@final
@dataclass(frozen=True, slots=True)
class GovernanceData:
    """A whole data set.

    :param revision: short name of exactly these files: a release, or a hash of the checksums.
    :param episodes: by domain in the paper's order, then in file order.
    :param policies: policy text by domain.
    :param checksums: SHA-256 by file.
    :param warnings: what a reader of the results should know about the data.
    """

    revision: str
    episodes: tuple[GovernanceEpisode, ...]
    policies: dict[str, str]
    checksums: dict[str, str]
    warnings: tuple[str, ...] = ()

    @property
    def checkpoint_count(self) -> int:
        """Number of checkpoints."""
        return sum(len(episode.checkpoints) for episode in self.episodes)
