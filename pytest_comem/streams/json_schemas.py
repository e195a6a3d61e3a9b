"""A stream's files as JSON Schema, for whoever writes streams without Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_comem.records.base import Record
from pytest_comem.streams.hidden import Relevance, RootPreferences, Rubric
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Participant, Session, Task, Workspace
from pytest_comem.writing import write_files

#: What is exported, by the name of its file. ``workspace.json`` is that of ``reference.json``, too.
EXPORTED: Final[Mapping[str, type[Record]]] = {
    "participant.json": Participant,
    "task.json": Task,
    "session.json": Session,
    "workspace.json": Workspace,
    "plan.json": Plan,
    "rubric.json": Rubric,
    "relevance.json": Relevance,
    "preferences.json": RootPreferences,
}


def schema_texts() -> dict[str, str]:
    """Return the text of every exported file, by its name."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    return {
        name: json.dumps({"$schema": draft, **model.model_json_schema()}, indent=1, sort_keys=True)
        + "\n"
        for name, model in EXPORTED.items()
    }


def write_schemas(directory: Path) -> None:
    """Write the exported files, over those of before.

    :raises SettingsError: where one cannot be written.
    """
    write_files({directory / name: [text] for name, text in schema_texts().items()})
