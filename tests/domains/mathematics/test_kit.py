"""The domain kit: a stand over the project that a family was made for, or a reason why not."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from mathematics_play import needs_coq
from shipped_families import FAMILIES, shipped
from toy_workflows import NoAccounts
from workflow_play import SIGNER

from pytest_comem.domains.mathematics.kit import MathematicsKit, find_prover
from pytest_comem.domains.mathematics.provers.benches import Bench
from pytest_comem.domains.mathematics.provers.coq import Coq
from pytest_comem.engine.workflow_data import WorkflowInstance, load_workflows
from pytest_comem.errors import BenchmarkDefect, SettingsError
from pytest_comem.executors.base import HandoffMode, Job, NodeResult
from pytest_comem.executors.domain import DomainKit
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.simple import FullContext, NoMemory
from pytest_comem.workflows.replay import replay
from pytest_comem.workflows.schema import Domain, ExecutionContract, Family
from pytest_comem.workflows.traces import TraceWriter
from pytest_comem.workflows.views import node_view

ONE = shipped("math-parity")


def asking(**fields: Any) -> Family:
    """Return the family with other needs."""
    environment = {**ONE.family.execution.environment, **fields}
    contract = ExecutionContract(environment=environment)
    return ONE.family.model_copy(update={"execution": contract})


@needs_coq
def test_it_is_the_kit_of_its_domain() -> None:
    """With a version that names worker, toolchain and evaluator."""
    kit: DomainKit = MathematicsKit()
    assert kit.domain is Domain.FORMAL_MATHEMATICS
    assert kit.version == f"worker 1, {Coq().toolchain()}, proofs 1"
    with kit.open(ONE.family, "w-1") as stand:
        view = node_view(ONE.family, "main")
        assert [spec.name for spec in stand.tools(view).specs()] == ["read_library", "check_proof"]
        assert "script" in stand.schema(view)["properties"]


@needs_coq
@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"project_commit": None}, "names no commit of a project"),
        ({"project_commit": "0" * 64}, "and has to be 0000"),
        ({"module": "../Lists"}, "no module '../Lists' in coq"),
        ({"module": 7}, "no module '' in coq"),
        ({"axioms": {"lean": []}}, "it is not stated for coq"),
        ({"axioms": {"coq": 7}}, "it is not stated for coq"),
        ({"axioms": []}, "it is not stated for coq"),
    ],
)
def test_another_project_is_a_defect(fields: dict[str, Any], said: str) -> None:
    """Of the benchmark, never a failure of a method."""
    with pytest.raises(BenchmarkDefect, match=said), MathematicsKit().open(asking(**fields), "w"):
        pass


@needs_coq
def test_what_is_missing_for_a_family_is_said_before_it_is_played(tmp_path: Path) -> None:
    """Nothing for Coq; another prover for a family that is not stated in it."""
    kit = MathematicsKit()
    assert kit.missing(ONE.family) is None
    said = kit.missing(asking(axioms={"lean": []}))
    assert said == "it is not stated for coq (--comem-prover)"
    kit.close()
    kit.close()
    absent = MathematicsKit(program=str(tmp_path / "coqc")).missing(ONE.family)
    assert str(absent).startswith("there is no command")


def test_without_a_prover_the_domain_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the reason, and how to get one."""
    monkeypatch.setenv("PATH", "/nonexistent")
    kit = MathematicsKit()
    assert kit.preflight() == (
        "there is no command 'coqc'; install Coq 8.16 or later (Debian, Ubuntu: apt-get install "
        "coq)"
    )
    assert kit.version == "worker 1, coq, proofs 1"
    with (
        pytest.raises(BenchmarkDefect, match="formal mathematics is left out: there is no command"),
        kit.open(ONE.family, "w-1"),
    ):
        pass


def test_the_docker_sandbox_has_no_prover(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its image brings no Coq; the domain says so instead of failing every proof."""

    class Docker:
        name = "docker"

    monkeypatch.setattr(Bench, "_kind", lambda self: Docker())
    assert Bench("true", "docker").problem() == (
        "the image of the docker sandbox has no prover; choose bubblewrap or none"
    )


def test_an_unknown_prover_is_refused() -> None:
    """By name, with those that there are."""
    with pytest.raises(SettingsError, match="prover 'cog' is unknown; did you mean coq"):
        find_prover("cog")


@needs_coq
def test_a_prover_from_elsewhere_is_named_by_its_path() -> None:
    """And is tried for real; one that is not there is named in the reason."""
    path = shutil.which("coqc")
    assert path is not None
    assert MathematicsKit(program=path).preflight() is None
    missing = MathematicsKit(program="/opt/nowhere/coqc").preflight()
    assert str(missing).startswith("there is no command '/opt/nowhere/coqc'; install Coq")


def run(
    one: WorkflowInstance, memory: MemorySystem, trace: Path, mode: HandoffMode
) -> dict[str, NodeResult]:
    """Run an instance by the topology-preserving executor."""
    with MathematicsKit().open(one.family, one.instance.instance_id) as stand:
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


@needs_coq
def test_a_real_executor_plays_its_families(tmp_path: Path) -> None:
    """Isolation without a memory, sharing with all of it: the trade-off, and traces that hold."""
    control, *twins = load_workflows(FAMILIES / "math-parity").instances
    delivered = {
        "local": run(control, NoMemory(), tmp_path / "local.jsonl", "declared"),
        "full": run(control, FullContext(), tmp_path / "full.jsonl", "memory"),
    }
    for results in delivered.values():
        assert all(result.receipt.verified for result in results.values())
    empty = run(control, NoMemory(), tmp_path / "empty.jsonl", "memory")
    assert not empty["check"].receipt.verified
    misled = []
    for number, one in enumerate(twins):
        assert one.instance.pollution
        target = one.instance.pollution.target
        local = run(one, NoMemory(), tmp_path / f"{number}-local.jsonl", "declared")
        full = run(one, FullContext(), tmp_path / f"{number}-full.jsonl", "declared")
        assert local[target].receipt.verified
        misled.append(not full[target].receipt.verified)
    assert any(misled)
    for trace in tmp_path.glob("*.jsonl"):
        assert not [each for each in replay(trace, SIGNER) if each.passed is False]
