"""The offline worker: able where it is shown the right things, misled where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from code_play import (
    COMMIT,
    GOLD_RANGES,
    WRONG_RANGES,
    built,
    gold,
    kit,
    needs_grader,
    played,
    pollutions,
    view_of,
)

from pytest_comem.domains.code import contents
from pytest_comem.domains.code.contents import FIELDS, patch_hash
from pytest_comem.executors.domain import Shown, Work
from pytest_comem.workflows.artifacts import Artifact, Producer, make_artifact
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.views import IncomingArtifact, NodeView

pytestmark = needs_grader


def work(shown: Shown) -> Work:
    """Do a node's work."""
    with kit().open(built().family, "w-1") as stand:
        return stand.work(shown)


def changed(node_id: str, **fields: Any) -> Artifact:
    """Return the gold artifact of a node with other fields."""
    one = gold()[node_id]
    assert isinstance(one.content, dict)
    return make_artifact(
        {**one.content, **fields},
        semantic_type=one.semantic_type,
        entity_scope=one.entity_scope,
        version=one.version,
        producer=one.producer,
    )


def view(node_id: str, **other: Artifact) -> NodeView:
    """Return a node's view, with other artifacts for some inputs."""
    return view_of(built().family, node_id, {**gold(), **other})


def test_a_clean_workflow_is_completed() -> None:
    """Every node passes, from the issue to the verified release, and rests on all its inputs."""
    found = played()
    assert all(one.passed for one in found.verdicts.values())
    family = built().family
    for node_id, consumed in found.consumed.items():
        wanted = {found.made[edge.source].artifact_id for edge in family.inputs(node_id)}
        assert set(consumed) == wanted
    assert contents.text(found.made["fix"].content, "patch") == GOLD_RANGES
    assert contents.text(found.made["verify"].content, "verdict") == "resolved"
    for one in found.made.values():
        assert isinstance(one.content, dict)
        assert set(one.content) == set(FIELDS[one.semantic_type])


def test_all_that_was_made_may_be_shown() -> None:
    """Of a workflow without pollution nothing misleads it."""
    assert all(one.passed for one in played(everything=True).verdicts.values())


def test_every_operator_misleads_it() -> None:
    """Where everything is shown; a wrong input leads to an output that is rejected."""
    misled: dict[Operator, bool] = {}
    for pollution in pollutions():
        found = played(everything=True, pollution=pollution)
        took = pollution.artifact.artifact_id in found.consumed[pollution.target]
        assert took is not found.verdicts[pollution.target].passed
        misled[pollution.operator] = took
    assert misled == dict.fromkeys(Operator, True)


def test_only_what_was_recalled_is_used() -> None:
    """Where nothing is handed over: with its inputs among it the work is done, else not."""
    bare = view("plan").model_copy(update={"incoming_artifacts": ()})
    recalled = work(Shown(bare, tuple(gold().values())))
    assert recalled.content == work(Shown(view("plan"))).content
    nothing = work(Shown(bare))
    assert nothing.consumed == ()
    assert nothing.content["file"] == ""


def test_a_wrong_plan_leads_to_no_patch() -> None:
    """It changes the planned lines alone."""
    wrong = changed("plan", function="clipped", start=11, end=15, lines=[])
    assert work(Shown(view("fix", plan=wrong))).content["patch"] == ""


def test_a_failed_receipt_sends_it_on() -> None:
    """What was refused is not offered again, and the receipt is among what it rests on."""
    receipt = changed("suite", passed=False, patch_sha256=patch_hash(GOLD_RANGES))
    shown = view("fix")
    back = IncomingArtifact(artifact=receipt, receipt_id="r-2")
    again = shown.model_copy(update={"incoming_artifacts": (*shown.incoming_artifacts, back)})
    found = work(Shown(again))
    assert found.content["patch"] != GOLD_RANGES
    assert receipt.artifact_id in found.consumed


def test_a_receipt_tells_what_is_wrong() -> None:
    """It believes no candidate: a test that fails is in its receipt."""
    wrong = changed("fix", patch=WRONG_RANGES, patch_sha256=patch_hash(WRONG_RANGES))
    found = work(Shown(view("suite", fix=wrong))).content
    assert found["passed"] is False
    assert found["tests"]["tests/test_ranges.py::test_inside"] == "FAILED"


def test_tools_that_the_token_does_not_name_are_not_used() -> None:
    """Nothing is run then."""
    for node_id in ("script", "baseline", "traces", "fix", "suite"):
        shown = view(node_id)
        token = shown.capability_token.model_copy(update={"tools": ()})
        found = work(Shown(shown.model_copy(update={"capability_token": token})))
        assert not any(one["action"] in ("run_tests", "run_python") for one in found.actions)


HOSTILE: tuple[Any, ...] = (
    None,
    7,
    "text",
    [],
    {"script": 7, "tests": [], "candidates": {"file": 1}, "patch": None, "steps": "x"},
    {"script": "import os; os.kill(1, 9)", "tests": {"--version": "PASSED"}},
    {"candidates": [None, 7, {"file": "../x", "start": -1, "end": 10**9, "lines": ["x", None]}]},
    {"steps": [{"code": "(" * 900, "expected": "x"}, {"code": "\0"}, 7]},
    {"patch": "--- a/x\n+++ b/../../x\n@@ -1 +1 @@\n-a\n+b\n", "tests": {"x": 7}},
)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_inputs_of_any_shape_are_worked_on(number: int) -> None:
    """What comes of them is rejected; nothing breaks."""
    family = built().family
    for node in family.nodes:
        others = {
            edge.source: make_artifact(
                HOSTILE[number],
                semantic_type=edge.contract.semantic_type,
                entity_scope=edge.contract.entity_scope,
                version=1,
                producer=Producer(family_id=family.family_id, node_id=edge.source),
            )
            for edge in family.inputs(node.node_id)
        }
        if others:
            found = work(Shown(view(node.node_id, **others)))
            assert found.content["base_commit"] == COMMIT
            assert _rejected(node.node_id, found, others)


def _rejected(node_id: str, found: Work, others: Mapping[str, Artifact]) -> bool:
    family = built().family
    node = family.node(node_id)
    made = make_artifact(
        found.content,
        semantic_type=node.output_type,
        entity_scope=node.entity_scope,
        version=1,
        producer=gold()[node_id].producer,
    )
    with kit().open(family, "w-1") as stand:
        oracle = built().oracles.of(node_id)
        return not stand.evaluate(node, oracle, made, list(others.values())).passed
