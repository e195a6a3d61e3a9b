"""Isolation pairs: a clean control, its polluted twin, and the proof of their one difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import final

from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.artifacts import Artifact, unmet
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import (
    Instance,
    Operator,
    Pollution,
    clean_instance,
    polluted_instance,
)
from pytest_comem.workflows.pollution import (
    BREAKS,
    Gold,
    Inapplicable,
    Surroundings,
    pollute,
    shown_receipt,
)
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.views import IncomingArtifact, NodeView, node_view, strings_of_view


@final
@dataclass(frozen=True, slots=True)
class Twins:
    """An isolation pair."""

    clean: Instance
    polluted: Instance


def twin(around: Surroundings, operator: Operator, target: str) -> Twins | Inapplicable:
    """Return the isolation pair of an operator and a consumer, or why there is none.

    :raises KeyError: where the family has no such node.
    """
    found = pollute(around, operator, target)
    if isinstance(found, Inapplicable):
        return found
    return Twins(clean_instance(around.family), polluted_instance(around.family, found))


def all_twins(around: Surroundings) -> tuple[tuple[Twins, ...], tuple[Inapplicable, ...]]:
    """Return every pair of a family, by operator and consumer, and where there is none."""
    pairs: list[Twins] = []
    none: list[Inapplicable] = []
    for operator in Operator:
        for node in around.family.nodes:
            found = twin(around, operator, node.node_id)
            if isinstance(found, Inapplicable):
                none.append(found)
            else:
                pairs.append(found)
    return tuple(pairs), tuple(none)


def verify_twin(clean: Instance, polluted: Instance, gold: Gold) -> tuple[str, ...]:
    """Return what keeps two instances from being twins; nothing where they differ as they must.

    Looked at: the family, to the last byte; the additional artifact, which is new, intact and
    breaks the one term its operator is for; and every node's view, where only the target's differs
    and by that artifact alone.
    """
    return tuple(_faults(clean, polluted, gold))


def gold_views(
    family: Family, gold: Gold, pollution: Pollution | None = None
) -> dict[str, NodeView]:
    """Return the view of every node in a run without fault, with pollution shown to its target."""
    return {
        node.node_id: _gold_view(family, gold, pollution, node.node_id) for node in family.nodes
    }


def _gold_view(family: Family, gold: Gold, pollution: Pollution | None, node_id: str) -> NodeView:
    inputs = [gold[edge.source] for edge in family.inputs(node_id)]
    incoming = [_shown(artifact, shown_receipt(artifact)) for artifact in inputs]
    if pollution is not None and pollution.target == node_id:
        incoming.append(_shown(pollution.artifact, pollution.receipt_id))
    return node_view(family, node_id, incoming)


def _shown(artifact: Artifact, receipt_id: str | None) -> IncomingArtifact:
    return IncomingArtifact(artifact=artifact, receipt_id=receipt_id)


def _faults(clean: Instance, polluted: Instance, gold: Gold) -> Iterator[str]:
    if clean.condition != "clean" or clean.pollution is not None:
        yield "the control is not clean"
    pollution = polluted.pollution
    if polluted.condition != "polluted" or pollution is None:
        yield "the twin has no additional artifact"
        return
    if clean.instance_id == polluted.instance_id:
        yield "both have the same id"
    if _family_bytes(clean.family) != _family_bytes(polluted.family):
        yield "the families differ"
        return
    yield from _artifact_faults(polluted.family, pollution, gold)
    yield from _view_faults(polluted.family, pollution, gold)


def _artifact_faults(family: Family, pollution: Pollution, gold: Gold) -> Iterator[str]:
    artifact = pollution.artifact
    if not artifact.intact:
        yield "the additional artifact's hash is not that of its content"
    if artifact.artifact_id in {each.artifact_id for each in gold.values()}:
        yield "the additional artifact is one that the workflow makes anyway"
    for node_id in sorted({pollution.target, *Graph.of(family).after(pollution.target)}):
        if canonical(gold[node_id].content) == canonical(artifact.content):
            yield f"the additional artifact gives away what {node_id} has yet to make"
    slots = [edge for edge in family.inputs(pollution.target) if edge.required]
    verified = pollution.receipt_id is not None
    broken = [unmet(slot, family.family_id, artifact, verified=verified) for slot in slots]
    if any(not terms for terms in broken):
        yield "the additional artifact satisfies a contract of its target, so it is applicable"
    if not any(_breaks_as_meant(pollution.operator, terms) for terms in broken):
        yield f"no input of the target is missed by what {pollution.operator} is for"


def _breaks_as_meant(operator: Operator, terms: Sequence[str]) -> bool:
    allowed = {BREAKS[operator]}
    if operator is Operator.FOREIGN_COMPLETION:
        allowed.add("entity_scope")
    return BREAKS[operator] in terms and set(terms) <= allowed


def _view_faults(family: Family, pollution: Pollution, gold: Gold) -> Iterator[str]:
    before, after = gold_views(family, gold), gold_views(family, gold, pollution)
    for node_id, view in before.items():
        other = after[node_id]
        rest = other.incoming_artifacts
        if node_id == pollution.target:
            rest = tuple(each for each in rest if each.artifact != pollution.artifact)
            if len(other.incoming_artifacts) != len(view.incoming_artifacts) + 1:
                yield f"the view of {node_id} has not exactly one more artifact"
        if other.model_copy(update={"incoming_artifacts": rest}) != view:
            yield f"the view of {node_id} differs in more than the additional artifact"
        named = [op for op in Operator for text in strings_of_view(other) if op.value in text]
        for operator in dict.fromkeys(named):
            yield f"the view of {node_id} names the operator {operator}"


def _family_bytes(family: Family) -> bytes:
    return canonical(family.model_dump(mode="json"))
