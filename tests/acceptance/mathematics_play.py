"""Plays of the shipped families of formal mathematics without executor or memory system."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from shipped_families import Shipped, directories_of, pollutions_of, view_of

from pytest_comem.domains.mathematics.checking import Checker
from pytest_comem.domains.mathematics.kit import MathematicsKit
from pytest_comem.domains.mathematics.projects import read_project
from pytest_comem.domains.mathematics.provers.coq import Coq
from pytest_comem.domains.mathematics.shipped import COMMIT, project_root
from pytest_comem.executors.domain import Judgement, Shown
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Pollution

#: Families that are played in seconds; the others need ten times as long.
QUICK = ("math-accumulated-measures", "math-accumulators", "math-list-reversal", "math-parity")
with warnings.catch_warnings():
    # Without any sandbox proofs are compiled all the same.
    warnings.simplefilter("ignore")
    _MISSING = MathematicsKit().preflight()
needs_coq = pytest.mark.skipif(_MISSING is not None, reason=str(_MISSING))


def directories() -> tuple[Path, ...]:
    """Return the directories of the domain's shipped families."""
    return directories_of("math-")


def pollutions() -> Iterator[tuple[str, Pollution]]:
    """Yield every planned pollution of the shipped families, with the family's name."""
    for directory in directories():
        for pollution in pollutions_of(directory.name):
            yield directory.name, pollution


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
