"""The graph audit of a family: what its schema alone cannot say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from pytest_comem.suggest import did_you_mean
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.schema import NODES, Edge, Family
from pytest_comem.workflows.topology import topology_problems


@final
@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a family.

    :param text: what it is, and what to do about it.
    :param field: the field at fault.
    :param node: the node at fault, or ``None`` where it is the family as a whole.
    """

    text: str
    field: str
    node: str | None = None


def problems_of(family: Family) -> tuple[Problem, ...]:
    """Return everything that is wrong with a family's graph, the causes of others first."""
    graph = Graph.of(family)
    found = [*_identities(family), *_edges(family), *_shape(family, graph)]
    if cycle := graph.cycle():
        round_trip = " -> ".join([*cycle, cycle[0]])
        text = f"dependencies form a cycle: {round_trip}; declare the way back as a revision edge"
        return (*found, Problem(text, "edges", cycle[0]))
    found += _ways(family, graph)
    if not found:
        found += (Problem(text, "topology") for text in topology_problems(family, graph))
    return tuple(found)


def _doubled(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def _identities(family: Family) -> Iterator[Problem]:
    for node_id in _doubled(node.node_id for node in family.nodes):
        yield Problem(f"two nodes are called {node_id}; ids are unique", "nodes", node_id)
    for node in family.nodes:
        for context_id in _doubled(item.context_id for item in node.context):
            text = f"two pieces of context are called {context_id}; ids are unique in a node"
            yield Problem(text, "context", node.node_id)
        for field, names in (("tools", node.tools), ("servers", node.servers)):
            for name in _doubled(names):
                yield Problem(f"{name} is named twice", field, node.node_id)


def _edges(family: Family) -> Iterator[Problem]:
    known = {node.node_id for node in family.nodes}
    for edge in family.edges:
        unknown = [end for end in (edge.source, edge.target) if end not in known]
        for end in dict.fromkeys(unknown):
            hint = did_you_mean(end, known) if known else "the family has no nodes."
            side = "source" if end == edge.source else "target"
            yield Problem(f"edge {edge}: no node is called {end}; {hint}", f"edges.{side}", None)
        if not unknown:
            yield from _edge(family, edge)
    for name in _doubled(f"{edge.kind} edge {edge}" for edge in family.edges):
        yield Problem(f"the {name} is there twice", "edges")


def _edge(family: Family, edge: Edge) -> Iterator[Problem]:
    if edge.source == edge.target:
        yield Problem(f"edge {edge}: a node hands nothing to itself", "edges", edge.source)
    source, contract = family.node(edge.source), edge.contract
    asked = {
        "semantic_type": (contract.semantic_type, source.output_type),
        "entity_scope": (contract.entity_scope, source.entity_scope),
        "version": (contract.version, source.version),
    }
    for field, (wanted, made) in asked.items():
        if wanted != made:
            yield Problem(
                f"edge {edge}: the contract wants {wanted!r}, and {edge.source} makes {made!r}",
                f"edges.contract.{field}",
                edge.target,
            )
    if edge.kind == "revision" and not edge.max_revisions:
        text = f"edge {edge}: a revision edge says how often it may be taken: max_revisions >= 1"
        yield Problem(text, "edges.max_revisions", edge.target)
    if edge.kind == "dependency" and edge.max_revisions:
        text = f"edge {edge}: only a revision edge has max_revisions"
        yield Problem(text, "edges.max_revisions", edge.target)


def _shape(family: Family, graph: Graph) -> Iterator[Problem]:
    least, most = NODES
    if not least <= len(graph.nodes) <= most:
        text = f"{len(graph.nodes)} nodes; a family has {least} to {most}"
        yield Problem(text, "nodes")
    if family.terminal not in graph.nodes:
        hint = did_you_mean(family.terminal, graph.nodes) if graph.nodes else "there are no nodes."
        yield Problem(f"the terminal node {family.terminal} is missing; {hint}", "terminal")
    elif consumers := graph.consumers[family.terminal]:
        text = f"the terminal node hands on to {', '.join(consumers)}; nothing comes after it"
        yield Problem(text, "terminal", family.terminal)


def _ways(family: Family, graph: Graph) -> Iterator[Problem]:
    """Yield what is wrong with where paths lead, in a graph without cycles."""
    if family.terminal in graph.nodes:
        reaching = {family.terminal, *graph.before(family.terminal)}
        for node in graph.nodes:
            if node not in reaching:
                text = f"unreachable: no path of dependencies joins it to {family.terminal}"
                yield Problem(f"{text}, the terminal node", "edges", node)
    for sender, again in graph.revisions:
        if sender != again and sender not in graph.after(again):
            text = (
                f"revision edge {sender} -> {again} goes back to no node that {sender} depends on"
            )
            yield Problem(text, "edges", again)
