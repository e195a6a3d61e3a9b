"""The exported JSON Schema files are those of the code."""

from __future__ import annotations

import json
from pathlib import Path

from pytest_comem.locations import fixture_path
from pytest_comem.streams.json_schemas import EXPORTED, schema_texts, write_schemas

FOLDER = fixture_path("schemas", "contextweave")


def test_exported_files_are_up_to_date() -> None:
    """Otherwise ``write_schemas`` has to be called again."""
    known = {path.name: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
    made = {name: json.loads(text) for name, text in schema_texts().items()}
    assert known == made, "call write_schemas(fixture_path('schemas', 'contextweave')) again"


def test_files_are_written_whole(tmp_path: Path) -> None:
    """One a type, and each says that no other field is allowed."""
    write_schemas(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == set(EXPORTED)
    for path in tmp_path.iterdir():
        assert json.loads(path.read_text("utf-8"))["additionalProperties"] is False


def test_what_an_agent_gets_has_no_hidden_definition() -> None:
    """The schemas of public files speak of no rubric, reference or label."""
    texts = schema_texts()
    names = {
        name
        for file in ("participant.json", "task.json", "session.json", "workspace.json", "plan.json")
        for name in json.loads(texts[file]).get("$defs", {})
    }
    assert {"Observation", "Message", "PlanStep"} <= names
    hidden = set(json.loads(texts["rubric.json"])["$defs"]) - {"JsonValue"}
    assert {"Check", "PreferenceItem"} <= hidden
    assert not names & hidden
