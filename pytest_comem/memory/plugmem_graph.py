"""PlugMem's graph: facts under tags and procedures under subgoals, over the turns they stand on.

Semantic nodes (facts), procedural nodes (procedures) and episodic nodes (turns); tags and subgoals
are nodes too, and nearly equal ones are one. Everything is numbered as it comes, and every order is
by value and then by number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, final

from pytest_comem.memory.vectors import VectorTable

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder

#: Cosine from which a new tag, or a new subgoal, is one that is there already.
TAG_EQUAL: Final = 0.9
SUBGOAL_EQUAL: Final = 0.8
#: Cosine from which a question's tag, or its subgoal, finds one that is there.
TAG_RELEVANT: Final = 0.8
SUBGOAL_RELEVANT: Final = 0.1
#: What a vote is worth: by a tag of exactly the question's words, by one like it, by nearness.
EXACT_TAG: Final = 5.0
LIKE_TAG: Final = 1.0
NEAREST: Final = 2.0

#: Nodes found, by number, with their values; best first.
Found = list[tuple[int, float]]


@final
@dataclass(slots=True)
class Fact:
    """A semantic node.

    :param turns: numbers of the turns it stands on.
    :param tags: numbers of its tags.
    :param is_active: not replaced by a merge.
    :param is_merged: looked at by a merge that took place.
    """

    text: str
    turns: tuple[int, ...]
    tags: tuple[int, ...]
    is_active: bool = True
    is_merged: bool = False


@final
@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedural node; *turns* are the numbers of the turns it stands on."""

    text: str
    turns: tuple[int, ...]


@final
@dataclass(slots=True)
class _Group:
    """A tag with its facts, or a subgoal with its procedures."""

    name: str
    members: list[int] = field(default_factory=list)


@final
class _Groups:
    """Tags or subgoals: found by their exact words, else by cosine."""

    def __init__(self, embedder: Embedder, equal: float) -> None:
        self._embedder = embedder
        self._equal = equal
        self._vectors = VectorTable(embedder.dimensions)
        self._by_name: dict[str, int] = {}
        self.groups: list[_Group] = []

    def add(self, name: str, member: int) -> int:
        """Put a member under a name, and return the group's number."""
        number = self.find(name, self._equal)
        if number is None:
            number = len(self.groups)
            self.groups.append(_Group(name))
            self._by_name[name.lower()] = number
            (vector,) = self._embedder.embed([name])
            self._vectors.append(vector)
        if member not in self.groups[number].members:
            self.groups[number].members.append(member)
        return number

    def find(self, name: str, near: float) -> int | None:
        """Return the group of this name, or the nearest one where its cosine is *near* or more."""
        known = self._by_name.get(name.lower())
        if known is not None:
            return known
        (wanted,) = self._embedder.embed([name])
        for number, cosine in self._vectors.nearest(wanted, range(len(self.groups)), 1):
            return number if cosine >= near else None
        return None


