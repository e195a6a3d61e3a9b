"""How ReMem finds nodes of its graph: by meaning, by words, and along links."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Final, final

from pytest_comem.core.entries import Entry
from pytest_comem.language.bm25 import BM25Index
from pytest_comem.memory.remem_graph import EpisodicGraph, Fact, Kind, Node

if TYPE_CHECKING:
    from pytest_comem.embedders.base import Embedder

#: Links followed from one node when its surroundings are looked at.
_AROUND: Final = 40
#: Turns and gists looked at around each fact of an entity.
_AROUND_FACT: Final = 4

#: Nodes found, by number, with their scores; best first.
Found = list[tuple[int, float]]


@final
class EpisodicIndex:
    """The graph with a vector and the words of every node.

    Texts are embedded when something is next looked for, all new ones in one batch; nodes, vectors
    and passages have the same numbers.

    :param embedder: gives unit vectors.
    :param synonymy: cosine from which two gists are linked as saying the same, with the cosine as
        weight.
    """

    def __init__(self, embedder: Embedder, synonymy: float) -> None:
        from pytest_comem.memory.vectors import VectorTable

        self.graph = EpisodicGraph()
        self._embedder = embedder
        self._synonymy = synonymy
        self._vectors = VectorTable(embedder.dimensions)
        self._words = BM25Index()
        self._numbers: dict[Kind, list[int]] = {kind: [] for kind in Kind}

    def add_turn(self, entry: Entry, gists: Iterable[str], facts: Iterable[Fact]) -> None:
        """Add a turn with what a model took from it."""
        self.graph.add_turn(entry, gists, facts)

    def semantic(self, text: str, top: int, without: Collection[int] = ()) -> Found:
        """Return the gists, facts and entities nearest to a text, those at a cosine above 0."""
        self._settle()
        (wanted,) = self._embedder.embed([text])
        found: Found = []
        for kind, limit in (
            (Kind.GIST, top),
            (Kind.FACT, top),
            (Kind.ENTITY, max(3, top // 2)),
        ):
            numbers = [number for number in self._numbers[kind] if number not in without]
            found += self._vectors.nearest(wanted, numbers, limit)
        return _best((link for link in found if link[1] > 0), top)

    def lexical(self, text: str, top: int, without: Collection[int] = ()) -> Found:
        """Return the nodes of any kind that share most with a text, by BM25.

        Scores are shares of the best one's, to stand beside cosines.
        """
        self._settle()
        places = {Kind.GIST: top, Kind.FACT: top, Kind.TURN: top // 2, Kind.ENTITY: top // 2}
        ranked = self._words.rank(
            text, len(self.graph.nodes), keep=lambda number: number not in without
        )
        found: Found = []
        for number, score in ranked:
            kind = self.graph.nodes[number].kind
            if score <= 0 or len(found) == top:
                break
            if places[kind]:
                places[kind] -= 1
                found.append((number, score / ranked[0][1]))
        return found

    def around_gist(self, number: int, question: str, top: int) -> Found:
        """Return what is linked to a gist, and to the gists that say the same."""
        self._settle()
        kinds = (Kind.GIST, Kind.FACT, Kind.TURN)
        weights = dict(self.graph.neighbours(number, kinds, _AROUND))
        for synonym, alike in self.graph.neighbours(number, (Kind.GIST,), _AROUND):
            for other, weight in self.graph.neighbours(synonym, kinds, _AROUND):
                weights[other] = max(weights.get(other, 0.0), alike * weight)
        weights.pop(number, None)
        return self._nearest_of(weights, question, top)

    def around_entity(self, number: int, question: str, top: int) -> Found:
        """Return what is linked to an entity, and the turns and gists of its facts."""
        self._settle()
        weights = dict(self.graph.neighbours(number, tuple(Kind), _AROUND))
        for fact, role in self.graph.neighbours(number, (Kind.FACT,), _AROUND):
            onward = self.graph.neighbours(fact, (Kind.TURN, Kind.GIST), _AROUND_FACT)
            for other, weight in onward:
                weights[other] = max(weights.get(other, 0.0), role * weight)
        return self._nearest_of(weights, question, top)

    def node(self, number: int) -> Node:
        """Return a node by its number."""
        return self.graph.nodes[number]

    def _nearest_of(self, weights: Mapping[int, float], question: str, top: int) -> Found:
        """Return nodes with their link's weight or their cosine, whichever is larger.

        Among equal ones the nearer to the question comes first.
        """
        (wanted,) = self._embedder.embed([question])
        cosines = self._vectors.nearest(wanted, sorted(weights), len(weights))
        scored = [(number, max(weights[number], cosine)) for number, cosine in cosines]
        # Sorting keeps the order of equals, which is by cosine.
        return sorted(scored, key=lambda one: -one[1])[:top]

    def _settle(self) -> None:
        start = len(self._words)
        fresh = self.graph.nodes[start:]
        if not fresh:
            return
        vectors = self._embedder.embed([node.text for node in fresh])
        for node, vector in zip(fresh, vectors, strict=True):
            self._words.add(node.text)
            self._vectors.append(vector)
            if node.kind is Kind.GIST:
                earlier = self._numbers[Kind.GIST]
                for other, cosine in self._vectors.nearest(vector, earlier, len(earlier)):
                    if cosine < self._synonymy:
                        break
                    self.graph.link(node.number, other, cosine)
            self._numbers[node.kind].append(node.number)


def _best(found: Iterable[tuple[int, float]], top: int) -> Found:
    return sorted(found, key=lambda one: (-one[1], one[0]))[:top]
