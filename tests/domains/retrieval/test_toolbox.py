"""The tools of retrieval as a language model gets them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from retrieval_play import directories
from shipped_families import shipped, view_of

from pytest_comem.domains.retrieval import contents
from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.kit import RetrievalKit
from pytest_comem.domains.retrieval.schemas import schema_of
from pytest_comem.domains.retrieval.shipped import corpora_root, corpus_of
from pytest_comem.domains.retrieval.toolbox import RetrievalToolbox
from pytest_comem.executors.domain import ToolRefusal
from pytest_comem.workflows.views import NodeView

ONE = shipped("retrieval-instrument-cradle")
CORPUS = corpus_of(ONE.family, corpora_root())


def view(node_id: str) -> NodeView:
    """Return a node's view."""
    return view_of(ONE.family, node_id, ONE.gold)


def call(node_id: str, name: str, **arguments: Any) -> Any:
    """Return what a tool says at a node."""
    return json.loads(RetrievalToolbox(CORPUS, view(node_id)).call(name, arguments))


def test_a_node_has_the_tools_that_its_token_names() -> None:
    """And no other: an audit opens, and does not search."""
    with RetrievalKit().open(ONE.family, "w-1") as stand:
        found = {
            node: [spec.name for spec in stand.tools(view(node)).specs()]
            for node in ("plate", "audit", "bundle")
        }
    assert found == {
        "plate": ["corpus_search", "corpus_open"],
        "audit": ["corpus_open"],
        "bundle": [],
    }
    with pytest.raises(ToolRefusal, match="there is no such tool here; there is corpus_open"):
        call("audit", "corpus_search", partition="lives", query="x")


def test_every_sentence_comes_with_its_offsets() -> None:
    """Whoever copies text and offsets quotes exactly."""
    opened = call("plate", "corpus_open", doc_id="wor-023", start=0)
    text = CORPUS.by_id["wor-023"].text
    assert len(opened["sentences"]) == 15
    assert all(text[one["start"] : one["end"]] == one["text"] for one in opened["sentences"])
    assert opened["read_on_from"] is None
    assert "".join(one["text"] for one in opened["sentences"]).split() != []


def test_a_search_names_the_best_documents_of_one_partition() -> None:
    """With the sentence that fits best; nothing where no word is known."""
    found = call("plate", "corpus_search", partition="workshops", query="maker Halholm Sextant")
    assert found[0]["doc_id"] == "wor-023"
    assert {one["partition"] for one in found} == {"workshops"}
    assert len(found) == 10
    sentence = found[0]["sentence"]
    assert CORPUS.by_id["wor-023"].text[sentence["start"] : sentence["end"]] == sentence["text"]
    assert call("plate", "corpus_search", partition="lives", query="zzzzzz") == []


def test_a_long_document_is_read_in_parts() -> None:
    """Every sentence once, in order, and answers of bounded length."""
    sentence = "Word after word the long text went on. "
    long = Document("d-1", "Long", sentence * 500 + "z" * 20_000, "lives", "1900-01-01")
    box = RetrievalToolbox(Corpus((long,), "0" * 64), view("plate"))
    starts: list[int] = []
    start: int | None = 0
    while start is not None:
        answer = box.call("corpus_open", {"doc_id": "d-1", "start": start})
        assert len(answer) < 60_000
        opened = json.loads(answer)
        starts += [one["start"] for one in opened["sentences"]]
        start = opened["read_on_from"]
    assert starts == sorted(set(starts))
    assert starts[:2] == [0, len(sentence)]
    assert len(starts) == 501


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("corpus_search", {}),
        ("corpus_search", {"partition": "lives"}),
        ("corpus_search", {"partition": "lives", "query": "  "}),
        ("corpus_search", {"partition": {"a": 1}, "query": "x"}),
        ("corpus_search", {"partition": "x" * 10_000, "query": "x"}),
        ("corpus_open", {"doc_id": 7}),
        ("corpus_open", {"doc_id": "../corpus.jsonl"}),
        ("corpus_open", {"doc_id": "wor-023", "start": True}),
        ("corpus_open", {"doc_id": "wor-023", "start": "0"}),
        ("corpus_open", {"doc_id": "wor-023", "start": 1.5}),
        ("", {}),
        ("__class__", {}),
    ],
)
def test_arguments_of_any_shape_are_refused_in_words(name: str, arguments: dict[str, Any]) -> None:
    """Short ones, whatever was given."""
    with pytest.raises(ToolRefusal) as caught:
        RetrievalToolbox(CORPUS, view("plate")).call(name, arguments)
    assert 0 < len(str(caught.value)) < 300


def test_engine_and_corpus_are_put_in() -> None:
    """In place of whatever the model says of them; other contents stay as they are."""
    evidence = RetrievalToolbox(CORPUS, view("plate")).complete({"corpus": "mine", "findings": []})
    assert evidence == {
        "corpus": CORPUS.sha256,
        "engine": {"name": "comem-bm25", "version": "1"},
        "findings": [],
    }
    assert RetrievalToolbox(CORPUS, view("audit")).complete({}) == {"corpus": CORPUS.sha256}
    assert RetrievalToolbox(CORPUS, view("bundle")).complete({"answer": "x"}) == {"answer": "x"}
    others: tuple[Any, ...] = (None, [], "x", 3)
    for other in others:
        assert RetrievalToolbox(CORPUS, view("plate")).complete(other) == other


def test_schemas_describe_what_every_node_has_to_make() -> None:
    """Every gold content has the form of its schema, once engine and corpus are left out."""
    seen = set()
    for directory in directories():
        one = shipped(directory.name)
        for node in one.family.nodes:
            schema = schema_of(view_of(one.family, node.node_id, one.gold))
            gold: Any = one.gold[node.node_id].content
            given = {key: gold[key] for key in gold if key in schema["properties"]}
            assert (
                RetrievalToolbox(CORPUS, view_of(one.family, node.node_id, one.gold)).complete(
                    given
                )
                == gold
            )
            assert fits(given, schema)
            seen.add(node.output_type)
    assert seen == set(contents.FIELDS)


def fits(value: Any, schema: Any) -> bool:
    """Whether a value has the form of a schema of the kind that we use."""
    kind = schema["type"]
    if kind == "object":
        named = schema["properties"]
        assert schema["required"] == list(named)
        assert schema["additionalProperties"] is False
        return set(value) == set(named) and all(fits(value[key], named[key]) for key in named)
    if kind == "array":
        return isinstance(value, list) and all(fits(each, schema["items"]) for each in value)
    plain = {"string": str, "integer": int, "boolean": bool}
    return type(value) is plain[kind] and value in schema.get("enum", [value])
