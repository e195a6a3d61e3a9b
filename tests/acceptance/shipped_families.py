"""Families of the shipped corpus with their hidden sides, and views as a control has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_comem.locations import fixture_path
from pytest_comem.workflows.artifacts import Artifact
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
def directories_of(prefix: str) -> tuple[Path, ...]:
    """Return the directories of a domain's families, whose names all begin alike."""
    return tuple(one for one in family_directories(FAMILIES) if one.name.startswith(prefix))


@cache
def shipped(name: str) -> Shipped:
    """Return a shipped family by its directory's name."""
    directory = FAMILIES / name
    family = load_family(directory)
    oracles = load_oracles(directory, family)
    gold = gold_artifacts(family, oracles)
    return Shipped(family, oracles, load_pollution(directory, family), gold)


def pollutions_of(name: str) -> Iterator[Pollution]:
    """Yield every planned pollution of a shipped family; foreign results are of its domain."""
    one = shipped(name)
    others = directories_of(f"{name.partition('-')[0]}-")
    finished = [each for other in others for each in shipped(other.name).gold.values()]
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
