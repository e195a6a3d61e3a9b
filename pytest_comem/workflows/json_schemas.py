"""The schema as JSON Schema, for whoever writes families or reads traces without Python."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pytest_comem.records.base import Record
from pytest_comem.workflows.artifacts import Artifact
from pytest_comem.workflows.events import Event
from pytest_comem.workflows.hidden import Instance, Oracles, PollutionPlans
from pytest_comem.workflows.receipts import Receipt
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.views import NodeView
from pytest_comem.writing import write_files

#: What is exported, by the name of its file.
EXPORTED: Final[Mapping[str, type[Record]]] = {
    "family.json": Family,
    "oracles.json": Oracles,
    "pollution.json": PollutionPlans,
    "artifact.json": Artifact,
    "receipt.json": Receipt,
    "instance.json": Instance,
    "node_view.json": NodeView,
    "trace_event.json": Event,
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
