"""The exported JSON Schema files are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_comem.locations import fixture_path
from pytest_comem.workflows.json_schemas import EXPORTED, schema_texts, write_schemas

FOLDER = fixture_path("schemas", "comembench")


def test_exported_files_are_up_to_date() -> None:
    """Otherwise ``write_schemas`` has to be called again."""
    known = {path.name: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
    made = {name: json.loads(text) for name, text in schema_texts().items()}
    assert known == made, "call write_schemas(fixture_path('schemas', 'comembench')) again"


def test_files_are_written_whole(tmp_path: Path) -> None:
    """One a type, and each says that no other field is allowed."""
    write_schemas(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(EXPORTED)
    for path in tmp_path.iterdir():
        assert json.loads(path.read_text("utf-8"))["additionalProperties"] is False


def test_what_a_worker_gets_has_no_hidden_definition() -> None:
    """The schema of a node view speaks of no oracle, pollution or instance."""
    names = set(json.loads(schema_texts()["node_view.json"])["$defs"])
    assert "CapabilityToken" in names
    assert not names & {"Oracle", "Pollution", "PollutionPlan", "Instance", "Operator", "Decoy"}
