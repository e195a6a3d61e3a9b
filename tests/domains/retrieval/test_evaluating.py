"""The evaluator: by documents and spans, never by wording."""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from retrieval_play import directories
from shipped_families import Shipped, shipped

from pytest_comem.domains.retrieval.documents import Corpus
from pytest_comem.domains.retrieval.evaluating import evaluate
from pytest_comem.domains.retrieval.shipped import CORPUS_SHA256, corpora_root, corpus_of
from pytest_comem.executors.domain import Judgement

NAMES = tuple(one.name for one in directories())


def corpus(one: Shipped) -> Corpus:
    """Return the shipped corpus."""
    return corpus_of(one.family, corpora_root())


def judged(one: Shipped, node_id: str, content: Any, *, handed: bool = True) -> Judgement:
    """Judge a content that rests on the gold inputs of its node, or on nothing."""
    consumed = [one.gold[edge.source] for edge in one.family.inputs(node_id)] if handed else []
    node, oracle = one.family.node(node_id), one.oracles.of(node_id)
    return evaluate(corpus(one), node, oracle, content, consumed)


def gold(one: Shipped, node_id: str) -> Any:
    """Return a copy of a node's gold content."""
    return copy.deepcopy(one.oracles.of(node_id).gold)


@pytest.mark.parametrize("name", NAMES)
def test_gold_passes_and_negatives_do_not(name: str) -> None:
    """Every node's gold passes; every negative mutation of every node is rejected."""
    one = shipped(name)
    for oracle in one.oracles.oracles:
        found = judged(one, oracle.node_id, oracle.gold)
        assert found.passed, (oracle.node_id, found.reason)
        assert oracle.negatives
        for negative in oracle.negatives:
            assert not judged(one, oracle.node_id, negative.content).passed, negative.name


@pytest.mark.parametrize("name", NAMES)
def test_gold_of_any_other_node_is_rejected(name: str) -> None:
    """A node's result passes for no other node, unless both make the same."""
    one = shipped(name)
    for node in one.family.nodes:
        for other in one.family.nodes:
            content = gold(one, other.node_id)
            if content != gold(one, node.node_id):
                assert not judged(one, node.node_id, content).passed, (node.node_id, other.node_id)


def test_a_result_that_rests_on_nothing_is_rejected() -> None:
    """Where a node requires inputs, right content alone does not do."""
    one = shipped("retrieval-maker-birthplace")
    assert judged(one, "log", gold(one, "log"), handed=False).passed
    found = judged(one, "maker", gold(one, "maker"), handed=False)
    assert not found.passed
    assert found.reason == "It rests on nothing that was handed over."


def test_evidence_pins_engine_corpus_and_offsets() -> None:
    """What decided is recorded: engine and version, hash, every span and its form."""
    one = shipped("retrieval-maker-birthplace")
    content = gold(one, "maker")
    first = content["evidence"][0]
    first["quotation"] = unicodedata.normalize("NFKD", first["quotation"])
    evidence = judged(one, "maker", content).evidence
    assert evidence["engine"] == {"name": "comem-bm25", "version": "1"}
    assert evidence["corpus"] == CORPUS_SHA256
    places = [(each["doc_id"], each["start"], each["end"]) for each in evidence["quotations"]]
    assert places == [(each["doc_id"], each["start"], each["end"]) for each in content["evidence"]]
    assert {each["form"] for each in evidence["quotations"]} <= {"exact", "NFC"}


def test_names_may_be_typed_otherwise() -> None:
    """Case, blanks and accents of an answer do not count; another name does."""
    one = shipped("retrieval-maker-birthplace")
    content = gold(one, "answer")
    right = content["answer"]
    content["answer"] = f" {unicodedata.normalize('NFD', right.upper())} "
    assert judged(one, "answer", content).passed
    content["answer"] = f"{right}s"
    assert judged(one, "answer", content).reason == "Its answer is wrong."


@pytest.mark.parametrize(
    ("node_id", "change", "said"),
    [
        (
            "log",
            lambda it: it["engine"].update(version="2"),
            "Its engine is not the one that had to be used.",
        ),
        (
            "log",
            lambda it: it.update(corpus="0" * 64),
            "Its corpus is not the one that had to be used.",
        ),
        ("log", lambda it: it.update(findings=[]), "It gives 0 entities, and 0 are right."),
        (
            "maker",
            lambda it: it["evidence"].append("nothing"),
            "An entry of its evidence is no quotation.",
        ),
        ("maker", lambda it: it["evidence"].pop(), "A needed passage is not cited."),
        ("maker", lambda it: it.pop("entity"), "It has no entity."),
        (
            "audit",
            lambda it: it["checks"][0].update(exact=False),
            "A check is not one of an exact span.",
        ),
        (
            "audit",
            lambda it: it.update(passed="true"),
            "It does not say that everything was exact.",
        ),
        ("bundle", lambda it: it.update(audited=[]), "Nothing of it was audited."),
        ("bundle", lambda it: it.update(citations=[]), "It cites nothing."),
        ("bundle", lambda it: it["entities"].pop(), "Its entities are not the right ones."),
        ("verify", lambda it: it.update(verdict="unsupported"), "Its verdict is wrong."),
        ("verify", lambda it: it["documents"].pop(), "It leaves a needed document out."),
        (
            "verify",
            lambda it: it["documents"].append("pre-001"),
            "It names a document that has nothing to do with the answer.",
        ),
        ("verify", lambda it: it.update(exact=True), "It has not found every document exact."),
    ],
)
def test_what_is_wrong_is_said(node_id: str, change: Callable[[Any], object], said: str) -> None:
    """In one sentence, of each type of artifact."""
    one = shipped("retrieval-maker-birthplace")
    content = gold(one, node_id)
    change(content)
    found = judged(one, node_id, content)
    assert not found.passed
    assert found.reason == said


def test_another_sentence_of_the_right_document_is_not_enough() -> None:
    """An exact quotation supports only what it says."""
    one = shipped("retrieval-maker-birthplace")
    content = gold(one, "cradle")
    first = content["findings"][0]
    text = corpus(one).by_id[first["doc_id"]].text
    start = 0 if first["start"] > 40 else first["end"] + 1
    first.update(start=start, end=start + 20, quotation=text[start : start + 20])
    found = judged(one, "cradle", content)
    assert found.reason.endswith("says nothing of the kind where it is quoted.")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


@given(st.data())
def test_any_json_is_judged(data: st.DataObject) -> None:
    """Whatever a worker hands in, in whatever place: it is rejected, and nothing breaks."""
    one = shipped("retrieval-instrument-cradle")
    node = data.draw(st.sampled_from(one.family.nodes))
    content = gold(one, node.node_id)
    content[data.draw(st.sampled_from(sorted(content)))] = value = data.draw(JSON)
    judged(one, node.node_id, content)
    assert not judged(one, node.node_id, value).passed


def test_lists_without_end_are_not_read() -> None:
    """More entries than anybody means are refused before they are looked at."""
    one = shipped("retrieval-maker-birthplace")
    content = gold(one, "maker")
    content["evidence"] *= 1_000
    assert judged(one, "maker", content).reason == "A list of it has more than 200 entries."
