"""Other organisations as programs, over JSON lines."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import toy_workflows as toy
from workflow_play import SIGNER

from pytest_comem.errors import InfrastructureError, SettingsError
from pytest_comem.executors.base import NodeResult
from pytest_comem.executors.process import MAX_ASKED, ProcessExecutor
from pytest_comem.executors.registry import find_executor
from pytest_comem.memory.simple import FullContext, NoMemory
from pytest_comem.workflows.replay import passed, replay

PEER_REVIEW = Path(__file__).with_name("peer_review.py")


def played(
    executor: ProcessExecutor, trace: Path, stand: toy.ToyStand | None = None
) -> dict[str, NodeResult]:
    """Play the smallest family with a program."""
    one = toy.instance("sum-proof")
    results = executor.run(toy.job(one, FullContext(), trace, stand=stand))
    return {result.node_id: result for result in results}


def saying(folder: Path, *replies: object) -> ProcessExecutor:
    """Return an executor whose program has these answers, and the last one again and again."""
    program = folder / "program.py"
    program.write_text(
        f"import sys\nreplies = {[json.dumps(reply) for reply in replies]!r}\n"
        "for line in sys.stdin:\n"
        "    print(replies.pop(0) if len(replies) > 1 else replies[0], flush=True)\n",
        encoding="utf-8",
    )
    return ProcessExecutor([sys.executable, str(program)])


def test_a_program_organises_the_work_and_nothing_else(tmp_path: Path) -> None:
    """The worker is asked twice a node; order, receipts and trace are as without the program."""
    trace, stand = (
        tmp_path / "trace.jsonl",
        toy.ToyStand(toy.gold_of(toy.instance("sum-proof").family)),
    )
    results = played(ProcessExecutor([sys.executable, str(PEER_REVIEW)]), trace, stand)
    alone = toy.run(toy.instance("sum-proof"), FullContext(), tmp_path / "alone.jsonl")
    assert {name: one.artifact for name, one in results.items()} == {
        name: one.artifact for name, one in alone.items()
    }
    assert all(result.receipt.verified for result in results.values())
    assert results["compile"].tokens["execution"] == 20
    assert results["compile"].tokens["coordination"] == 3
    assert len(stand.seen) == 2 * len(results)
    assert "a reviewer asks for another look" in stand.seen[1].texts
    assert '"action":"review"' in trace.read_text("utf-8")
    assert passed(replay(trace, SIGNER))


def test_a_program_is_found_by_name() -> None:
    """The command stands after the name."""
    found = find_executor(f"process:{sys.executable} '{PEER_REVIEW}'")
    assert found.version == ProcessExecutor([sys.executable, str(PEER_REVIEW)]).version
    assert found.version != ProcessExecutor([sys.executable, "other.py"]).version


def test_a_program_that_is_not_there_is_said_at_once() -> None:
    """Before anything is played."""
    with pytest.raises(SettingsError, match="no program 'no-such-program'"):
        find_executor("process:no-such-program --fast")


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({"ok": {"work": {"consumed": []}}}, "answered node wrongly: work.content: Field required"),
        ({"ok": {"work": {"content": 1, "grade": 2}}}, "work.grade: Extra inputs"),
        ({"ok": {}}, "neither or both of work and ask"),
        ({"ok": {"ask": {}}}, f"asked for the worker more than {MAX_ASKED} times"),
        ({"error": {"type": "OSError", "message": "no model"}}, "no model"),
        ("hello", "what is no reply"),
    ],
)
def test_a_wrong_answer_is_an_infrastructure_failure(
    reply: object, expected: str, tmp_path: Path
) -> None:
    """It names what was wrong; the trace is sealed all the same."""
    trace = tmp_path / "trace.jsonl"
    with pytest.raises(InfrastructureError, match=expected):
        played(saying(tmp_path, {"ok": None}, reply), trace)
    assert '"status":"infrastructure_failure"' in trace.read_text("utf-8")
    assert passed(replay(trace, SIGNER))


def test_a_program_that_dies_is_an_infrastructure_failure(tmp_path: Path) -> None:
    """Its exit status is told."""
    executor = ProcessExecutor([sys.executable, "-c", "raise SystemExit(3)"])
    with pytest.raises(InfrastructureError, match="exit status 3"):
        played(executor, tmp_path / "trace.jsonl")


def test_a_program_that_does_not_answer_is_ended(tmp_path: Path) -> None:
    """After the time that the execution contract gives a node."""
    one = toy.instance("sum-proof")
    execution = one.family.execution.model_copy(update={"seconds_per_node": 0.3})
    family = one.family.model_copy(update={"execution": execution})
    inner = one.instance.model_copy(update={"family": family})
    short = type(one)(inner, one.oracles, one.episode)
    executor = ProcessExecutor([sys.executable, "-c", "import time; time.sleep(1000)"])
    with pytest.raises(InfrastructureError, match=r"did not answer begin within 0\.3 s"):
        list(executor.run(toy.job(short, NoMemory(), tmp_path / "trace.jsonl")))
