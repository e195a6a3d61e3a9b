"""What became of a workflow's node, as an outcome."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Usage, Verdict
from pytest_comem.core.replies import Reply
from pytest_comem.core.workflow_measures import TOKEN_MEASURES
from pytest_comem.engine.workflow_data import WorkflowInstance
from pytest_comem.executors.base import NodeResult
from pytest_comem.executors.boundary import content_text
from pytest_comem.workflows.hidden import Pollution

#: Stands in an outcome until there is a result.
UNPLAYED: Final = Failure(Attribution.INFRASTRUCTURE, "harness", "not played")


def labels_of(one: WorkflowInstance, node_id: str) -> dict[str, str]:
    """Return what breakdowns of a node's outcome go by; a flag is ``yes`` or empty.

    ``pair`` joins a twin with its control, and ``required_nodes`` says how many nodes of the
    instance count.
    """
    family, pollution = one.family, one.instance.pollution
    flag = {True: "yes", False: ""}
    return {
        "domain": family.domain.value,
        "topology": one.topology,
        "condition": one.instance.condition,
        "operator": pollution.operator.value if pollution else "",
        "target": flag[pollution is not None and pollution.target == node_id],
        "terminal": flag[node_id == family.terminal],
        "required": flag[family.node(node_id).required],
        "required_nodes": str(sum(node.required for node in family.nodes)),
        "instance": one.instance.instance_id,
        "pair": family.family_id,
    }


def with_result(bare: Outcome, result: NodeResult, pollution: Pollution | None = None) -> Outcome:
    """Return the outcome of a node that was judged.

    :param bare: the same node's without a verdict.
    :param pollution: of its instance.
    """
    # In one order, live and replayed: a cassette gives phases by name.
    usage = dict(sorted(result.usage.items()))
    answer = usage.get("answer", Usage())
    if not answer.calls:
        # Words stand for tokens where no model counted them.
        worked = sum(result.tokens[use] for use in ("execution", "coordination", "recovery"))
        usage["answer"] = replace(answer, tokens=worked)
    return replace(
        bare,
        reply=Reply("artifact", content_text(result.artifact)),
        recall=result.proposed.recall,
        verdict=verdict_of(result, pollution),
        failure=None,
        usage=usage,
    )


def verdict_of(result: NodeResult, pollution: Pollution | None = None) -> Verdict:
    """Return a node's result as a verdict: passed where its last receipt is verified.

    The measure ``handoff_success`` is ``None`` where the node is not eligible; ``inputs_used`` says
    whether every required input, if there is any, was valid, exposed and consumed. Where the
    instance is polluted, ``decoy_exposed`` and ``decoy_consumed`` say whether its one inapplicable
    artifact came into the node's view, and whether its output rests on it.
    """
    verified = result.receipt.verified
    said = result.judgement.reason or ("the output passed" if verified else "the output failed")
    lacking = f" Handoff: {'; '.join(result.lacking)}." if result.lacking else ""
    return Verdict(
        passed=verified,
        reason=f"{'Verified' if verified else 'Rejected'}: {said.rstrip('.')}.{lacking}"
        f"{_about_decoy(result, pollution)}",
        measures={
            "verified": verified,
            "eligible": result.eligible,
            "handoff_success": result.handed if result.eligible else None,
            "inputs_used": not result.lacking,
            "decoy_exposed": pollution and pollution.artifact.artifact_id in result.exposed,
            "decoy_consumed": pollution and pollution.artifact.artifact_id in result.consumed,
            "attempts": float(result.attempts),
            **{name: float(result.tokens.get(use, 0)) for use, name in TOKEN_MEASURES.items()},
        },
        evidence={
            "artifact": result.artifact.artifact_id,
            "receipt": result.receipt.receipt_id,
            "exposed": list(result.exposed),
            "consumed": list(result.consumed),
            "lacking": list(result.lacking),
            "found": result.receipt.evidence.get("found", {}),
            **({"decoy": _named(pollution)} if pollution else {}),
        },
    )


def _named(pollution: Pollution) -> dict[str, str | int]:
    """Return what identifies a twin's inapplicable artifact."""
    artifact = pollution.artifact
    return {
        "operator": pollution.operator.value,
        "target": pollution.target,
        "artifact": artifact.artifact_id,
        "semantic_type": artifact.semantic_type,
        "entity_scope": artifact.entity_scope,
        "version": artifact.version,
        "family": artifact.producer.family_id,
        "node": artifact.producer.node_id,
    }


def _about_decoy(result: NodeResult, pollution: Pollution | None) -> str:
    """Return a sentence on the inapplicable artifact, where the node is its target or used it."""
    if pollution is None:
        return ""
    artifact = pollution.artifact
    used = artifact.artifact_id in result.consumed
    if not used and result.node_id != pollution.target:
        return ""
    exposed = artifact.artifact_id in result.exposed
    became = "used" if used else "exposed and not used" if exposed else "not exposed"
    return (
        f" Decoy ({pollution.operator.value}): {artifact.artifact_id}, the "
        f"{artifact.semantic_type} of {artifact.entity_scope!r}, version {artifact.version}, by "
        f"{artifact.producer.node_id} of {artifact.producer.family_id}, was {became}."
    )
