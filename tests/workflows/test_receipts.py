"""Receipts: what they bind, and what shows."""

from __future__ import annotations

from typing import Any

import pytest
from workflow_play import SIGNER

from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.receipts import Receipt, flaws, issue, mismatches
from pytest_comem.workflows.schema import Evaluator
from pytest_comem.workflows.signing import Signer

PRODUCER = Producer(family_id="f", node_id="n")


def artifact(content: Any = "text", **other: Any) -> Artifact:
    """Return an artifact."""
    fields = {"semantic_type": "t", "entity_scope": "e", "version": 1, "producer": PRODUCER}
    return make_artifact(content, **{**fields, **other})


def receipt(**other: Any) -> Receipt:
    """Return a signed receipt."""
    fields = {"run_id": "r", "instance_id": "w-1", "attempt": 1, "evidence": {"exit": 0}}
    evaluator = Evaluator(name="check", version="2")
    return issue(SIGNER, artifact(), "verified", evaluator=evaluator, **{**fields, **other})


def test_a_receipt_holds() -> None:
    """As it was issued nothing is wrong with it."""
    assert list(flaws(receipt(), SIGNER)) == []
    assert list(mismatches(receipt(), artifact())) == []


@pytest.mark.parametrize("name", sorted(set(Receipt.model_fields) - {"signature"}))
def test_every_field_is_bound(name: str) -> None:
    """A receipt with any one field changed is not the run's any more."""
    changes: dict[str, Any] = {
        "attempt": 2,
        "artifact_version": 9,
        "artifact_hash": "0" * 64,
        "evaluator": Evaluator(name="check", version="3"),
        "verdict": "rejected",
        "evidence": {"exit": 1},
    }
    moved = receipt().model_copy(update={name: changes.get(name, "other")})
    assert "forged or edited: the run's key did not sign it" in list(flaws(moved, SIGNER))


def test_another_key_signs_otherwise() -> None:
    """A receipt that it would have forged is not confirmed."""
    other = Signer(bytes(32))
    assert list(flaws(receipt(), other)) == ["forged or edited: the run's key did not sign it"]


def test_ids_are_the_same_in_both_twins() -> None:
    """Run and instance are bound by the signature, and do not show in the id."""
    one, other = receipt(), receipt(run_id="r2", instance_id="w-2")
    assert one.receipt_id == other.receipt_id
    assert one.signature != other.signature
    assert receipt(evidence={"exit": 1}).receipt_id != one.receipt_id


def test_mismatches_are_named() -> None:
    """What a receipt was given for and what the artifact is."""
    wrong = artifact("edited", version=2)
    said = list(mismatches(receipt(), wrong))
    assert "the receipt says version 1, the artifact 2" in said
    assert len(said) == 2
