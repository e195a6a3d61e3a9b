"""Plays of the shipped families of formal mathematics without executor or memory system."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.kit import MathematicsKit
from pytest_comem.domains.mathematics.projects import read_project
from pytest_comem.domains.mathematics.provers.coq import Coq
from pytest_comem.domains.mathematics.shipped import COMMIT, project_root
from pytest_comem.executors.domain import Judgement, Shown
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Oracles, Pollution, PollutionPlans
from pytest_comem.workflows.hidden_files import gold_artifacts, load_oracles, load_pollution
from pytest_comem.workflows.loading import family_directories, load_family
from pytest_comem.workflows.pollution import Surroundings
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.twins import Twins, twin
from pytest_comem.workflows.views import IncomingArtifact, NodeView, node_view

FAMILIES = fixture_path("comembench", "families")
#: Families that are played in seconds; the others need ten times as long.
QUICK = ("math-accumulated-measures", "math-accumulators", "math-list-reversal", "math-parity")
with warnings.catch_warnings():
    # Without any sandbox proofs are compiled all the same.
    warnings.simplefilter("ignore")
    _MISSING = MathematicsKit().preflight()
needs_coq = pytest.mark.skipif(_MISSING is not None, reason=str(_MISSING))


@dataclass(frozen=True)
class Shipped:
    """A shipped family with its hidden side."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans
    gold: Mapping[str, Artifact]


@cache
def directories() -> tuple[Path, ...]:
    """Return the directories of the shipped families of the domain."""
    return tuple(one for one in family_directories(FAMILIES) if one.name.startswith("math-"))


@cache
def shipped(name: str) -> Shipped:
    """Return a shipped family by its directory's name."""
    directory = FAMILIES / name
    family = load_family(directory)
    oracles = load_oracles(directory, family)
    gold = gold_artifacts(family, oracles)
    return Shipped(family, oracles, load_pollution(directory, family), gold)


def pollutions() -> Iterator[tuple[str, Pollution]]:
    """Yield every planned pollution of the shipped families, with the family's name."""
    finished = [one for each in directories() for one in shipped(each.name).gold.values()]
    for directory in directories():
        one = shipped(directory.name)
        around = Surroundings(one.family, one.gold, one.plans.decoys, finished)
        for plan in one.plans.plans:
            found = twin(around, plan.operator, plan.target)
            assert isinstance(found, Twins)
            assert found.polluted.pollution is not None
            yield directory.name, found.polluted.pollution


def view_of(family: Family, node_id: str, made: Mapping[str, Artifact]) -> NodeView:
    """Return a node's view with its declared inputs, all with a receipt."""
    inputs = [made[edge.source] for edge in family.inputs(node_id)]
    return node_view(
        family, node_id, [IncomingArtifact(artifact=one, receipt_id="r-1") for one in inputs]
    )


@cache
def coq_checker(module: str = "Lists") -> Checker:
    """Return a checker over a module of the shipped project."""
    return Checker(read_project(project_root(), COMMIT), Coq(), module)


def played(
    one: Shipped, *, everything: bool = False, pollution: Pollution | None = None
) -> dict[str, Judgement]:
    """Play a family in order by the offline worker's own outputs; return the verdicts.

    :param everything: recall all that was made so far, in order.
    :param pollution: recalled by its target, last.
    """
    made: dict[str, Artifact] = {}
    verdicts: dict[str, Judgement] = {}
    with MathematicsKit().open(one.family, "w-1") as stand:
        for node_id in Graph.of(one.family).order():
            recalled = [*made.values()] if everything else []
            if pollution is not None and pollution.target == node_id:
                recalled.append(pollution.artifact)
            node = one.family.node(node_id)
            work = stand.work(Shown(view_of(one.family, node_id, made), tuple(recalled)))
            made[node_id] = make_artifact(
                work.content,
                semantic_type=node.output_type,
                entity_scope=node.entity_scope,
                version=node.version,
                producer=Producer(family_id=one.family.family_id, node_id=node_id),
            )
            shown = {each.artifact_id: each for each in [*made.values(), *recalled]}
            consumed = [shown[artifact_id] for artifact_id in work.consumed]
            oracle = one.oracles.of(node_id)
            verdicts[node_id] = stand.evaluate(node, oracle, made[node_id], consumed)
    return verdicts
