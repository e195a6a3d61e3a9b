"""The domain kit: a fresh stand over the corpus that a family was made for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from shipped_families import FAMILIES, shipped
from toy_workflows import NoAccounts
from workflow_play import SIGNER

from pytest_comem.domains.retrieval.kit import RetrievalKit
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

ONE = shipped("retrieval-instrument-cradle")


def asking(**fields: Any) -> Family:
    """Return the family with other needs."""
    environment = {**ONE.family.execution.environment, **fields}
    contract = ExecutionContract(environment=environment)
    return ONE.family.model_copy(update={"execution": contract})


def test_it_is_the_kit_of_its_domain() -> None:
    """With a version that names worker, engine and evaluator."""
    kit: DomainKit = RetrievalKit()
    assert kit.domain is Domain.OFFLINE_RETRIEVAL
    assert kit.version == "worker 1, engine 1, spans 1"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"corpus": None}, "names no corpus and its hash"),
        ({"corpus": "../retrieval/corpus.jsonl"}, "a file's name, without directories"),
        ({"corpus": ".."}, "a file's name, without directories|cannot be read"),
        ({"corpus": "a\0b"}, "a file's name, without directories"),
        ({"corpus": "other.jsonl"}, "cannot be read: No such file or directory"),
        ({"corpus_sha256": "0" * 64}, "and has to be 0000"),
        ({"engine": {"name": "comem-bm25", "version": "0"}}, "another search engine"),
    ],
)
def test_another_corpus_or_engine_is_a_defect(fields: dict[str, Any], said: str) -> None:
    """Of the benchmark, never a failure of a method."""
    with (
        pytest.raises(BenchmarkDefect, match=said),
        RetrievalKit().open(asking(**fields), "w-1"),
    ):
        pass


def test_a_users_corpora_lie_where_they_say(tmp_path: Path) -> None:
    """The root of the corpora can be another directory."""
    with pytest.raises(BenchmarkDefect), RetrievalKit(tmp_path).open(ONE.family, "w-1"):
        pass


def run(
    one: WorkflowInstance, memory: MemorySystem, trace: Path, mode: HandoffMode
) -> dict[str, NodeResult]:
    """Run an instance by the topology-preserving executor."""
    with RetrievalKit().open(one.family, one.instance.instance_id) as stand:
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


@pytest.mark.parametrize("name", ["retrieval-return-and-leader", "retrieval-sponsor-and-leader"])
def test_a_real_executor_plays_its_families(name: str, tmp_path: Path) -> None:
    """Isolation without a memory, sharing with all of it: the trade-off, and traces that hold."""
    control, *twins = load_workflows(FAMILIES / name).instances
    delivered = {
        "local": run(control, NoMemory(), tmp_path / "local.jsonl", "declared"),
        "full": run(control, FullContext(), tmp_path / "full.jsonl", "memory"),
    }
    for results in delivered.values():
        assert all(result.receipt.verified for result in results.values())
        assert all(result.handed for result in results.values() if result.eligible)
    empty = run(control, NoMemory(), tmp_path / "empty.jsonl", "memory")
    assert not any(result.handed for result in empty.values())
    misled = []
    for number, one in enumerate(twins):
        assert one.instance.pollution
        target = one.instance.pollution.target
        local = run(one, NoMemory(), tmp_path / f"{number}-local.jsonl", "declared")
        full = run(one, FullContext(), tmp_path / f"{number}-full.jsonl", "declared")
        assert local[target].handed
        misled.append(not full[target].receipt.verified)
    assert any(misled)
    for trace in tmp_path.glob("*.jsonl"):
        assert not [each for each in replay(trace, SIGNER) if each.passed is False]
