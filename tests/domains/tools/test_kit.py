"""The domain kit on the real servers and databases, where they are installed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shipped_families import FAMILIES, shipped, view_of
from tools_play import played
from toy_workflows import NoAccounts
from workflow_play import SIGNER

from pytest_comem.domains.tools.kit import ToolsKit, servers_of
from pytest_comem.engine.workflow_data import WorkflowInstance, load_workflows
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.executors.base import HandoffMode, Job, NodeResult
from pytest_comem.executors.domain import DomainKit, Shown
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.memory.base import MemorySystem
from pytest_comem.memory.simple import FullContext, NoMemory
from pytest_comem.workflows.replay import replay
from pytest_comem.workflows.schema import Domain, ExecutionContract, Family
from pytest_comem.workflows.traces import TraceWriter

#: Together they need every server.
PLAYED = ("tools-triage-query", "tools-meter-billing", "tools-port-windows")


@pytest.fixture
def kit(tmp_path: Path) -> Any:
    """Open a kit that keeps everything in a directory of the test."""
    with ToolsKit(directory=tmp_path / "state") as opened:
        yield opened
    assert list((tmp_path / "state").glob("*")) == []


def need(kit: ToolsKit, name: str) -> None:
    """Skip where a server of a family is not installed."""
    if why := kit.missing(shipped(name).family):
        pytest.skip(why)


def asking(environment: dict[str, Any], **fields: Any) -> Family:
    """Return a family with another environment."""
    contract = ExecutionContract(environment=environment)
    return shipped("tools-terms-script").family.model_copy(update={"execution": contract, **fields})


def test_it_is_the_kit_of_its_domain() -> None:
    """With a version that names worker and evaluator."""
    kit: DomainKit = ToolsKit()
    assert kit.domain is Domain.STATEFUL_TOOL
    assert kit.version == "worker 1, state 1"


def test_only_servers_of_tokens_are_named() -> None:
    """Each once, in the order of the nodes."""
    assert servers_of(shipped("tools-triage-query").family) == ("filesystem", "git", "sqlite")


def test_what_is_missing_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kit: ToolsKit
) -> None:
    """By server, before anything is started; opened nevertheless it is a defect, not a failure."""
    monkeypatch.setenv("COMEM_TOOLS", str(tmp_path / "none"))
    family = shipped("tools-triage-query").family
    why = kit.missing(family) or ""
    assert all(f"server {name}: " in why for name in servers_of(family))
    with pytest.raises(BenchmarkDefect, match="unavailable"), kit.open(family, "w-1"):
        pass


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"sources": 7}, "its sources are an object"),
        (
            {"database": "sqlite", "forms": {"sqlite_stat1": {"a": "text"}}},
            "its tables cannot be made",
        ),
    ],
)
def test_wrong_material_is_a_defect(kit: ToolsKit, environment: dict[str, Any], said: str) -> None:
    """Of the benchmark, never a failure of a method."""
    family = asking(environment)
    if "database" in environment and (lacking := kit.missing(family)):
        pytest.skip(lacking)
    with pytest.raises(BenchmarkDefect, match=said), kit.open(family, "w-1"):
        pass


@pytest.mark.parametrize("name", PLAYED)
def test_the_worker_completes_families_on_real_servers(kit: ToolsKit, name: str) -> None:
    """Every node's state is as the ground truth has it, and nothing is left afterwards."""
    need(kit, name)
    one = shipped(name)
    with kit.open(one.family, "w-1") as stand:
        verdicts = played(one, stand)
        terminal = view_of(one.family, one.family.terminal, one.gold)
        specs = stand.tools(terminal).specs()
        assert {spec.name for spec in specs} == set(terminal.capability_token.tools)
    assert {node: each.reason for node, each in verdicts.items() if not each.passed} == {}


