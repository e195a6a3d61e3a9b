"""The domain kit: a stand on the repository that a family is about."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from code_play import COMMIT, MATERIAL, REPOSITORY, built, kit, needs_grader, written
from toy_workflows import NoAccounts
from workflow_play import SIGNER

from pytest_comem.domains.code import grading
from pytest_comem.domains.code.kit import CodeKit
from pytest_comem.engine.workflow_data import WorkflowInstance, load_workflows
from pytest_comem.errors import BenchmarkDefect
from pytest_comem.executors.base import HandoffMode, Job, NodeResult
from pytest_comem.executors.domain import DomainKit
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.simple import FullContext, NoMemory
from pytest_comem.workflows.replay import replay
from pytest_comem.workflows.schema import Domain, ExecutionContract, Family
from pytest_comem.workflows.traces import TraceWriter


def asking(**fields: Any) -> Family:
    """Return a family of one field's other value, without running anything."""
    environment = {
        "repository": REPOSITORY,
        "base_commit": COMMIT,
        "issue": "acme__pocket-1",
        **fields,
    }
    return Family(
        schema_version=1,
        family_id="code-asking",
        domain=Domain.REPOSITORY_CODE,
        split="test",
        title="asking",
        nodes=(),
        edges=(),
        terminal="end",
        topology=(),
        execution=ExecutionContract(environment=environment),
    )


def test_it_is_the_kit_of_its_domain() -> None:
    """With a version that names worker, evaluator and what grades."""
    one: DomainKit = kit()
    assert one.domain is Domain.REPOSITORY_CODE
    assert one.version == f"worker 1, evaluator 1, swebench {grading.version()}"


def test_what_is_missing_is_said_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The grader with the way to get it, or the sandbox; nothing is raised."""
    assert CodeKit("auto", MATERIAL).preflight() == grading.preflight()
    assert kit().missing(asking()) == grading.preflight()
    monkeypatch.setattr(grading, "preflight", lambda: None)
    assert "bubblewrap" in str(CodeKit("bubblewrep", MATERIAL).preflight())


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"repository": None}, "has to name repository, base_commit, issue"),
        ({"issue": ""}, "has to name repository"),
        ({"issue": "acme__pocket-9"}, "there is no instance 'acme__pocket-9'"),
        ({"repository": "acme/other"}, "is about acme/pocket at aaaa"),
        ({"base_commit": "b" * 40}, "is about acme/pocket at aaaa"),
    ],
)
def test_another_repository_or_instance_is_a_defect(fields: dict[str, Any], said: str) -> None:
    """Of the benchmark, never a failure of a method."""
    with pytest.raises(BenchmarkDefect, match=said), kit().open(asking(**fields), "w-1"):
        pass


def run(
    one: WorkflowInstance, memory: MemorySystem, trace: Path, mode: HandoffMode
) -> dict[str, NodeResult]:
    """Run an instance by the topology-preserving executor."""
    with kit().open(one.family, one.instance.instance_id) as stand:
        job = Job(
            instance=one.instance,
            oracles=one.oracles,
            stand=stand,
            memory=memory,
            top_k=20,
            mode=mode,
            trace=TraceWriter(trace, SIGNER),
            signer=SIGNER,
            run_id="run-1",
            accounts=NoAccounts(),
        )
        return {result.node_id: result for result in TopologyExecutor().run(job)}


@needs_grader
def test_a_real_executor_plays_its_families(tmp_path: Path) -> None:
    """Isolation without a memory, sharing with all of it: the trade-off, and traces that hold."""
    control, *twins = load_workflows(written(tmp_path)).instances
    delivered = {
        "local": run(control, NoMemory(), tmp_path / "local.jsonl", "declared"),
        "full": run(control, FullContext(), tmp_path / "full.jsonl", "memory"),
    }
    for results in delivered.values():
        assert all(result.receipt.verified for result in results.values())
        assert all(result.handed for result in results.values() if result.eligible)
    empty = run(control, NoMemory(), tmp_path / "empty.jsonl", "memory")
    assert not any(result.handed for result in empty.values())
    assert len(twins) == len(built().plans.plans)
    for number, one in enumerate(twins):
        assert one.instance.pollution
        target = one.instance.pollution.target
        local = run(one, NoMemory(), tmp_path / f"{number}-local.jsonl", "declared")
        full = run(one, FullContext(), tmp_path / f"{number}-full.jsonl", "declared")
        assert local[target].handed
        # A rejected suite sends back, and is then asked about a newer candidate than the decoy.
        assert not full[target].receipt.verified or full[target].attempts > 1
    for trace in tmp_path.glob("*.jsonl"):
        assert not [each for each in replay(trace, SIGNER) if each.passed is False]


@needs_grader
def test_a_failed_suite_sends_back_within_its_bound(tmp_path: Path) -> None:
    """Whoever repairs is asked again, twice at most, and the play comes to an end."""
    control, *_ = load_workflows(written(tmp_path)).instances
    results = run(control, NoMemory(), tmp_path / "trace.jsonl", "memory")
    assert results["fix"].attempts == 3
    assert results["suite"].attempts == 3
    assert results["plan"].attempts == 1
