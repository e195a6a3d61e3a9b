"""The topology-preserving executor on a toy domain: order, views, exposure, revisions, traces."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import toy_workflows as toy
from workflow_play import NAMES, SIGNER

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.recall import Recall
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.executors.base import HANDOFF_MODES, HandoffMode
from pytest_comem.executors.domain import Judgement
from pytest_comem.executors.topology import TopologyExecutor
from pytest_comem.memory.bm25 import BM25
from pytest_comem.memory.simple import FullContext, NoMemory
from pytest_comem.workflows.graph import Graph
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.replay import passed, replay

TWINS = [
    (one.family.family_id, one.instance.pollution.operator.value)
    for one in toy.data().instances
    if one.instance.pollution
]


def payloads(trace: Path, kind: str) -> list[dict[str, Any]]:
    """Return the payloads of a trace's events of one type."""
    lines = trace.read_text("utf-8").splitlines()
    found = [json.loads(line)["payload"] for line in lines]
    return [payload for payload in found if payload["type"] == kind]


@pytest.mark.parametrize("name", NAMES)
def test_without_a_memory_every_clean_family_is_verified(name: str, tmp_path: Path) -> None:
    """LOCAL-ONLY has its declared inputs: every node passes, every consumer succeeds."""
    one = toy.instance(name)
    results = toy.run(one, NoMemory(), tmp_path / "trace.jsonl")
    assert list(results) == list(Graph.of(one.family).order())
    assert all(result.receipt.verified for result in results.values())
    consumers = {edge.target for edge in one.family.edges if edge.kind == "dependency"}
    assert {name for name, result in results.items() if result.eligible} == consumers
    assert all(results[name].handed for name in consumers)


@pytest.mark.parametrize(("name", "operator"), TWINS)
def test_a_memory_that_hands_over_everything_misleads_the_target(
    name: str, operator: str, tmp_path: Path
) -> None:
    """The target succeeds in the control and not in the twin; without a memory it does in both."""
    one = toy.instance(name, operator)
    assert one.instance.pollution
    target, artifact = one.instance.pollution.target, one.instance.pollution.artifact
    clean = toy.run(toy.instance(name), FullContext(), tmp_path / "clean.jsonl")
    polluted = toy.run(one, FullContext(), tmp_path / "polluted.jsonl")
    local = toy.run(one, NoMemory(), tmp_path / "local.jsonl")
    assert clean[target].handed
    assert artifact.artifact_id in polluted[target].consumed
    assert not polluted[target].handed
    assert local[target].handed


@pytest.mark.parametrize("mode", HANDOFF_MODES)
@pytest.mark.parametrize("memory", [NoMemory, FullContext, BM25])
def test_every_trace_replays(memory: Any, mode: HandoffMode, tmp_path: Path) -> None:
    """Whatever is remembered, misleads or fails, the trace holds against every check."""
    for number, one in enumerate(toy.data().instances):
        trace = tmp_path / f"{number}.jsonl"
        toy.run(one, memory(), trace, mode=mode)
        failed = [check for check in replay(trace, SIGNER) if check.passed is False]
        assert not failed


def test_a_memory_alone_has_to_deliver(tmp_path: Path) -> None:
    """Where the harness hands nothing over, nothing arrives without a memory, all with one."""
    for name in NAMES:
        one = toy.instance(name)
        empty = toy.run(one, NoMemory(), tmp_path / f"{name}.1.jsonl", mode="memory")
        full = toy.run(one, FullContext(), tmp_path / f"{name}.2.jsonl", mode="memory")
        eligible = [result for result in empty.values() if result.eligible]
        assert eligible
        assert not any(result.handed for result in eligible)
        assert all(result.handed for result in full.values() if result.eligible)
        assert all(result.receipt.verified for result in full.values())


def test_a_worker_sees_the_applicable_in_its_view_and_the_rest_beside_it(tmp_path: Path) -> None:
    """What the memory alone delivers is in the view where a contract asks for it."""
    one = toy.instance("bridge-search", "wrong_entity")
    assert one.instance.pollution
    stand = toy.ToyStand(toy.gold_of(one.family))
    toy.run(one, FullContext(), tmp_path / "trace.jsonl", mode="memory", stand=stand)
    shown = next(each for each in stand.seen if each.view.node_id == "resolve")
    incoming = [each.artifact.producer.node_id for each in shown.view.incoming_artifacts]
    assert incoming == ["search_north", "search_south"]
    beside = [artifact.artifact_id for artifact in shown.recalled]
    assert one.instance.pollution.artifact.artifact_id in beside


