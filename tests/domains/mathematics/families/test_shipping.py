"""The shipped families and the generator that made them."""

from __future__ import annotations

from collections import Counter

from mathematics_play import directories, pollutions
from shipped_families import shipped

from pytest_comem.domains.mathematics.checks import KINDS
from pytest_comem.domains.mathematics.families.shipping import shipped_files
from pytest_comem.domains.mathematics.projects import read_project
from pytest_comem.domains.mathematics.shipped import (
    COMMIT,
    allowed_axioms,
    module_of,
    project_root,
)
from pytest_comem.language.words import words
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
    """At least ten, of 6 to 16 nodes; every topology label; every kind of result."""
    families = [shipped(one.name).family for one in directories()]
    assert len(families) >= 10
    assert all(6 <= len(family.nodes) <= 16 for family in families)
    labels = Counter(each.label for family in families for each in family.topology)
    assert set(labels) == set(TopologyLabel)
    for family in families:
        assert {node.output_type for node in family.nodes} == {
            "statement_record",
            "proof_receipt",
            "axiom_report",
            "proof_bundle",
            "verification_receipt",
        }


def test_no_scope_holds_all_words_of_another() -> None:
    """So that a worker who goes by words takes the right artifact among all of a family's."""
    for directory in directories():
        nodes = shipped(directory.name).family.nodes
        for one in nodes:
            for other in nodes:
                if one is not other and one.output_type == other.output_type:
                    assert not {*words(one.entity_scope)} <= {*words(other.entity_scope)}


def test_every_family_has_pairs_and_every_operator_ten() -> None:
    """Decoys where altered content would not be plausible."""
    pairs = list(pollutions())
    assert {name for name, _ in pairs} == {one.name for one in directories()}
    struck = Counter(pollution.operator for _, pollution in pairs)
    assert min(struck[operator] for operator in Operator) >= 10
    assert all(shipped(one.name).plans.decoys for one in directories())


def test_every_kind_of_mutation_is_in_every_family() -> None:
    """Admitted, failing, changed, forged, with a refused axiom, of another theorem, unhanded."""
    for directory in directories():
        oracles = shipped(directory.name).oracles.oracles
        assert {*KINDS} <= {one.kind for oracle in oracles for one in oracle.negatives}


def test_five_families_are_stated_in_lean_too() -> None:
    """All their theorems, each with a proof that only the evaluator's side knows."""
    project = read_project(project_root(), COMMIT)
    stated = [shipped(one.name) for one in directories()]
    stated = [one for one in stated if allowed_axioms(one.family, "lean") is not None]
    assert len(stated) >= 5
    for one in stated:
        assert module_of(one.family) in project.sources["lean"]
        for node in one.family.nodes:
            if node.output_type == "proof_receipt":
                oracle = one.oracles.of(node.node_id)
                assert isinstance(oracle.gold, dict)
                assert project.statement(str(oracle.gold["theorem"]), "lean")
                assert oracle.secret["lean"]


def test_one_family_allows_an_axiom_and_needs_it() -> None:
    """Functional extensionality; all others allow none."""
    allowed = {one.name: allowed_axioms(shipped(one.name).family, "coq") for one in directories()}
    assert [name for name, axioms in allowed.items() if axioms] == ["math-functions"]
    oracle = shipped("math-functions").oracles.of("check")
    assert isinstance(oracle.gold, dict)
    assert oracle.gold["axioms"] == sorted(allowed["math-functions"] or ())
