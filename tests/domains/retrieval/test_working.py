"""The offline worker on the shipped families."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from retrieval_play import directories, played, pollutions
from shipped_families import shipped, view_of

from pytest_comem.domains.retrieval.kit import RetrievalKit
from pytest_comem.executors.domain import Shown
from pytest_comem.workflows.artifacts import make_artifact
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.views import CapabilityToken

NAMES = tuple(one.name for one in directories())


@pytest.mark.parametrize("name", NAMES)
def test_every_clean_node_passes_on_gold_inputs(name: str) -> None:
    """With the declared inputs alone, whoever made them; all of them are consumed."""
    one = shipped(name)
    with RetrievalKit().open(one.family, "w-1") as stand:
        for node in one.family.nodes:
            work = stand.work(Shown(view_of(one.family, node.node_id, one.gold)))
            inputs = [one.gold[edge.source] for edge in one.family.inputs(node.node_id)]
            assert sorted(work.consumed) == sorted(each.artifact_id for each in inputs)
            assert work.tokens["execution"] > 0
            made = one.gold[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed, (node.node_id, found.reason)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("everything", [False, True])
def test_clean_families_complete(name: str, everything: bool) -> None:
    """By the worker's own outputs, also where all that was made before is recalled."""
    verdicts = played(shipped(name), everything=everything)
    assert {node: each.reason for node, each in verdicts.items() if not each.passed} == {}


def test_every_operator_misleads_it_somewhere() -> None:
    """And none everywhere: it withstands what looks less right than the declared input."""
    struck, misled = Counter[Operator](), Counter[Operator]()
    for name, pollution in pollutions():
        verdicts = played(shipped(name), everything=True, pollution=pollution)
        struck[pollution.operator] += 1
        misled[pollution.operator] += not verdicts[pollution.target].passed
    for operator in Operator:
        assert 0 < misled[operator] < struck[operator]
        assert struck[operator] >= 8


def test_tools_are_used_as_the_token_allows() -> None:
    """Every call is an action; without the tools in its token a node finds nothing."""
    one = shipped("retrieval-maker-birthplace")
    view = view_of(one.family, "log", one.gold)
    with RetrievalKit().open(one.family, "w-1") as stand:
        work = stand.work(Shown(view))
        assert [each["tool"] for each in work.actions][:2] == ["corpus_search", "corpus_open"]
        token = CapabilityToken(token_id="t-1", node_id="log", tools=(), servers=())
        work = stand.work(Shown(view.model_copy(update={"capability_token": token})))
        assert not work.actions
        assert not work.content["findings"]


@pytest.mark.parametrize("content", [None, 7, "x", [], {"evidence": [{"doc_id": 1}], "entity": []}])
def test_it_works_with_whatever_it_is_shown(content: object) -> None:
    """Contents that are no results of this domain make bad work, and nothing breaks."""
    one = shipped("retrieval-maker-keeper-founder")
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
    with RetrievalKit().open(one.family, "w-1") as stand:
        for node in one.family.nodes:
            inputs = [broken[edge.source] for edge in one.family.inputs(node.node_id)]
            work = stand.work(Shown(view_of(one.family, node.node_id, broken)))
            made = broken[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed is not bool(inputs)


PLAY = """
from shipped_families import shipped, view_of
from pytest_comem.domains.retrieval.kit import RetrievalKit
from pytest_comem.executors.domain import Shown
from pytest_comem.records.canonical import digest
one = shipped("retrieval-return-and-leader")
with RetrievalKit().open(one.family, "w-1") as stand:
    for node in one.family.nodes:
        recalled = tuple(one.gold.values())
        work = stand.work(Shown(view_of(one.family, node.node_id, one.gold), recalled))
        print(digest([work.content, list(work.consumed), list(work.actions), dict(work.tokens)]))
"""


def test_it_does_the_same_everywhere() -> None:
    """Content, choice, actions and counts hang on no hash order, locale or time zone."""
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
