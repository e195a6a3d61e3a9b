"""The shipped families and the generator that made them."""

from __future__ import annotations

from collections import Counter

from shipped_families import pollutions_of, shipped
from tools_play import directories

from pytest_comem.domains.tools.checks import KINDS
from pytest_comem.domains.tools.families.shipping import shipped_files
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.schema import TopologyLabel

NAMES = tuple(one.name for one in directories())


def test_files_are_what_the_generator_makes() -> None:
    """To the last byte, and no family of the domain is there beside them."""
    made = dict(shipped_files())
    for name, raw in made.items():
        assert fixture_path("comembench", *name.split("/")).read_bytes() == raw, name
    assert {name.split("/")[1] for name in made} == set(NAMES)


def test_families_have_the_sizes_and_shapes_that_were_asked_for() -> None:
    """At least ten, of 6 to 19 nodes; every topology label; every type; scopes tell nodes apart."""
    families = [shipped(name).family for name in NAMES]
    assert len(families) >= 10
    assert all(6 <= len(family.nodes) <= 19 for family in families)
    labels = Counter(each.label for family in families for each in family.topology)
    assert set(labels) == set(TopologyLabel)
    assert {node.output_type for family in families for node in family.nodes} == {
        "tabular_artifact",
        "document_artifact",
        "code_artifact",
        "execution_receipt",
        "form_receipt",
        "verification_receipt",
    }
    for family in families:
        assert len({node.entity_scope for node in family.nodes}) == len(family.nodes)


def test_every_server_is_used_and_no_family_needs_many() -> None:
    """Each costs a start in every instance."""
    used = [
        {server for node in shipped(name).family.nodes for server in node.servers} for name in NAMES
    ]
    assert set.union(*used) == {"filesystem", "git", "sqlite", "postgres", "time", "excel"}
    assert all(1 <= len(servers) <= 3 for servers in used)


def test_every_family_has_pairs_and_every_operator_eight() -> None:
    """At least one pair a family; every pair has content that was written for it."""
    pairs = [(name, pollution) for name in NAMES for pollution in pollutions_of(name)]
    assert {name for name, _ in pairs} == set(NAMES)
    struck = Counter(pollution.operator for _, pollution in pairs)
    assert min(struck[operator] for operator in Operator) >= 8
    for name, pollution in pairs:
        written = [one.content for one in shipped(name).plans.decoys]
        assert pollution.artifact.content in written, (name, pollution.operator)


def test_every_kind_of_mutation_is_in_every_family() -> None:
    """Wrong artifact, altered value, missing handoff, nothing done, false report."""
    for name in NAMES:
        oracles = shipped(name).oracles.oracles
        assert {one.kind for oracle in oracles for one in oracle.negatives} == set(KINDS)


def test_results_lie_apart() -> None:
    """No two nodes of a family leave their results at the same place, or at a source's."""
    for name in NAMES:
        family = shipped(name).family
        places = [str(node.task.parameters["place"]) for node in family.nodes]
        assert len(set(places)) == len(places), name
