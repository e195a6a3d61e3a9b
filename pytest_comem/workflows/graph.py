"""A family's graph: who depends on whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import final

from pytest_comem.workflows.schema import Edge, Family


@final
@dataclass(frozen=True)
class Graph:
    """Nodes and edges by their ids; edges to unknown nodes are left out.

    :param nodes: ids in the file's order, each once.
    :param dependencies: pairs (producer, consumer), each once.
    :param revisions: pairs (node that fails, node that works again).
    """

    nodes: tuple[str, ...]
    dependencies: tuple[tuple[str, str], ...]
    revisions: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(cls, family: Family) -> Graph:
        """Return the graph of a family."""
        nodes = tuple(dict.fromkeys(node.node_id for node in family.nodes))
        return cls(
            nodes,
            _pairs(nodes, (edge for edge in family.edges if edge.kind == "dependency")),
            _pairs(nodes, (edge for edge in family.edges if edge.kind == "revision")),
        )

    @cached_property
    def consumers(self) -> Mapping[str, tuple[str, ...]]:
        """The consumers of every node, in the file's order."""
        return {
            node: tuple(target for source, target in self.dependencies if source == node)
            for node in self.nodes
        }

    @cached_property
    def producers(self) -> Mapping[str, tuple[str, ...]]:
        """The producers that every node depends on directly."""
        return {
            node: tuple(source for source, target in self.dependencies if target == node)
            for node in self.nodes
        }

    def after(self, node: str, *, without: str | None = None) -> frozenset[str]:
        """Return the nodes that depend on *node*, directly or not.

        :param without: a node that paths may not pass through.
        """
        return _reached(self.consumers, node, without)

    def before(self, node: str) -> frozenset[str]:
        """Return the nodes that *node* depends on, directly or not."""
        return _reached(self.producers, node, None)

    def cycle(self) -> tuple[str, ...]:
        """Return the nodes of one cycle of dependencies, from its first node on; or nothing."""
        on_cycles = [node for node in self.nodes if node in self.after(node)]
        if not on_cycles:
            return ()
        start = on_cycles[0]
        came_from: dict[str, str] = {}
        waiting = [start]
        for node in waiting:
            for following in self.consumers[node]:
                if following == start:
                    return tuple(reversed(list(_back(came_from, node))))
                if following not in came_from:
                    came_from[following] = node
                    waiting.append(following)
        raise AssertionError("a node that depends on itself lies on a cycle")

    def order(self) -> tuple[str, ...]:
        """Return the nodes with every producer before its consumers, else in the file's order.

        :raises ValueError: where dependencies form a cycle.
        """
        done: dict[str, None] = {}
        while len(done) < len(self.nodes):
            ready = next((node for node in self.nodes if self._ready(node, done)), None)
            if ready is None:
                raise ValueError(f"dependencies form a cycle: {' -> '.join(self.cycle())}")
            done[ready] = None
        return tuple(done)

    def _ready(self, node: str, done: Mapping[str, None]) -> bool:
        return node not in done and all(each in done for each in self.producers[node])


def _pairs(nodes: tuple[str, ...], edges: Iterable[Edge]) -> tuple[tuple[str, str], ...]:
    known = set(nodes)
    pairs = ((edge.source, edge.target) for edge in edges)
    return tuple(dict.fromkeys(pair for pair in pairs if known.issuperset(pair)))


def _reached(
    following: Mapping[str, tuple[str, ...]], start: str, without: str | None
) -> frozenset[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for node in following[waiting.pop()]:
            if node != without and node not in found:
                found.add(node)
                waiting.append(node)
    return frozenset(found)


def _back(came_from: Mapping[str, str], node: str) -> Iterable[str]:
    yield node
    while node in came_from:
        node = came_from[node]
        yield node
