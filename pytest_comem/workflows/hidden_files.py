"""The hidden side of a family's directory: ``oracles.json`` and ``pollution.json``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pytest_comem.errors import DataError
from pytest_comem.records.strict_json import read_record
from pytest_comem.suggest import did_you_mean
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.hidden import Oracles, PollutionPlans
from pytest_comem.workflows.places import place_of_field
from pytest_comem.workflows.schema import Family

HIDDEN: Final = "hidden"
ORACLES_FILE: Final = "oracles.json"
POLLUTION_FILE: Final = "pollution.json"


def load_oracles(directory: Path, family: Family) -> Oracles:
    """Return the oracles of a family, one a node.

    :raises DataError: where the file is not right, or a node has none or two.
    """
    shown = f"{directory.absolute().name}/{HIDDEN}/{ORACLES_FILE}"
    found = read_record(directory / HIDDEN / ORACLES_FILE, Oracles, shown, place_of_field)
    _check_family(found.family_id, family, shown)
    named = [oracle.node_id for oracle in found.oracles]
    _check_nodes(named, family, shown, "oracles.node_id")
    for node in family.nodes:
        count = named.count(node.node_id)
        if count != 1:
            problem = f"{count} oracles; every node has one"
            place = f"family {family.family_id}, node {node.node_id}"
            raise DataError(f"{place}: {problem}", file=shown, field="oracles")
    return found


def load_pollution(directory: Path, family: Family) -> PollutionPlans:
    """Return the pollution plans of a family.

    :raises DataError: where the file is not right, or names a node that the family lacks.
    """
    shown = f"{directory.absolute().name}/{HIDDEN}/{POLLUTION_FILE}"
    found = read_record(directory / HIDDEN / POLLUTION_FILE, PollutionPlans, shown, place_of_field)
    _check_family(found.family_id, family, shown)
    _check_nodes((plan.target for plan in found.plans), family, shown, "plans.target")
    _check_nodes((decoy.producer for decoy in found.decoys), family, shown, "decoys.producer")
    pairs = [(plan.operator, plan.target) for plan in found.plans]
    for operator, target in pairs:
        if pairs.count((operator, target)) > 1:
            place = f"family {family.family_id}, node {target}"
            raise DataError(f"{place}: {operator} is planned twice", file=shown, field="plans")
    return found


def gold_artifacts(family: Family, oracles: Oracles) -> dict[str, Artifact]:
    """Return the artifact that every node makes in a run without fault, by node."""
    return {
        node.node_id: make_artifact(
            oracles.of(node.node_id).gold,
            semantic_type=node.output_type,
            entity_scope=node.entity_scope,
            version=node.version,
            producer=Producer(family_id=family.family_id, node_id=node.node_id),
        )
        for node in family.nodes
    }


def _check_family(family_id: str, family: Family, shown: str) -> None:
    if family_id != family.family_id:
        problem = f"it is for family {family_id}, and lies beside family {family.family_id}"
        raise DataError(problem, file=shown, field="family_id")


def _check_nodes(named: Iterable[str], family: Family, shown: str, field: str) -> None:
    known = [node.node_id for node in family.nodes]
    for node_id in named:
        if node_id not in known:
            problem = f"no node is called {node_id}; {did_you_mean(node_id, known)}"
            raise DataError(f"family {family.family_id}: {problem}", file=shown, field=field)
