"""Replay looks at what events say of each other, even where chain and seal are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from workflow_play import SIGNER, played, rewritten, surroundings, twins

from pytest_comem.cli import app
from pytest_comem.workflows.events import ArtifactMade, ReceiptIssued
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.receipts import issue
from pytest_comem.workflows.replay import passed, replay
from pytest_comem.workflows.signing import run_signer

Payloads = list[Any]


def first(payloads: Payloads, type: str, node: str) -> Any:
    """Return the first event of a type that is about a node."""
    names = ("node_id", "target")
    return next(
        one for one in payloads if one["type"] == type and node in [one.get(n) for n in names]
    )


def edit_artifact(payloads: Payloads) -> None:
    """Change what a plan says."""
    first(payloads, "artifact", "plan")["artifact"]["content"] = {"steps": ["do nothing"]}


def edit_artifact_and_hash(payloads: Payloads) -> None:
    """Exchange a plan and its hash for those of another artifact."""
    gold = surroundings().gold["issue"]
    changed = {"content": gold.content, "content_hash": gold.content_hash}
    first(payloads, "artifact", "plan")["artifact"].update(changed)


def move_receipt(payloads: Payloads) -> None:
    """Give one node's receipt to another."""
    moved = first(payloads, "receipt", "repro_parse")["receipt"]
    first(payloads, "receipt", "repro_format")["receipt"] = moved


def change_version(payloads: Payloads) -> None:
    """Make a patch older than it was."""
    first(payloads, "artifact", "patch")["artifact"]["version"] = 1


def reject_receipt(payloads: Payloads) -> None:
    """Hand on what was rejected."""
    first(payloads, "receipt", "plan")["receipt"]["verdict"] = "rejected"


def drop_receipt(payloads: Payloads) -> None:
    """Leave out a verdict."""
    payloads.remove(first(payloads, "receipt", "plan"))


def drop_receipt_id(payloads: Payloads) -> None:
    """Hand on without saying by which verdict."""
    first(payloads, "handoff", "patch")["receipt_id"] = None


def consume_unexposed(payloads: Payloads) -> None:
    """Rest on something that was never shown."""
    artifact = first(payloads, "artifact", "repro_format")["artifact"]["artifact_id"]
    first(payloads, "consumption", "patch")["artifact_ids"].append(artifact)


def expose_from_nowhere(payloads: Payloads) -> None:
    """Show what nobody proposed or handed over."""
    artifact = first(payloads, "artifact", "issue")["artifact"]["artifact_id"]
    exposures = [one for one in payloads if one["type"] == "exposure" and one["node_id"] == "patch"]
    exposures[1]["artifact_ids"].append(artifact)


def expose_unmade(payloads: Payloads) -> None:
    """Propose what does not exist."""
    first(payloads, "exposure", "patch")["artifact_ids"].append("a-0")


def change_view(payloads: Payloads) -> None:
    """Let a view say something else than was handed over."""
    shown = first(payloads, "node_view", "tests")["view"]["incoming_artifacts"]
    shown[0]["artifact"]["content"] = {"diff": "-"}


def hand_along_no_edge(payloads: Payloads) -> None:
    """Hand to a node that has no such input."""
    first(payloads, "handoff", "locate_parse")["target"] = "locate_format"


def double_receipt(payloads: Payloads) -> None:
    """Repeat a verdict."""
    one = first(payloads, "receipt", "plan")
    payloads.insert(payloads.index(one), one)


def double_artifact(payloads: Payloads) -> None:
    """Repeat an artifact."""
    one = first(payloads, "artifact", "plan")
    payloads.insert(payloads.index(one), one)


