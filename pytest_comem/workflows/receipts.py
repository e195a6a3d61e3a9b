"""Receipts: an evaluator's signed verdict on one node's output.

A receipt binds the verdict to run, instance, node, attempt and artifact. Its id leaves run and
instance out, so that workers of both twins read the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, final

from pydantic import JsonValue

from pytest_comem.core.hashing import stable_hash
from pytest_comem.records.base import Digest, Id, Name, Record
from pytest_comem.records.canonical import storable
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.schema import Evaluator, Version
from pytest_comem.workflows.signing import Signer

Verdict = Literal["verified", "rejected"]


@final
class Receipt(Record):
    """The verdict on one artifact.

    :param attempt: of the node, from 1; revisions count on.
    :param evidence: what the evaluator saw, for people and for a later check.
    :param signature: HMAC-SHA256 of everything else by the run's key.
    """

    receipt_id: Id
    run_id: Name
    instance_id: Id
    node_id: Id
    attempt: Version
    artifact_id: Id
    artifact_hash: Digest
    artifact_version: Version
    artifact_type: Id
    entity_scope: Name
    evaluator: Evaluator
    verdict: Verdict
    evidence: dict[str, JsonValue]
    signature: Digest

    @property
    def verified(self) -> bool:
        """Whether the output passed."""
        return self.verdict == "verified"


def issue(
    signer: Signer,
    artifact: Artifact,
    verdict: Verdict,
    *,
    run_id: str,
    instance_id: str,
    attempt: int,
    evaluator: Evaluator,
    evidence: Mapping[str, Any],
) -> Receipt:
    """Return the signed receipt of an artifact, for the node that made it.

    :raises ValueError: where *evidence* is no JSON that a file can hold.
    """
    bound = {
        "run_id": run_id,
        "instance_id": instance_id,
        "node_id": artifact.producer.node_id,
        "attempt": attempt,
        "artifact_id": artifact.artifact_id,
        "artifact_hash": artifact.content_hash,
        "artifact_version": artifact.version,
        "artifact_type": artifact.semantic_type,
        "entity_scope": artifact.entity_scope,
        "evaluator": evaluator.model_dump(mode="json"),
        "verdict": verdict,
        "evidence": storable(dict(evidence)),
    }
    bound["receipt_id"] = _id(bound)
    signature = signer.sign("receipt", bound)
    return Receipt.model_validate({**bound, "evaluator": evaluator, "signature": signature})


def flaws(receipt: Receipt, signer: Signer | None) -> Iterator[str]:
    """Yield what is wrong with a receipt by itself.

    :param signer: of the run; without one the signature is not looked at.
    """
    bound = receipt.model_dump(mode="json", exclude={"signature"})
    if receipt.receipt_id != _id(bound):
        yield "its id does not follow from what it says"
    if signer is not None and not signer.confirms("receipt", bound, receipt.signature):
        yield "forged or edited: the run's key did not sign it"


def mismatches(receipt: Receipt, artifact: Artifact) -> Iterator[str]:
    """Yield what of an artifact is not what a receipt was given for."""
    pairs = {
        "node": (receipt.node_id, artifact.producer.node_id),
        "hash": (receipt.artifact_hash, artifact.content_hash),
        "version": (receipt.artifact_version, artifact.version),
        "type": (receipt.artifact_type, artifact.semantic_type),
        "entity": (receipt.entity_scope, artifact.entity_scope),
    }
    for name, (said, found) in pairs.items():
        if said != found:
            yield f"the receipt says {name} {said}, the artifact {found}"


def _id(bound: Mapping[str, Any]) -> str:
    left_out = {"run_id", "instance_id", "receipt_id"}
    return "r-" + stable_hash({key: bound[key] for key in bound if key not in left_out})