@final
class KnowledgeGraph:
    """Facts and procedures, and how they are found.

    :param embedder: gives unit vectors.
    :param importance: weight of votes in a fact's value; nearness weighs 1.
    """

    def __init__(self, embedder: Embedder, importance: float) -> None:
        self.facts: list[Fact] = []
        self.procedures: list[Procedure] = []
        self._embedder = embedder
        self._importance = importance
        self._fact_vectors = VectorTable(embedder.dimensions)
        self._procedure_vectors = VectorTable(embedder.dimensions)
        self._tags = _Groups(embedder, TAG_EQUAL)
        self._subgoals = _Groups(embedder, SUBGOAL_EQUAL)

    def add_fact(self, text: str, turns: tuple[int, ...], tags: Sequence[str]) -> None:
        """Add a fact under its tags."""
        number = len(self.facts)
        own = dict.fromkeys(self._tags.add(tag, number) for tag in tags)
        self.facts.append(Fact(text, turns, tuple(own)))
        self._fact_vectors.append(self._embed(text))

    def add_procedure(self, text: str, turns: tuple[int, ...], subgoal: str) -> None:
        """Add a procedure under the goal it serves."""
        self._subgoals.add(subgoal, len(self.procedures))
        self.procedures.append(Procedure(text, turns))
        self._procedure_vectors.append(self._embed(text))

    def tag_names(self, fact: Fact) -> list[str]:
        """Return a fact's tags in words."""
        return [self._tags.groups[tag].name for tag in fact.tags]

    def find_facts(self, question: str, tags: Sequence[str], nearest: int) -> Found:
        """Return the active facts nearest to a question and those its tags vote for, by value.

        A fact's value is its cosine plus the weight of importance times its votes by its tags.

        :param nearest: how many facts come in by nearness.
        """
        active = [number for number, fact in enumerate(self.facts) if fact.is_active]
        wanted = self._embed(question)
        votes: dict[int, float] = {}
        for tag in tags:
            group = self._tags.find(tag, TAG_RELEVANT)
            if group is None:
                continue
            is_exact = self._tags.groups[group].name.lower() == tag.lower()
            for number in self._tags.groups[group].members:
                if self.facts[number].is_active:
                    weight = EXACT_TAG if is_exact else LIKE_TAG
                    votes[number] = votes.get(number, 0.0) + weight
        for number, _ in self._fact_vectors.nearest(wanted, active, nearest):
            votes[number] = votes.get(number, 0.0) + NEAREST
        cosines = self._fact_vectors.nearest(wanted, sorted(votes), len(votes))
        found = [
            (number, cosine + self._importance * votes[number] / self._tag_count(number))
            for number, cosine in cosines
        ]
        return sorted(found, key=lambda one: (-one[1], one[0]))

    def nearest_facts(self, question: str, count: int) -> Found:
        """Return the active facts nearest to a question."""
        active = [number for number, fact in enumerate(self.facts) if fact.is_active]
        return self._fact_vectors.nearest(self._embed(question), active, count)

    def find_procedures(self, subgoal: str) -> Found:
        """Return the procedures of the goal nearest to *subgoal*, the nearest to it first."""
        group = self._subgoals.find(subgoal, SUBGOAL_RELEVANT)
        if group is None:
            return []
        members = self._subgoals.groups[group].members
        return self._procedure_vectors.nearest(self._embed(subgoal), members, len(members))

    def pairs_to_merge(self, alike: float) -> list[tuple[int, int]]:
        """Return pairs of active facts, earlier and later, that a model should look at.

        Each fact that no merge has touched is paired with the nearest later one that shares a tag
        with it and no turn, where their cosine is *alike* or more. No fact is in two pairs.
        """
        pairs = []
        taken: set[int] = set()
        for number, fact in enumerate(self.facts):
            if not self._is_open(number) or number in taken:
                continue
            later = {
                other
                for tag in fact.tags
                for other in self._tags.groups[tag].members
                if other > number and other not in taken and self._is_open(other)
            }
            others = sorted(
                other for other in later if not set(self.facts[other].turns) & set(fact.turns)
            )
            nearest = self._fact_vectors.nearest(self._embed(fact.text), others, 1)
            for other, cosine in nearest:
                if cosine >= alike:
                    pairs.append((number, other))
                    taken |= {number, other}
        return pairs

    def merge(
        self, earlier: int, later: int, text: str, *, drop_earlier: bool, drop_later: bool
    ) -> None:
        """Add a fact in place of two, with the turns and tags of both."""
        one, other = self.facts[earlier], self.facts[later]
        turns = tuple(sorted({*one.turns, *other.turns}))
        tags = dict.fromkeys([*self.tag_names(one), *self.tag_names(other)])
        self.add_fact(text, turns, list(tags))
        one.is_merged = other.is_merged = True
        one.is_active = not drop_earlier
        other.is_active = not drop_later

    def _is_open(self, number: int) -> bool:
        return self.facts[number].is_active and not self.facts[number].is_merged

    def _tag_count(self, number: int) -> int:
        return max(1, len(self.facts[number].tags))

    def _embed(self, text: str) -> list[float]:
        (vector,) = self._embedder.embed([text])
        return vector