def hand_on_superseded(payloads: Payloads) -> None:
    """Revise a plan, and hand on the one before."""
    gold, family = surroundings().gold["plan"], surroundings().family
    revised = gold.model_copy(update={"version": 2, "artifact_id": "a-2"})
    verdict = issue(
        SIGNER,
        revised,
        "verified",
        run_id="run-1",
        instance_id=payloads[0]["instance_id"],
        attempt=2,
        evaluator=family.node("plan").evaluator,
        evidence={},
    )
    made = ArtifactMade(node_id="plan", attempt=2, artifact=revised)
    events = [made, ReceiptIssued(node_id="plan", receipt=verdict)]
    place = payloads.index(first(payloads, "handoff", "patch"))
    payloads[place:place] = [one.model_dump(mode="json") for one in events]


def swap_receipt(payloads: Payloads) -> None:
    """Hand on by the verdict on something else."""
    other = first(payloads, "receipt", "issue")["receipt"]["receipt_id"]
    first(payloads, "handoff", "patch")["receipt_id"] = other


def edit_evidence(payloads: Payloads) -> None:
    """Change what an evaluator saw."""
    first(payloads, "receipt", "plan")["receipt"]["evidence"] = {"checked": "nothing"}


def another_attempt(payloads: Payloads) -> None:
    """Say that an artifact was made later than its receipt says."""
    first(payloads, "artifact", "plan")["attempt"] = 2


def another_instance(payloads: Payloads) -> None:
    """Put the trace of one twin in the place of the other's."""
    payloads[0]["instance_id"] = "w-0"


def another_run(payloads: Payloads) -> None:
    """Call the run otherwise."""
    payloads[0]["run_id"] = "run-2"


def start_twice(payloads: Payloads) -> None:
    """Repeat the initialization."""
    payloads.insert(1, payloads[0])


def unknown_node(payloads: Payloads) -> None:
    """Let a node act that the workflow lacks."""
    first(payloads, "action", "plan")["node_id"] = "planner"


CASES: dict[Callable[[Payloads], None], tuple[str, str, str]] = {
    edit_artifact: ("artifacts", "node plan", "was edited: its content is not what its hash"),
    edit_artifact_and_hash: ("receipts", "node plan", "the receipt says hash"),
    move_receipt: ("receipts", "node repro_format", "it is for node repro_parse"),
    change_version: ("receipts", "node patch", "the receipt says version 2, the artifact 1"),
    reject_receipt: ("handoffs", "node patch", "without a verified receipt of that artifact"),
    drop_receipt: ("handoffs", "node patch", "without a verified receipt of that artifact"),
    drop_receipt_id: ("handoffs", "node patch", "without a verified receipt of that artifact"),
    consume_unexposed: ("consumption", "node patch", "was never exposed to attempt 1"),
    expose_from_nowhere: ("exposure", "node patch", "was neither proposed nor handed over"),
    expose_unmade: ("exposure", "node patch", "artifact a-0 was not made before"),
    change_view: ("views", "node tests", "is not as it was made"),
    hand_along_no_edge: ("handoffs", "node locate_format", "no such edge is declared"),
    double_receipt: ("receipts", "node plan", "it is there twice"),
    double_artifact: ("artifacts", "node plan", "is made twice in attempt 1"),
    hand_on_superseded: ("handoffs", "node patch", "version 1 is superseded by version 2"),
    swap_receipt: ("handoffs", "node patch", "without a verified receipt of that artifact"),
    edit_evidence: ("receipts", "node plan", "its id does not follow from what it says"),
    another_attempt: ("receipts", "node plan", "attempt 1 did not make a-"),
    another_instance: ("receipts", "node issue", "it is of instance w-"),
    another_run: ("receipts", "node issue", "it is of run run-1"),
    start_twice: ("initialization", "line 2", "a second one"),
    unknown_node: ("initialization", "node planner", "it does not name the node of this action"),
}


@pytest.mark.parametrize("change", CASES, ids=lambda one: one.__name__)
@pytest.mark.parametrize("signer", [SIGNER, None], ids=["key", "no key"])
def test_tampering_is_rejected(tmp_path: Path, change: Any, signer: Any) -> None:
    """By the check that is for it, with line and node, though the chain was made anew."""
    path = rewritten(played(tmp_path / "t.jsonl"), change)
    found = {one.name: one for one in replay(path, signer)}
    name, where, problem = CASES[change]
    assert found["hash chain"].passed
    assert found["seal"].passed in (True, None)
    places = [f"{one.where}: {one.problem}" for one in found[name].where]
    assert any(where in place and problem in place for place in places), places
    assert all(place.startswith("line ") for place in places)


