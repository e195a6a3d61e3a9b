"""ReMem's graph: verbatim turns, their gists and facts, the entities of these, and what links them.

Weights and limits are those GateMem runs ReMem with. Nodes are numbered as they come; every order
here is by weight or score and then by number, so that nothing depends on hashes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, final

from pytest_comem.core.entries import Entry

#: A turn and its gists or facts.
SUPPORTS: Final = 1.0
#: A gist and the facts of its turn.
GROUNDS: Final = 1.0
#: A turn, or a gist that contains the name, and an entity.
MENTIONS: Final = 0.8
#: A fact and its subject or object.
ROLE: Final = 1.0
#: The subject and the object of one fact.
CO_OCCURS: Final = 0.6
#: What comes by way of a fact or an entity counts this much at its turn, a gist's score fully.
BY_FACT: Final = 0.1


class Kind(StrEnum):
    """What a node is."""

    TURN = "turn"
    GIST = "gist"
    FACT = "fact"
    ENTITY = "entity"


@final
@dataclass(frozen=True, slots=True)
class Node:
    """A node; *entry* is the turn's own, for turns only."""

    number: int
    kind: Kind
    text: str
    entry: Entry | None = None

    @property
    def id(self) -> str:
        """A name for prompts."""
        return f"{self.kind}-{self.number}"


@final
@dataclass(frozen=True, slots=True)
class Fact:
    """A statement; *qualifier* says when or under which condition it holds, or is empty."""

    subject: str
    predicate: str
    object: str
    qualifier: str = ""

    @property
    def text(self) -> str:
        """The fact in one line."""
        said = " ".join(filter(None, (self.subject, self.predicate, self.object)))
        return f"{said} [{self.qualifier}]" if self.qualifier else said


@final
class EpisodicGraph:
    """An undirected graph; equal gists, equal facts and equal names are one node each."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self._links: list[dict[int, float]] = []
        self._known: dict[tuple[Kind, str], int] = {}

    def add_turn(self, entry: Entry, gists: Iterable[str], facts: Iterable[Fact]) -> None:
        """Add a turn with what a model took from it."""
        turn = self._add(Node(len(self.nodes), Kind.TURN, entry.text, entry))
        gist_numbers = [self._find(Kind.GIST, gist) for gist in dict.fromkeys(gists)]
        for gist in gist_numbers:
            self.link(turn, gist, SUPPORTS)
        for fact in dict.fromkeys(facts):
            self._add_fact(turn, gist_numbers, fact)

    def link(self, one: int, other: int, weight: float) -> None:
        """Link two nodes; a later link of the same two takes the place of an earlier one."""
        if one != other:
            self._links[one][other] = weight
            self._links[other][one] = weight

    def neighbours(self, number: int, kinds: Sequence[Kind], limit: int) -> list[tuple[int, float]]:
        """Return at most *limit* linked nodes of these kinds, the most strongly linked first."""
        linked = [
            (other, weight)
            for other, weight in self._links[number].items()
            if self.nodes[other].kind in kinds
        ]
        linked.sort(key=lambda link: (-link[1], link[0]))
        return linked[:limit]

    def evidence(self, scores: Mapping[int, float]) -> list[tuple[Node, float]]:
        """Return the turns that scored nodes stand on, each with the mean of what flows to it.

        A turn found itself counts as it is. Ties go to the later turn.

        :param scores: of nodes found, by number.
        """
        flows: dict[int, list[float]] = {}
        for number in sorted(scores):
            for turn, share in self._paths(number):
                flows.setdefault(turn, []).append(scores[number] * share)
        means = {turn: math.fsum(flow) / len(flow) for turn, flow in flows.items()}
        best = sorted(means, key=lambda turn: (-means[turn], -turn))
        return [(self.nodes[turn], means[turn]) for turn in best]

    def _paths(self, number: int) -> list[tuple[int, float]]:
        """Return every path from a node to a turn, with the product of its weights.

        Paths are limited in number as GateMem's are, so that an entity of every other turn does not
        reach them all.
        """
        kind = self.nodes[number].kind
        if kind is Kind.TURN:
            return [(number, 1.0)]
        if kind is Kind.GIST:
            return self.neighbours(number, (Kind.TURN,), 4)
        if kind is Kind.FACT:
            paths = self.neighbours(number, (Kind.TURN,), 4)
            paths += self._paths_by(number, Kind.GIST, 3, 3)
        else:
            paths = []
            for fact, weight in self.neighbours(number, (Kind.FACT,), 3):
                onward = self.neighbours(fact, (Kind.TURN,), 3)
                onward += self._paths_by(fact, Kind.GIST, 2, 2)
                paths += [(turn, weight * share) for turn, share in onward]
        return [(turn, BY_FACT * share) for turn, share in paths]

    def _paths_by(self, number: int, by: Kind, limit: int, turns: int) -> list[tuple[int, float]]:
        return [
            (turn, weight * share)
            for between, weight in self.neighbours(number, (by,), limit)
            for turn, share in self.neighbours(between, (Kind.TURN,), turns)
        ]

    def _add_fact(self, turn: int, gists: Sequence[int], fact: Fact) -> None:
        number = self._find(Kind.FACT, fact.text)
        self.link(turn, number, SUPPORTS)
        for gist in gists:
            self.link(gist, number, GROUNDS)
        entities = []
        for name in filter(None, (fact.subject, fact.object)):
            entity = self._find(Kind.ENTITY, name)
            entities.append(entity)
            self.link(turn, entity, MENTIONS)
            for gist in gists:
                if name.lower() in self.nodes[gist].text.lower():
                    self.link(gist, entity, MENTIONS)
            self.link(number, entity, ROLE)
        if len(entities) == 2:
            self.link(entities[0], entities[1], CO_OCCURS)

    def _find(self, kind: Kind, text: str) -> int:
        """Return the node of this kind and text, made if there is none."""
        key = (kind, text.lower() if kind is Kind.ENTITY else text)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._add(Node(len(self.nodes), kind, text))
        return known

    def _add(self, node: Node) -> int:
        self.nodes.append(node)
        self._links.append({})
        return node.number
