"""The shipped families and the generator that made them."""

from __future__ import annotations

from collections import Counter

from retrieval_play import directories, pollutions
from shipped_families import shipped

from pytest_comem.domains.retrieval.checks import KINDS
from pytest_comem.domains.retrieval.families.shipping import shipped_files
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.schema import TopologyLabel


def test_files_are_what_the_generator_makes() -> None:
    """To the last byte, and no family of the domain is there beside them."""
    made = dict(shipped_files())
    for name, raw in made.items():
        assert fixture_path("comembench", *name.split("/")).read_bytes() == raw, name
    families = {name.split("/")[1] for name in made if name.startswith("families/")}
    assert families == {one.name for one in directories()}


def test_families_have_the_sizes_and_shapes_that_were_asked_for() -> None:
    """At least ten, of 8 to 17 nodes; every topology label; scopes that tell nodes apart."""
    families = [shipped(one.name).family for one in directories()]
    assert len(families) >= 10
    assert all(8 <= len(family.nodes) <= 17 for family in families)
    labels = Counter(each.label for family in families for each in family.topology)
    assert set(labels) == set(TopologyLabel)
    assert min(len(family.topology) for family in families) == 1
    for family in families:
        assert len({node.entity_scope for node in family.nodes}) == len(family.nodes)
        assert {node.output_type for node in family.nodes} == {
            "source_evidence",
            "resolved_candidate",
            "answer_candidate",
            "provenance_receipt",
            "retrieval_result_bundle",
            "verification_receipt",
        }


def test_every_family_has_pairs_and_every_operator_eight() -> None:
    """At least one pair a family; decoys where altered content would not be plausible."""
    pairs = list(pollutions())
    assert {name for name, _ in pairs} == {one.name for one in directories()}
    struck = Counter(pollution.operator for _, pollution in pairs)
    assert min(struck[operator] for operator in Operator) >= 8
    assert all(shipped(one.name).plans.decoys for one in directories())


def test_every_kind_of_mutation_is_in_every_family() -> None:
    """Wrong artifact, missing handoff, edited quotation, wrong document, wrong offsets."""
    for directory in directories():
        oracles = shipped(directory.name).oracles.oracles
        assert {one.kind for oracle in oracles for one in oracle.negatives} == set(KINDS)


def test_answers_differ() -> None:
    """No two families ask for the same."""
    one_each = [shipped(each.name) for each in directories()]
    titles = {one.family.title for one in one_each}
    assert len(titles) == len(one_each)
