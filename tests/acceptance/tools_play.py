"""Plays of the shipped tool families without executor or memory system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_comem.executors.domain import Judgement, Shown, Stand
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


@dataclass(frozen=True)
class Shipped:
    """A shipped family with its hidden side."""

    family: Family
    oracles: Oracles
    plans: PollutionPlans
    gold: Mapping[str, Artifact]


@cache
def directories() -> tuple[Path, ...]:
    """Return the directories of the shipped families of this domain."""
    return tuple(one for one in family_directories(FAMILIES) if one.name.startswith("tools-"))


@cache
def shipped(name: str) -> Shipped:
    """Return a shipped family by its directory's name."""
    directory = FAMILIES / name
    family = load_family(directory)
    oracles = load_oracles(directory, family)
    gold = gold_artifacts(family, oracles)
    return Shipped(family, oracles, load_pollution(directory, family), gold)


def pollutions(name: str) -> Iterator[Pollution]:
    """Yield every planned pollution of a shipped family."""
    one = shipped(name)
    finished = [each for other in directories() for each in shipped(other.name).gold.values()]
    around = Surroundings(one.family, one.gold, one.plans.decoys, finished)
    for plan in one.plans.plans:
        found = twin(around, plan.operator, plan.target)
        assert isinstance(found, Twins)
        assert found.polluted.pollution is not None
        yield found.polluted.pollution


def view_of(family: Family, node_id: str, made: Mapping[str, Artifact]) -> NodeView:
    """Return a node's view with its declared inputs, all with a receipt."""
    inputs = [made[edge.source] for edge in family.inputs(node_id)]
    return node_view(
        family, node_id, [IncomingArtifact(artifact=one, receipt_id="r-1") for one in inputs]
    )


def played(
    one: Shipped,
    stand: Stand,
    *,
    everything: bool = False,
    pollution: Pollution | None = None,
) -> dict[str, Judgement]:
    """Play a family in order by the offline worker's own outputs; return the verdicts.

    :param stand: fresh.
    :param everything: recall all that was made so far, in order.
    :param pollution: recalled by its target, last, and the last node that is played then.
    """
    made: dict[str, Artifact] = {}
    verdicts: dict[str, Judgement] = {}
    for node_id in Graph.of(one.family).order():
        recalled = [*made.values()] if everything else []
        is_target = pollution is not None and pollution.target == node_id
        if pollution is not None and is_target:
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
        if is_target:
            break
    return verdicts
