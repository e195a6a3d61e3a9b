"""The shipped families and the generator that made them."""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from code_play import built, needs_grader, written

from pytest_comem.domains.code.checks import KINDS
from pytest_comem.domains.code.contents import FIELDS
from pytest_comem.domains.code.families.blueprint import Step, parsed
from pytest_comem.domains.code.families.blueprints import BLUEPRINTS
from pytest_comem.domains.code.families.shipping import shipped_files
from pytest_comem.domains.code.instances import load_instances
from pytest_comem.engine.workflow_data import load_workflows
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden import Operator, Oracles, PollutionPlans
from pytest_comem.workflows.hidden_files import load_oracles, load_pollution
from pytest_comem.workflows.loading import family_directories, load_family
from pytest_comem.workflows.schema import Family, TopologyLabel

FAMILIES = fixture_path("comembench", "families")


@cache
def directories() -> tuple[Path, ...]:
    """Return the directories of the shipped code families."""
    return tuple(one for one in family_directories(FAMILIES) if one.name.startswith("code-"))


@cache
def families() -> tuple[Family, ...]:
    """Return the families."""
    return tuple(load_family(one) for one in directories())


def hidden() -> list[tuple[Oracles, PollutionPlans]]:
    """Return their hidden sides."""
    both = zip(directories(), families(), strict=True)
    return [(load_oracles(place, one), load_pollution(place, one)) for place, one in both]


def compare(slugs: tuple[str, ...]) -> set[str]:
    """Compare what the generator makes with what is there, and return the families' names."""
    made = dict(shipped_files(slugs))
    for name, raw in made.items():
        assert fixture_path("comembench", *name.split("/")).read_bytes() == raw, name
    return {name.split("/")[1] for name in made}


@needs_grader
def test_a_familys_files_are_what_the_generator_makes() -> None:
    """To the last byte."""
    assert compare(("shortened-cells",)) == {"code-shortened-cells"}


@pytest.mark.slow
@needs_grader
@pytest.mark.skipif(
    os.environ.get("COMEM_SLOW") != "1", reason="runs code for a minute; set COMEM_SLOW=1"
)
def test_all_files_are_what_the_generator_makes() -> None:
    """And no family of the domain is there beside them."""
    assert compare(()) == {one.name for one in directories()}


def test_there_is_a_family_a_blueprint() -> None:
    """Each about an instance of its own, of at least three repositories."""
    assert {f"code-{one.slug}" for one in BLUEPRINTS} == {one.name for one in directories()}
    known = load_instances()
    about = [one.execution.environment["issue"] for one in families()]
    assert len(set(about)) == len(about) >= 10
    assert len({known[str(issue)].repo for issue in about}) >= 3


def test_families_have_the_sizes_and_shapes_that_were_asked_for() -> None:
    """Six to sixteen nodes; every topology label; every type; scopes that tell nodes apart."""
    assert all(6 <= len(family.nodes) <= 16 for family in families())
    labels = Counter(each.label for family in families() for each in family.topology)
    assert set(labels) == set(TopologyLabel)
    assert len({len(family.nodes) for family in families()}) >= 4
    made = {node.output_type for family in families() for node in family.nodes}
    assert made == set(FIELDS)
    for family in families():
        assert len({node.entity_scope for node in family.nodes}) == len(family.nodes)


def test_every_family_has_pairs_and_every_operator_is_there() -> None:
    """At least one pair a family, with decoys; at least two an operator."""
    struck = Counter(plan.operator for _, plans in hidden() for plan in plans.plans)
    assert all(plans.plans and plans.decoys for _, plans in hidden())
    assert min(struck[operator] for operator in Operator) >= 2
    clean = [one for one in load_workflows(FAMILIES).instances if one.instance.pollution is None]
    assert {one.family_id for one in families()} <= {one.family.family_id for one in clean}


def test_every_kind_of_mutation_is_in_every_family() -> None:
    """Of patches, receipts, versions, commits, handoffs and whole artifacts."""
    for oracles, _ in hidden():
        assert {one.kind for oracle in oracles.oracles for one in oracle.negatives} == set(KINDS)


def test_the_issue_is_told_to_whoever_reads_it() -> None:
    """To no other node; nobody is told the fix."""
    known = load_instances()
    for family in families():
        one = known[str(family.execution.environment["issue"])]
        for node in family.nodes:
            told = [each.text for each in node.context]
            reads = node.output_type == "issue_requirements"
            assert told == ([one.problem_statement] if reads else [])
            assert one.patch not in node.task.instruction


def test_blueprints_are_read_from_lines() -> None:
    """A method or a scope comes before the inputs."""
    assert parsed("a: analyse\nb: localize words a\nc: plan a b") == (
        Step("a", "analyse"),
        Step("b", "localize", "words", ("a",)),
        Step("c", "plan", "", ("a", "b")),
    )


@needs_grader
def test_files_of_a_family_can_be_read_back(tmp_path: Path) -> None:
    """As what was built."""
    directory = written(tmp_path)
    family = load_family(directory)
    assert family == built().family
    assert load_oracles(directory, family) == built().oracles
    assert load_pollution(directory, family) == built().plans
