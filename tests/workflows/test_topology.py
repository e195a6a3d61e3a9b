"""Topology labels against their definitions, by brute force over random graphs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.schema import TopologyLabel
from pytest_comem.workflows.topology import is_witness, topology

LETTERS = "abcdef"


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Return a directed acyclic graph of up to six nodes in any order, with revision edges."""
    names = draw(st.permutations(LETTERS[: draw(st.integers(1, 7))]))
    pairs = list(combinations(names, 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    back = [(after, before) for before, after in pairs]
    revisions = draw(st.lists(st.sampled_from(back), unique=True, max_size=2)) if back else []
    return Graph(tuple(draw(st.permutations(names))), tuple(edges), tuple(revisions))


def paths(graph: Graph, start: str) -> Iterator[tuple[str, ...]]:
    """Yield every path from a node, itself alone included."""
    yield (start,)
    for source, target in graph.dependencies:
        if source == start:
            yield from ((start, *rest) for rest in paths(graph, target))


def brute(graph: Graph) -> dict[TopologyLabel, set[tuple[str, ...]]]:
    """Return all witnesses of every label, found by trying everything the definitions speak of."""
    every = [path for node in graph.nodes for path in paths(graph, node)]
    inner = [path for path in every if len(path) >= 3]
    edges = set(graph.dependencies)
    producers = {node: {s for s, t in edges if t == node} for node in graph.nodes}
    return {
        TopologyLabel.CHAIN: set(inner),
        TopologyLabel.SPLIT_JOIN: {
            (one[0], one[-1])
            for one, other in combinations(inner, 2)
            if (one[0], one[-1]) == (other[0], other[-1]) and not set(one[1:-1]) & set(other[1:-1])
        },
        TopologyLabel.REUSE: {
            (node, *some)
            for node in graph.nodes
            for count in range(2, len(graph.nodes))
            for some in permutations(graph.nodes, count)
            if all((node, each) in edges for each in some)
        },
        TopologyLabel.OVERLAP: {
            (one, other, common)
            for one, other in permutations(graph.nodes, 2)
            for common in producers[one] & producers[other]
            if not (producers[one] <= producers[other] or producers[other] <= producers[one])
        },
        TopologyLabel.BOUNDED_REVISION_LOOP: {
            (again, sender)
            for sender, again in graph.revisions
            if any(path[0] == again and path[-1] == sender for path in every)
        },
    }


@settings(deadline=None, max_examples=120)
@given(graphs())
def test_labels_are_those_of_the_definitions(graph: Graph) -> None:
    """A label is found exactly where it has a witness, and what is found is one."""
    known = brute(graph)
    found = topology(graph)
    assert set(found) == {label for label, witnesses in known.items() if witnesses}
    for label, witness in found.items():
        assert witness in known[label]
    if TopologyLabel.CHAIN in found:
        assert len(found[TopologyLabel.CHAIN]) == max(map(len, known[TopologyLabel.CHAIN]))


@settings(deadline=None, max_examples=100)
@given(graphs(), st.data())
def test_witnesses_are_those_of_the_definitions(graph: Graph, data: st.DataObject) -> None:
    """Any list of nodes shows a label exactly where the definition says so."""
    nodes = tuple(data.draw(st.lists(st.sampled_from(graph.nodes), max_size=5)))
    for label, witnesses in brute(graph).items():
        assert is_witness(graph, label, nodes) == (nodes in witnesses)


@settings(deadline=None, max_examples=60)
@given(graphs())
def test_order_puts_producers_first(graph: Graph) -> None:
    """Every node once, after all it depends on; and a graph without a cycle has none."""
    order = graph.order()
    assert sorted(order) == sorted(graph.nodes)
    assert all(order.index(s) < order.index(t) for s, t in graph.dependencies)
    assert graph.cycle() == ()


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("abcde")), unique=True))
def test_a_cycle_is_shown_edge_by_edge(edges: list[tuple[str, str]]) -> None:
    """What is called a cycle is one; where there is none, the nodes can be ordered."""
    graph = Graph(tuple("abcde"), tuple(edges))
    cycle = graph.cycle()
    if cycle:
        assert len(set(cycle)) == len(cycle)
        assert all(pair in edges for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True))
        with pytest.raises(ValueError, match="cycle"):
            graph.order()
    else:
        assert len(graph.order()) == 5


def test_unknown_and_doubled_nodes_show_nothing() -> None:
    """A witness names nodes of the graph, each once."""
    graph = Graph(("a", "b", "c"), (("a", "b"), ("a", "c")))
    assert is_witness(graph, TopologyLabel.REUSE, ("a", "b", "c"))
    assert not is_witness(graph, TopologyLabel.REUSE, ("a", "b", "b"))
    assert not is_witness(graph, TopologyLabel.REUSE, ("a", "b", "x"))