def test_two_workflows_at_once_never_see_each_other(kit: ToolsKit) -> None:
    """The same family twice: what one leaves behind is not there for the other."""
    name = "tools-terms-script"
    need(kit, name)
    one = shipped(name)
    node, gold = one.family.node("file_offer"), one.gold["file_offer"]
    inputs = [one.gold[edge.source] for edge in one.family.inputs("file_offer")]
    oracle, view = one.oracles.of("file_offer"), view_of(one.family, "file_offer", one.gold)
    with kit.open(one.family, "w-1") as first, kit.open(one.family, "w-2") as second:
        made = gold.model_copy(update={"content": first.work(Shown(view)).content})
        assert first.evaluate(node, oracle, made, inputs).passed
        assert not second.evaluate(node, oracle, made, inputs).passed
        second.work(Shown(view))
        assert second.evaluate(node, oracle, made, inputs).passed
        assert first.evaluate(node, oracle, made, inputs).passed


def test_a_dead_server_is_no_verdict(kit: ToolsKit, tmp_path: Path) -> None:
    """Neither for the worker nor for the evaluator, and nothing but this workflow breaks."""
    name = "tools-terms-script"
    need(kit, name)
    one = shipped(name)
    node, gold = one.family.node("read_terms"), one.gold["read_terms"]
    view = view_of(one.family, "read_terms", one.gold)
    with kit.open(one.family, "w-1") as hit, kit.open(one.family, "w-2") as spared:
        hit._servers.close()  # type: ignore[attr-defined]
        with pytest.raises(InfrastructureError):
            hit.work(Shown(view))
        with pytest.raises(InfrastructureError):
            hit.evaluate(node, one.oracles.of("read_terms"), gold, [])
        made = gold.model_copy(update={"content": spared.work(Shown(view)).content})
        assert spared.evaluate(node, one.oracles.of("read_terms"), made, []).passed


def run(
    kit: ToolsKit, one: WorkflowInstance, memory: MemorySystem, trace: Path, mode: HandoffMode
) -> dict[str, NodeResult]:
    """Run an instance by the topology-preserving executor."""
    with kit.open(one.family, one.instance.instance_id) as stand:
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


def test_a_real_executor_plays_its_families(kit: ToolsKit, tmp_path: Path) -> None:
    """Isolation without a memory, sharing with all of it: the trade-off, and traces that hold."""
    name = "tools-reorder-request"
    need(kit, name)
    control, *twins = load_workflows(FAMILIES / name).instances
    delivered = {
        "local": run(kit, control, NoMemory(), tmp_path / "local.jsonl", "declared"),
        "full": run(kit, control, FullContext(), tmp_path / "full.jsonl", "memory"),
    }
    for results in delivered.values():
        assert all(result.receipt.verified for result in results.values())
        assert all(result.handed for result in results.values() if result.eligible)
    empty = run(kit, control, NoMemory(), tmp_path / "empty.jsonl", "memory")
    assert not any(result.handed for result in empty.values())
    misled = []
    # The others are played by tests without servers.
    for number, one in enumerate(twins[:2]):
        assert one.instance.pollution
        target = one.instance.pollution.target
        local = run(kit, one, NoMemory(), tmp_path / f"{number}-local.jsonl", "declared")
        full = run(kit, one, FullContext(), tmp_path / f"{number}-full.jsonl", "declared")
        assert local[target].handed
        misled.append(not full[target].receipt.verified)
    assert any(misled)
    for trace in tmp_path.glob("*.jsonl"):
        assert not [each for each in replay(trace, SIGNER) if each.passed is False]
        assert str(tmp_path).encode() not in trace.read_bytes()
        assert os.fsencode(Path.home()) not in trace.read_bytes()


LEAVE = """
from shipped_families import shipped
from pytest_comem.domains.tools.kit import ToolsKit
from pathlib import Path
import sys
kit = ToolsKit(directory=Path(sys.argv[1]))
family = shipped("tools-terms-script").family
if not kit.missing(family):
    opened = kit.open(family, "w-1")
    opened.__enter__()
    print("opened")
"""


def test_a_kit_that_nobody_closes_leaves_nothing(kit: ToolsKit, tmp_path: Path) -> None:
    """When its process ends, workspaces and databases go."""
    need(kit, "tools-terms-script")
    acceptance = Path(__file__).resolve().parents[2] / "acceptance"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(acceptance), *sys.path])}
    place = tmp_path / "left"
    done = subprocess.run(
        [sys.executable, "-c", LEAVE, str(place)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert "opened" in done.stdout, done.stderr
    assert list(place.glob("*")) == []
