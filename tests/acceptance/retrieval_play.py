"""Plays of the shipped retrieval families without executor or memory system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from shipped_families import Shipped, directories_of, pollutions_of, view_of

from pytest_comem.domains.retrieval.kit import RetrievalKit
from pytest_comem.executors.domain import Judgement, Shown
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Pollution


def directories() -> tuple[Path, ...]:
    """Return the directories of the domain's shipped families."""
    return directories_of("retrieval-")


def pollutions() -> Iterator[tuple[str, Pollution]]:
    """Yield every planned pollution of the shipped families, with the family's name."""
    for directory in directories():
        for pollution in pollutions_of(directory.name):
            yield directory.name, pollution


def played(
    one: Shipped, *, everything: bool = False, pollution: Pollution | None = None
) -> dict[str, Judgement]:
    """Play a family in order by the offline worker's own outputs; return the verdicts.

    :param everything: recall all that was made so far, in order.
    :param pollution: recalled by its target, last.
    """
    made: dict[str, Artifact] = {}
    verdicts: dict[str, Judgement] = {}
    with RetrievalKit().open(one.family, "w-1") as stand:
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