def test_what_is_shown_says_which_of_it_was_verified(tmp_path: Path) -> None:
    """Declared and recalled alike; a result that no receipt stands behind has none."""
    one = toy.instance("bridge-search", "unverified_result")
    assert one.instance.pollution
    stand = toy.ToyStand(toy.gold_of(one.family))
    results = toy.run(one, FullContext(), tmp_path / "trace.jsonl", stand=stand)
    verified = {
        each.artifact.artifact_id: each.receipt.receipt_id
        for each in results.values()
        if each.receipt.verified
    }
    for shown in stand.seen:
        ids = {artifact.artifact_id for artifact in shown.artifacts}
        assert shown.receipts == {each: verified[each] for each in ids & verified.keys()}
    unverified = one.instance.pollution.artifact.artifact_id
    assert any(unverified in [each.artifact_id for each in shown.artifacts] for shown in stand.seen)
    assert not any(unverified in shown.receipts for shown in stand.seen)


def test_no_operator_or_condition_reaches_worker_or_memory(tmp_path: Path) -> None:
    """Neither what a worker is shown nor what a memory is told names a twin."""
    words = {*(operator.value for operator in Operator), "polluted", "clean"}
    for number, one in enumerate(toy.data().instances):
        memory, stand = Listening(), toy.ToyStand(toy.gold_of(one.family))
        toy.run(one, memory, tmp_path / f"{number}.jsonl", stand=stand)
        told = repr([stand.seen, memory.entries, memory.queries])
        assert one.instance.instance_id not in told
        assert not [word for word in words if word in told]


class Listening:
    """Remembers what it is told and asked, and exposes nothing."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.queries: list[Query] = []

    def ingest(self, entry: Entry) -> None:
        """Note the entry."""
        self.entries.append(entry)

    def recall(self, query: Query) -> Recall:
        """Note the question."""
        self.queries.append(query)
        return Recall()


def test_twins_tell_a_memory_the_same_but_for_one_entry(tmp_path: Path) -> None:
    """The one more artifact is written once, before its target is first asked."""
    one = toy.instance("dates-fix", "wrong_entity")
    clean, polluted = Listening(), Listening()
    toy.run(toy.instance(), clean, tmp_path / "clean.jsonl")
    toy.run(one, polluted, tmp_path / "polluted.jsonl")
    assert one.instance.pollution
    more = [each for each in polluted.entries if each not in clean.entries]
    assert [each.id for each in more] == [one.instance.pollution.artifact.artifact_id]
    assert [each for each in polluted.entries if each not in more] == clean.entries
    assert polluted.queries == clean.queries
    before = [each.speaker.id for each in polluted.entries[: polluted.entries.index(more[0])]]
    assert "plan" in before
    assert "patch" not in before


def test_a_failed_receipt_sends_control_back_along_a_revision_edge(tmp_path: Path) -> None:
    """The patch is made anew, one version higher, with the failed test's receipt before it."""
    one = toy.instance()
    stand = toy.ToyStand(toy.gold_of(one.family), Counter({"tests": 2}))
    results = toy.run(one, NoMemory(), tmp_path / "trace.jsonl", stand=stand)
    assert list(results) == list(Graph.of(one.family).order())
    assert results["release"].receipt.verified
    assert results["patch"].artifact.version == 3
    assert (results["patch"].attempts, results["tests"].attempts) == (2, 3)
    assert results["tests"].tokens["recovery"] == 20
    back = [
        each for each in payloads(tmp_path / "trace.jsonl", "handoff") if each["source"] == "tests"
    ]
    assert [each["target"] for each in back] == ["patch", "release"]
    again = [each for each in stand.seen if each.view.node_id == "patch"][1]
    incoming = [each.artifact.producer.node_id for each in again.view.incoming_artifacts]
    assert incoming == ["plan", "repro_parse", "tests"]
    assert passed(replay(tmp_path / "trace.jsonl", SIGNER))


