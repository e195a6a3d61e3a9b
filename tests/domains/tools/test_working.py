"""The offline worker on the shipped families; the servers are stand-ins."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from shipped_families import pollutions_of, shipped, view_of
from tools_play import directories, played
from tools_stand_in import stand_in

from pytest_comem.errors import InfrastructureError
from pytest_comem.executors.domain import Shown
from pytest_comem.workflows.artifacts import make_artifact
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.views import CapabilityToken

NAMES = tuple(one.name for one in directories())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("everything", [False, True])
def test_clean_families_complete(name: str, everything: bool) -> None:
    """By the worker's own outputs, also where all that was made before is recalled."""
    one = shipped(name)
    with stand_in(one.family) as stand:
        verdicts = played(one, stand, everything=everything)
    assert {node: each.reason for node, each in verdicts.items() if not each.passed} == {}
    assert len(verdicts) == len(one.family.nodes)


@pytest.mark.parametrize("name", NAMES)
def test_what_it_makes_is_the_ground_truth(name: str) -> None:
    """On gold inputs it consumes all of them, and its contents are those of the oracles."""
    one = shipped(name)
    with stand_in(one.family) as stand:
        for node in one.family.nodes:
            work = stand.work(Shown(view_of(one.family, node.node_id, one.gold)))
            stand.ground.lay(one.gold[node.node_id].content)
            inputs = [one.gold[edge.source] for edge in one.family.inputs(node.node_id)]
            assert sorted(work.consumed) == sorted(each.artifact_id for each in inputs)
            assert work.tokens["execution"] > 0
            made = one.gold[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed, (node.node_id, found.reason)


def test_every_operator_misleads_it_somewhere() -> None:
    """And none everywhere: it withstands what looks less right than the declared input."""
    struck, misled = Counter[Operator](), Counter[Operator]()
    for name in NAMES:
        for pollution in pollutions_of(name):
            with stand_in(shipped(name).family) as stand:
                verdicts = played(shipped(name), stand, everything=True, pollution=pollution)
            struck[pollution.operator] += 1
            misled[pollution.operator] += not verdicts[pollution.target].passed
    for operator in Operator:
        assert 0 < misled[operator] < struck[operator], operator
    assert sum(misled.values()) > sum(struck.values()) / 2


@pytest.mark.parametrize("name", ["tools-reorder-request", "tools-changelog", "tools-sheet-chain"])
def test_a_second_attempt_mends_the_first(name: str) -> None:
    """What wrong inputs left in the state is overwritten by the work on right ones."""
    one = shipped(name)
    others = {
        node_id: right.model_copy(update={"content": _shifted(right.content)})
        for node_id, right in one.gold.items()
    }
    with stand_in(one.family) as stand:
        for node in one.family.nodes:
            oracle, gold = one.oracles.of(node.node_id), one.gold[node.node_id]
            inputs = [one.gold[edge.source] for edge in one.family.inputs(node.node_id)]
            if inputs:
                work = stand.work(Shown(view_of(one.family, node.node_id, others)))
                made = gold.model_copy(update={"content": work.content})
                assert not stand.evaluate(node, oracle, made, inputs).passed, node.node_id
            work = stand.work(Shown(view_of(one.family, node.node_id, one.gold)))
            made = gold.model_copy(update={"content": work.content})
            assert stand.evaluate(node, oracle, made, inputs).passed, node.node_id


def _shifted(value: object) -> object:
    """Return a content with other numbers."""
    if isinstance(value, dict):
        return {key: _shifted(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shifted(each) for each in value]
    return 3 * value + 1 if isinstance(value, int) and not isinstance(value, bool) else value


@pytest.mark.parametrize("content", [None, 7, "x", [], {"table": {"columns": ["item"], "rows": 7}}])
def test_it_works_with_whatever_it_is_shown(content: object) -> None:
    """Contents that are no results of this domain make bad work, and nothing breaks."""
    one = shipped("tools-three-sources")
    broken = {
        node_id: make_artifact(
            content,
            semantic_type=right.semantic_type,
            entity_scope=right.entity_scope,
            version=right.version,
            producer=right.producer,
            salt=node_id,
        )
        for node_id, right in one.gold.items()
    }
    with stand_in(one.family) as stand:
        for node in one.family.nodes:
            inputs = [broken[edge.source] for edge in one.family.inputs(node.node_id)]
            work = stand.work(Shown(view_of(one.family, node.node_id, broken)))
            made = broken[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed is not bool(inputs)


def test_tools_are_used_as_the_token_allows() -> None:
    """Every call is an action; without its tools a node leaves nothing behind."""
    one = shipped("tools-reorder-request")
    view = view_of(one.family, "list_stock", one.gold)
    with stand_in(one.family) as stand:
        work = stand.work(Shown(view))
        assert [each["tool"] for each in work.actions] == [
            "sqlite__read_query",
            "filesystem__write_file",
        ]
        stand.servers.calls.clear()
        token = CapabilityToken(
            token_id="t-1", node_id="list_stock", tools=(), servers=("sqlite", "filesystem")
        )
        work = stand.work(Shown(view.model_copy(update={"capability_token": token})))
        assert not work.actions
        assert not stand.servers.calls
        assert "table" not in work.content


@pytest.mark.parametrize("name", NAMES)
def test_without_its_inputs_it_does_bad_work(name: str) -> None:
    """Where a memory delivered nothing: a verdict, no error."""
    one = shipped(name)
    with stand_in(one.family) as stand:
        for node in one.family.nodes:
            view = view_of(one.family, node.node_id, one.gold)
            work = stand.work(Shown(view.model_copy(update={"incoming_artifacts": ()})))
            made = one.gold[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, ())
            assert work.consumed == ()
            assert found.passed is not bool(one.family.inputs(node.node_id))


def test_a_broken_server_is_no_bad_work() -> None:
    """It goes through to whoever tells infrastructure from methods."""
    one = shipped("tools-reorder-request")
    broken = {"sqlite__read_query": InfrastructureError("it died", type="server")}
    with stand_in(one.family, broken) as stand, pytest.raises(InfrastructureError, match="it died"):
        stand.work(Shown(view_of(one.family, "list_stock", one.gold)))


PLAY = """
from shipped_families import shipped, view_of
from tools_stand_in import stand_in
from pytest_comem.executors.domain import Shown
from pytest_comem.records.canonical import digest
for name in ("tools-reorder-request", "tools-visit-slots"):
    one = shipped(name)
    with stand_in(one.family) as stand:
        for node in one.family.nodes:
            recalled = tuple(one.gold.values())
            work = stand.work(Shown(view_of(one.family, node.node_id, one.gold), recalled))
            made = one.gold[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, [])
            did = [list(work.consumed), list(work.actions), dict(work.tokens)]
            print(digest([work.content, *did]))
            print(digest(dict(found.evidence)))
"""


def test_it_does_the_same_everywhere() -> None:
    """Content, choice, actions, counts and evidence hang on no hash order, locale or time zone."""
    acceptance = Path(__file__).resolve().parents[2] / "acceptance"
    said = set()
    for seed, zone in (("0", "UTC"), ("99", "Asia/Kathmandu")):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": zone, "LC_ALL": "C"}
        environment["PYTHONPATH"] = os.pathsep.join([str(acceptance), *sys.path])
        done = subprocess.run(
            [sys.executable, "-c", PLAY],
            env=environment,
            capture_output=True,
            check=True,
            timeout=120,
        )
        said.add(done.stdout)
    assert len(said) == 1
    assert said != {b""}
