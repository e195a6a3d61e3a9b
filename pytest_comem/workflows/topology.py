"""Topology labels, computed from a family's dependency edges and shown by witness nodes.

The paper names the labels; these definitions are ours. All but the last look at dependencies only,
which form a directed acyclic graph.

``chain``
    A path of at least three nodes. Witness: the nodes of such a path in order.
``split_join``
    A node (the split) from which two paths lead to another (the join) that share no node in
    between, each with at least one node in between. Witness: split, join.
``reuse``
    A node whose artifact at least two nodes consume. Witness: the producer, then two or more of
    its consumers.
``overlap``
    Two nodes whose sets of direct producers have a member in common, while each has one that the
    other lacks. Witness: the two nodes, then a common producer.
``bounded_revision_loop``
    A declared revision edge from a node back to one that it depends on, directly or not, with a
    bound of at least one. Witness: the node that works again, then the node that sends it back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Final

from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.schema import Family, TopologyLabel, TopologyWitness

Witness = tuple[str, ...]


def topology(graph: Graph) -> dict[TopologyLabel, Witness]:
    """Return every label that a graph has, each with one witness.

    :param graph: without a cycle of dependencies.
    """
    found = {label: find(graph) for label, find in _FINDERS.items()}
    return {label: witness for label, witness in found.items() if witness is not None}


def is_witness(graph: Graph, label: TopologyLabel, nodes: Sequence[str]) -> bool:
    """Whether *nodes* show, by the definition above, that the graph has a label."""
    known = set(graph.nodes).issuperset(nodes) and len(set(nodes)) == len(nodes)
    return known and _CHECKS[label](graph, tuple(nodes))


def declared_witnesses(family: Family) -> tuple[TopologyWitness, ...]:
    """Return what a family's graph lets it declare, one witness a label."""
    found = topology(Graph.of(family))
    return tuple(TopologyWitness(label=label, nodes=nodes) for label, nodes in found.items())


def topology_problems(family: Family, graph: Graph) -> Iterator[str]:
    """Yield what is wrong with the labels that a family declares: too many, missing, not shown."""
    found = topology(graph)
    for each in family.topology:
        shown = ", ".join(each.nodes)
        if each.label not in found:
            yield f"declares {each.label} by ({shown}), but its edges have none"
        elif not is_witness(graph, each.label, each.nodes):
            right = ", ".join(found[each.label])
            yield f"({shown}) does not show {each.label}; ({right}) does"
    declared = {each.label for each in family.topology}
    for label, nodes in found.items():
        if label not in declared:
            yield f"does not declare {label}, which its edges have: ({', '.join(nodes)})"


def _longest_chain(graph: Graph) -> Witness | None:
    longest: dict[str, Witness] = {}
    for node in reversed(graph.order()):
        onward = max((longest[each] for each in graph.consumers[node]), key=len, default=())
        longest[node] = (node, *onward)
    found = max((longest[node] for node in graph.nodes), key=len, default=())
    return found if len(found) >= 3 else None


def _is_chain(graph: Graph, nodes: Witness) -> bool:
    return len(nodes) >= 3 and all(pair in graph.dependencies for pair in pairwise(nodes))


def _first_split_join(graph: Graph) -> Witness | None:
    pairs = ((split, join) for split in graph.nodes for join in graph.nodes)
    return next((pair for pair in pairs if _is_split_join(graph, pair)), None)


def _is_split_join(graph: Graph, nodes: Witness) -> bool:
    """By Menger's theorem: besides the direct edge, no single node lies on every path."""
    if len(nodes) != 2 or nodes[0] == nodes[1]:
        return False
    split, join = nodes
    direct = (split, join)
    edges = tuple(edge for edge in graph.dependencies if edge != direct)
    rest = Graph(graph.nodes, edges)
    between = rest.after(split) & rest.before(join)
    return bool(between) and all(join in rest.after(split, without=node) for node in between)


def _first_reuse(graph: Graph) -> Witness | None:
    many = ((node, *graph.consumers[node]) for node in graph.nodes)
    return next((nodes for nodes in many if len(nodes) >= 3), None)


def _is_reuse(graph: Graph, nodes: Witness) -> bool:
    return len(nodes) >= 3 and set(nodes[1:]) <= set(graph.consumers[nodes[0]])


def _first_overlap(graph: Graph) -> Witness | None:
    for one, other in combinations(graph.nodes, 2):
        for common in graph.producers[one]:
            if _is_overlap(graph, (one, other, common)):
                return one, other, common
    return None


def _is_overlap(graph: Graph, nodes: Witness) -> bool:
    if len(nodes) != 3:
        return False
    one, other = set(graph.producers[nodes[0]]), set(graph.producers[nodes[1]])
    return nodes[2] in one & other and bool(one - other) and bool(other - one)


def _first_loop(graph: Graph) -> Witness | None:
    pairs = ((again, sender) for sender, again in graph.revisions)
    return next((pair for pair in pairs if _is_loop(graph, pair)), None)


def _is_loop(graph: Graph, nodes: Witness) -> bool:
    if len(nodes) != 2:
        return False
    again, sender = nodes
    return (sender, again) in graph.revisions and sender in graph.after(again)


_FINDERS: Final[Mapping[TopologyLabel, Callable[[Graph], Witness | None]]] = {
    TopologyLabel.CHAIN: _longest_chain,
    TopologyLabel.SPLIT_JOIN: _first_split_join,
    TopologyLabel.REUSE: _first_reuse,
    TopologyLabel.OVERLAP: _first_overlap,
    TopologyLabel.BOUNDED_REVISION_LOOP: _first_loop,
}
_CHECKS: Final[Mapping[TopologyLabel, Callable[[Graph, Witness], bool]]] = {
    TopologyLabel.CHAIN: _is_chain,
    TopologyLabel.SPLIT_JOIN: _is_split_join,
    TopologyLabel.REUSE: _is_reuse,
    TopologyLabel.OVERLAP: _is_overlap,
    TopologyLabel.BOUNDED_REVISION_LOOP: _is_loop,
}