def test_attempts_and_revisions_are_bounded(tmp_path: Path) -> None:
    """A node that never passes is played as often as the family says, and no more."""
    one = toy.instance()
    stand = toy.ToyStand(toy.gold_of(one.family), Counter({"tests": 1_000}))
    results = toy.run(one, NoMemory(), tmp_path / "trace.jsonl", stand=stand)
    # Two attempts, and two revisions with two attempts each.
    assert (results["tests"].attempts, results["patch"].attempts) == (6, 3)
    assert not results["tests"].receipt.verified
    release = results["release"]
    assert not release.eligible
    assert "the test_receipt of tests has no valid receipt" in release.lacking
    assert passed(replay(tmp_path / "trace.jsonl", SIGNER))


def test_a_node_in_a_loop_has_its_result_when_the_loop_is_over(tmp_path: Path) -> None:
    """Nothing else is played ahead of what is asked for."""
    stand = toy.ToyStand(toy.gold_of(toy.instance().family))
    running = TopologyExecutor().run(
        toy.job(toy.instance(), NoMemory(), tmp_path / "trace.jsonl", stand=stand)
    )
    played = {}
    for result in running:
        played[result.node_id] = stand.seen[-1].view.node_id
    assert played["plan"] == "plan"
    assert played["patch"] == played["tests"] == "tests"
    assert played["release"] == "release"


def test_more_tokens_than_the_contract_allows_are_a_failure_of_the_method(tmp_path: Path) -> None:
    """The output is right and came too dear."""
    one = toy.instance("sum-proof")
    execution = one.family.execution.model_copy(update={"tokens_per_node": 9})
    family = one.family.model_copy(update={"execution": execution})
    inner = one.instance.model_copy(update={"family": family})
    dear = type(one)(inner, one.oracles, one.episode)
    results = toy.run(dear, NoMemory(), tmp_path / "trace.jsonl")
    assert not results["statement"].receipt.verified
    assert results["statement"].judgement.reason == (
        "it used 10 tokens, and the execution contract allows 9"
    )


@pytest.mark.parametrize(
    ("error", "status", "expected"),
    [
        (InfrastructureError("no disk", type="sandbox"), "infrastructure_failure", "no disk"),
        (BenchmarkDefect("no such theorem"), "benchmark_defect", "no such theorem"),
        (
            ZeroDivisionError("by zero"),
            "infrastructure_failure",
            "the worker of node lemma_base raised ZeroDivisionError: by zero",
        ),
    ],
)
def test_what_breaks_ends_the_trace_and_is_told(
    error: Exception, status: str, expected: str, tmp_path: Path
) -> None:
    """A broken instance has a sealed trace that says whose fault it was."""
    one, trace = toy.instance("sum-proof"), tmp_path / "trace.jsonl"
    stand = toy.ToyStand(toy.gold_of(one.family), raises={"lemma_base": error})
    with pytest.raises((InfrastructureError, BenchmarkDefect), match=expected):
        toy.run(one, NoMemory(), trace, stand=stand)
    assert payloads(trace, "end")[0]["status"] == status
    assert passed(replay(trace, SIGNER))


class Careless(toy.ToyStand):
    """Says what no trace can hold, for a reason of its own."""

    def evaluate(self, *given: Any) -> Judgement:
        """Judge, with something for evidence that is no JSON."""
        return Judgement(True, "fine", {"seen": {1, 2}})


def test_what_no_trace_can_hold_is_the_fault_of_whoever_said_it(tmp_path: Path) -> None:
    """Evidence, and tokens, as much as outputs."""
    one = toy.instance("sum-proof")
    gold = toy.gold_of(one.family)
    with pytest.raises(InfrastructureError, match="evaluator of node statement returned"):
        toy.run(one, NoMemory(), tmp_path / "1.jsonl", stand=Careless(gold))
    with pytest.raises(InfrastructureError, match="statement says it used -1 tokens"):
        toy.run(one, NoMemory(), tmp_path / "2.jsonl", stand=toy.ToyStand(gold, tokens=-1))
    assert passed(replay(tmp_path / "1.jsonl", SIGNER))


def test_output_that_is_no_json_is_the_workers_fault(tmp_path: Path) -> None:
    """It is no failure of the method, and names the node."""
    one = toy.instance("sum-proof")
    stand = toy.ToyStand({**toy.gold_of(one.family), "statement": float("nan")})
    with pytest.raises(InfrastructureError, match="worker of node statement returned"):
        toy.run(one, NoMemory(), tmp_path / "trace.jsonl", stand=stand)
