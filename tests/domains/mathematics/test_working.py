"""The offline worker on the shipped families."""

from __future__ import annotations

import os
from collections import Counter

import pytest
from mathematics_play import QUICK, directories, needs_coq, played, pollutions
from shipped_families import shipped, view_of

from pytest_comem.domains.mathematics.kit import MathematicsKit
from pytest_comem.executors.domain import Shown
from pytest_comem.records.canonical import canonical
from pytest_comem.workflows.artifacts import make_artifact
from pytest_comem.workflows.hidden import Operator
from pytest_comem.workflows.views import CapabilityToken

slow = pytest.mark.skipif(
    os.environ.get("COMEM_SLOW") != "1", reason="proves for minutes; set COMEM_SLOW=1"
)
NAMES = [
    name if name in QUICK else pytest.param(name, marks=[pytest.mark.slow, slow])
    for name in (one.name for one in directories())
]
pytestmark = needs_coq


@pytest.mark.parametrize("name", NAMES)
def test_clean_families_complete(name: str) -> None:
    """By the worker's own proofs, also where all that was made before is recalled."""
    for everything in (False, True):
        verdicts = played(shipped(name), everything=everything)
        assert {node: each.reason for node, each in verdicts.items() if not each.passed} == {}


@pytest.mark.parametrize("name", NAMES)
def test_every_clean_node_passes_on_gold_inputs(name: str) -> None:
    """With the declared inputs alone, whoever made them; all of them are consumed."""
    one = shipped(name)
    with MathematicsKit().open(one.family, "w-1") as stand:
        for node in one.family.nodes:
            work = stand.work(Shown(view_of(one.family, node.node_id, one.gold)))
            inputs = [one.gold[edge.source] for edge in one.family.inputs(node.node_id)]
            assert sorted(work.consumed) == sorted(each.artifact_id for each in inputs)
            assert work.tokens["execution"] > 0
            made = one.gold[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed, (node.node_id, found.reason)


def test_it_searches_and_does_not_look_gold_up() -> None:
    """Its scripts are its own."""
    one = shipped("math-list-reversal")
    with MathematicsKit().open(one.family, "w-1") as stand:
        work = stand.work(Shown(view_of(one.family, "nil", one.gold)))
    gold = one.gold["nil"].content
    assert isinstance(gold, dict)
    assert work.content["script"] != gold["script"]
    assert [each["tool"] for each in work.actions] == ["check_proof"]


def _misled(names: tuple[str, ...]) -> tuple[Counter[Operator], Counter[Operator]]:
    struck, misled = Counter[Operator](), Counter[Operator]()
    for name, pollution in pollutions():
        if name in names:
            verdicts = played(shipped(name), everything=True, pollution=pollution)
            struck[pollution.operator] += 1
            misled[pollution.operator] += not verdicts[pollution.target].passed
    return struck, misled


def test_twins_mislead_it() -> None:
    """A wrong lemma or statement that is taken makes a proof that does not count."""
    struck, misled = _misled(QUICK[:2])
    assert misled.total() * 2 > struck.total()


@pytest.mark.slow
@slow
def test_every_operator_misleads_it_somewhere() -> None:
    """And none everywhere: it withstands what looks less right than the declared input."""
    struck, misled = _misled(tuple(one.name for one in directories()))
    for operator in Operator:
        assert 0 < misled[operator] < struck[operator]
        assert struck[operator] >= 8


def test_tools_are_used_as_the_token_allows() -> None:
    """Without the tools in its token a node finds and proves nothing."""
    one = shipped("math-parity")
    with MathematicsKit().open(one.family, "w-1") as stand:
        for node_id in ("say_main", "main", "axioms", "check"):
            view = view_of(one.family, node_id, one.gold)
            token = CapabilityToken(token_id="t-1", node_id=node_id, tools=(), servers=())
            work = stand.work(Shown(view.model_copy(update={"capability_token": token})))
            assert not work.actions
            made = one.gold[node_id].model_copy(update={"content": work.content})
            inputs = [one.gold[edge.source] for edge in one.family.inputs(node_id)]
            node = one.family.node(node_id)
            assert not stand.evaluate(node, one.oracles.of(node_id), made, inputs).passed


@pytest.mark.parametrize(
    "content",
    [None, 7, "x", [], {"theorem": [], "lemmas": [{"theorem": 1}], "proofs": 7, "reports": [7]}],
)
def test_it_works_with_whatever_it_is_shown(content: object) -> None:
    """Contents that are no results of this domain make bad work, and nothing breaks."""
    one = shipped("math-parity")
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
    with MathematicsKit().open(one.family, "w-1") as stand:
        for node in one.family.nodes:
            inputs = [broken[edge.source] for edge in one.family.inputs(node.node_id)]
            work = stand.work(Shown(view_of(one.family, node.node_id, broken)))
            canonical(work.content)
            made = broken[node.node_id].model_copy(update={"content": work.content})
            found = stand.evaluate(node, one.oracles.of(node.node_id), made, inputs)
            assert found.passed is not bool(inputs)
