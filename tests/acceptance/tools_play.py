"""Plays of the shipped tool families without executor or memory system."""

from __future__ import annotations

from pathlib import Path

from shipped_families import Shipped, directories_of, view_of

from pytest_comem.executors.domain import Judgement, Shown, Stand
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Pollution


def directories() -> tuple[Path, ...]:
    """Return the directories of the domain's shipped families."""
    return directories_of("tools-")


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