def test_rewriting_alone_changes_nothing(tmp_path: Path) -> None:
    """The helper of these tests makes what the writer makes."""
    path = played(tmp_path / "t.jsonl")
    before = path.read_bytes()
    assert rewritten(path, lambda payloads: None).read_bytes() == before


def test_a_forged_receipt_needs_the_key_to_show(tmp_path: Path) -> None:
    """Its evidence is bound by id and signature; with both made up only the key can tell."""

    def forge(payloads: Payloads) -> None:
        first(payloads, "receipt", "plan")["receipt"]["signature"] = "0" * 64

    path = rewritten(played(tmp_path / "t.jsonl"), forge)
    failed = [one for one in replay(path, SIGNER) if one.passed is False]
    assert [one.name for one in failed] == ["receipt signatures"]
    assert "node plan" in failed[0].where[0].where
    assert passed(replay(path, None))


@pytest.mark.parametrize("operator", Operator)
def test_a_polluted_trace_holds(tmp_path: Path, operator: Operator) -> None:
    """With exactly the pollution that its initialization names."""
    target = {"sibling_crosswire": "locate_parse", "foreign_completion": "locate_format"}
    pair = twins(operator, target.get(operator.value, "tests"))
    path = played(tmp_path / "t.jsonl", pair.polluted)
    assert passed(replay(path, SIGNER))


def dropped(payloads: Payloads) -> None:
    """Leave the pollution out."""
    payloads.remove(payloads[1])


def doubled(payloads: Payloads) -> None:
    """Pollute twice."""
    payloads.insert(1, payloads[1])


def elsewhere(payloads: Payloads) -> None:
    """Pollute another node."""
    payloads[1]["target"] = "release"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (dropped, "0 pollution events; a polluted instance has 1"),
        (doubled, "2 pollution events; a polluted instance has 1"),
        (elsewhere, "not the one that the initialization names"),
    ],
)
def test_other_pollution_is_rejected(
    tmp_path: Path, change: Callable[[Payloads], None], problem: str
) -> None:
    """Less, more, or somewhere else."""
    pair = twins(Operator.WRONG_ENTITY, "patch")
    path = rewritten(played(tmp_path / "t.jsonl", pair.polluted), change)
    found = next(one for one in replay(path, SIGNER) if one.name == "pollution")
    assert problem in [one.problem for one in found.where]


def comem(*arguments: object) -> tuple[int, str, str]:
    """Return exit status, output and errors of the command."""
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_command_says_what_is_wrong_and_where(tmp_path: Path) -> None:
    """Exit status 0 for a trace that holds, 1 with line and node otherwise; the key is optional."""
    path = played(tmp_path / "t.jsonl")
    status, said, errors = comem("replay", path)
    assert (status, errors) == (0, "")
    assert "receipt signatures: not checked (the run's key is not here)" in said
    assert "signatures were not checked: no trace.key beside the trace" in said
    run_signer(tmp_path)
    status, said, _ = comem("replay", path)
    assert status == 1
    assert "seal: FAILED (by the run's key)" in said
    key = tmp_path / "other.key"
    key.write_text(bytes(range(32)).hex())
    status, said, _ = comem("replay", path, "--key", key)
    assert (status, said.count("ok (")) == (0, 13)
    rewritten(path, edit_artifact)
    status, said, errors = comem("replay", path, "--key", key)
    assert status == 1
    assert "node plan: artifact a-" in said
    assert "the trace does not hold" in errors


def test_a_trace_that_is_not_there(tmp_path: Path) -> None:
    """Exit status 2, and one message."""
    status, _, errors = comem("replay", tmp_path / "absent")
    assert (status, errors.count("\n")) == (2, 1)
    assert "absent: cannot be read" in errors
