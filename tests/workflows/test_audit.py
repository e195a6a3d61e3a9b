"""The graph audit: each thing that can be wrong has its own message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from workflow_play import DATA, NAMES

from pytest_comem.workflows.audit import problems_of
from pytest_comem.workflows.loading import read_family
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.topology import declared_witnesses

CONTRACT = {"semantic_type": "patch_candidate", "entity_scope": "calendar", "version": 2}
REPORT = {"semantic_type": "test_receipt", "entity_scope": "calendar", "version": 1}


def said(change: Callable[[Any], object]) -> list[tuple[str | None, str]]:
    """Return node and text of every problem of a family after a change."""
    document = read_family(DATA / "dates-fix").model_dump(mode="python")
    document = {**document, "nodes": list(document["nodes"]), "edges": list(document["edges"])}
    change(document)
    family = Family.model_validate(document, strict=False)
    return [(one.node, one.text) for one in problems_of(family)]


@pytest.mark.parametrize("name", NAMES)
def test_the_tests_families_are_right(name: str) -> None:
    """They have no problem."""
    assert problems_of(read_family(DATA / name)) == ()


@pytest.mark.parametrize(
    ("change", "node", "text"),
    [
        (
            lambda it: it["nodes"].append(it["nodes"][2]),
            "repro_format",
            "two nodes are called repro_format; ids are unique",
        ),
        (
            lambda it: it["edges"].append(it["edges"][0]),
            None,
            "the dependency edge issue -> repro_parse is there twice",
        ),
        (
            lambda it: it["edges"].append({**it["edges"][0], "source": "isue"}),
            None,
            "edge isue -> repro_parse: no node is called isue; did you mean issue?",
        ),
        (
            lambda it: it["edges"].append(
                {"source": "patch", "target": "locate_parse", "contract": CONTRACT}
            ),
            "locate_parse",
            "dependencies form a cycle: locate_parse -> plan -> patch -> locate_parse; declare the "
            "way back as a revision edge",
        ),
        (
            lambda it: it.update(nodes=it["nodes"][:5]),
            None,
            "5 nodes; a family has 6 to 19",
        ),
        (
            lambda it: it["nodes"].extend(
                {**it["nodes"][0], "node_id": f"more_{n}"} for n in range(11)
            ),
            None,
            "20 nodes; a family has 6 to 19",
        ),
        (
            lambda it: it["nodes"].append({**it["nodes"][0], "node_id": "aside"}),
            "aside",
            "unreachable: no path of dependencies joins it to release, the terminal node",
        ),
        (
            lambda it: it.update(terminal="tests"),
            "tests",
            "the terminal node hands on to release; nothing comes after it",
        ),
        (
            lambda it: it["nodes"][6].update(version=3),
            "tests",
            "edge patch -> tests: the contract wants 2, and patch makes 3",
        ),
        (
            lambda it: it["edges"][14].update(max_revisions=0),
            "patch",
            "edge tests -> patch: a revision edge says how often it may be taken: "
            "max_revisions >= 1",
        ),
        (
            lambda it: it["edges"][0].update(max_revisions=1),
            "repro_parse",
            "edge issue -> repro_parse: only a revision edge has max_revisions",
        ),
        (
            lambda it: it["edges"][14].update(target="release", contract=REPORT),
            "release",
            "revision edge tests -> release goes back to no node that tests depends on",
        ),
        (
            lambda it: it["nodes"][1].update(tools=["run", "run"]),
            "repro_parse",
            "run is named twice",
        ),
        (
            lambda it: it["nodes"][0].update(context=it["nodes"][0]["context"] * 2),
            "issue",
            "two pieces of context are called issue-1; ids are unique in a node",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_each_problem_is_named(
    change: Callable[[Any], object], node: str | None, text: str
) -> None:
    """With the node at fault, and what to do where that is not plain."""
    assert (node, text) in said(change)


def test_an_edge_to_itself_is_one_problem() -> None:
    """Of a revision edge, too, that is all that is said."""

    def loop(it: Any) -> None:
        it["edges"][14].update(source="patch", target="patch", contract=CONTRACT)

    assert said(loop) == [("patch", "edge patch -> patch: a node hands nothing to itself")]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (
            lambda it: it.update(topology=it["topology"][1:]),
            "does not declare chain, which its edges have: (issue, repro_parse, locate_parse, "
            "plan, patch, tests, release)",
        ),
        (
            lambda it: it.update(edges=it["edges"][:-1]),
            "declares bounded_revision_loop by (patch, tests), but its edges have none",
        ),
        (
            lambda it: it["topology"][1].update(nodes=["issue", "patch"]),
            None,
        ),
        (
            lambda it: it["topology"][1].update(nodes=["repro_parse", "locate_parse"]),
            "(repro_parse, locate_parse) does not show split_join; (issue, plan) does",
        ),
    ],
)
def test_topology_is_held_against_the_graph(
    change: Callable[[Any], object], text: str | None
) -> None:
    """Labels that are missing, too many or not shown are named; any right witness will do."""
    assert said(change) == ([] if text is None else [(None, text)])


@pytest.mark.parametrize("name", NAMES)
def test_computed_witnesses_can_be_declared(name: str) -> None:
    """What a family's graph is found to show passes the audit, and is a label each."""
    family = read_family(DATA / name)
    computed = declared_witnesses(family)
    assert problems_of(family.model_copy(update={"topology": computed})) == ()
    assert {one.label for one in computed} == {one.label for one in family.topology}
