"""The reader of the released files: maps what it can, and lists the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.errors import DataError
from pytest_comem.workflows.published import FILES, read_published
from pytest_comem.workflows.published_rows import Skipped
from pytest_comem.workflows.schema import TopologyLabel

FAMILY = {
    "workflow_family_id": "f1",
    "domain": "repository_code",
    "partition": "test",
    "tasks": [{"task_id": name, "objective": f"do {name}", "budget": 3} for name in "abcd"],
    "dependency_edges": [
        {"from": "a", "to": "b", "handoff_contract": {"semantic_type": "plan", "ttl": 1}},
        ["a", "c"],
        {"producer_node_id": "b", "consumer_node_id": "d"},
        {"src": "c", "dst": "d", "colour": "red"},
    ],
    "difficulty": "hard",
}


def write(folder: Path, name: str, *rows: Any) -> None:
    """Write rows, or raw text, as JSON Lines."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_plausible_names_are_understood(tmp_path: Path) -> None:
    """Under our names, with topology from the edges."""
    write(tmp_path, FILES[0], FAMILY)
    found = read_published(tmp_path)
    family = found.families["f1"]
    assert family.fields == {"domain": "repository_code", "split": "test"}
    assert family.nodes["b"] == {"node_id": "b", "task": "do b"}
    ends = [(edge["source"], edge["target"]) for edge in family.edges]
    assert ends == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert family.edges[0]["semantic_type"] == "plan"
    chain, split, reuse = TopologyLabel.CHAIN, TopologyLabel.SPLIT_JOIN, TopologyLabel.REUSE
    assert family.labels == {chain, split, reuse}


def test_what_was_not_understood_is_listed(tmp_path: Path) -> None:
    """By file, path and number, with the files that are missing; and no score is promised."""
    write(tmp_path, FILES[0], FAMILY)
    found = read_published(tmp_path)
    assert found.unmapped == {
        (FILES[0], "difficulty"): 1,
        (FILES[0], "nodes[].budget"): 4,
        (FILES[0], "edges[].colour"): 1,
        (FILES[0], "edges[].contract.ttl"): 1,
    }
    assert found.missing == FILES[1:]
    report = list(found.report())
    assert "workflow_families.jsonl: field nodes[].budget was not understood (4 times)" in report
    assert "node_contexts.jsonl: not there" in report
    assert "nothing here can be scored" in report[-1]


def test_all_four_files(tmp_path: Path) -> None:
    """Contexts by family and node; documents and mathematics as rows."""
    write(tmp_path, FILES[0], FAMILY)
    write(tmp_path, FILES[1], {"family_id": "f1", "node_id": "a", "authorized_context": ["x"]})
    write(tmp_path, FILES[2], {"doc_id": "d1", "contents": "text", "title": "T"})
    write(tmp_path, FILES[3], {"theorem_id": "t1", "formal_statement": "1 = 1", "level": 2})
    found = read_published(tmp_path)
    assert found.contexts == {("f1", "a"): ["x"]}
    assert found.documents == [{"document_id": "d1", "text": "text", "title": "T"}]
    assert found.math_cases == [{"case_id": "t1", "statement": "1 = 1"}]
    assert found.unmapped[FILES[3], "level"] == 1
    assert found.missing == ()


def test_rows_of_another_kind_are_passed_over(tmp_path: Path) -> None:
    """Each with its line and the reason; the rest is read."""
    nothing = {"colour": "red"}
    doubled = {**FAMILY, "dependency_edges": []}
    write(tmp_path, FILES[0], "{broken", "[1]", nothing, "", FAMILY, doubled, {"id": "f2"})
    found = read_published(tmp_path)
    assert [(one.line, one.reason) for one in found.skipped] == [
        (1, "not JSON, or not UTF-8"),
        (2, "not a JSON object"),
        (3, "no field that looks like a family's id"),
        (6, "a family of this id was there before"),
        (7, "its nodes were not understood; the rest was kept"),
    ]
    assert set(found.families) == {"f1", "f2"}
    assert found.skipped[0] == Skipped(FILES[0], 1, "not JSON, or not UTF-8")


def test_nodes_and_edges_of_odd_forms(tmp_path: Path) -> None:
    """Nodes by name, edges to nowhere, a cycle: read as they are, without labels."""
    nodes = {"a": "do a", "b": {"prompt": "do b"}}
    edges = [["a", "b"], ["b", "a"], ["a"], 7, ["a", "x"]]
    write(tmp_path, FILES[0], {"id": "f", "nodes": nodes, "edges": edges})
    family = read_published(tmp_path).families["f"]
    assert family.nodes["a"]["task"] == "do a"
    assert len(family.edges) == 3
    assert family.labels == frozenset()


def test_a_directory_of_something_else_is_refused(tmp_path: Path) -> None:
    """It says which files it looked for."""
    with pytest.raises(DataError, match=r"none of workflow_families\.jsonl"):
        read_published(tmp_path)


def test_hostile_field_names_are_shown_harmlessly(tmp_path: Path) -> None:
    """In the report they neither move a cursor nor go on without end."""
    write(tmp_path, FILES[0], {"id": "f", "\x1b[2J" + "y" * 1000: 1})
    report = "\n".join(read_published(tmp_path).report())
    assert "\x1b" not in report
    assert len(report) < 1000
