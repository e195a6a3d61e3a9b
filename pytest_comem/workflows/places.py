"""Which family and node a field of a family's file belongs to, for error messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_comem.records.strict_json import clipped


def place_of_field(document: Mapping[str, Any], path: Sequence[str | int]) -> str:
    """Return family and node (or edge) of a field, as far as the document itself names them."""
    named = [("family", document.get("family_id"))]
    match path:
        case ["nodes" | "oracles" | "plans" | "decoys" as part, int(index), *_]:
            entry = document[part][index]
            if isinstance(entry, dict):
                keys = {"plans": "target", "decoys": "producer"}
                named.append(("node", entry.get(keys.get(part, "node_id"))))
        case ["edges", int(index), *_]:
            entry = document["edges"][index]
            if isinstance(entry, dict):
                named.append(("edge", f"{entry.get('source')} -> {entry.get('target')}"))
    shown = [f"{kind} {clipped(name)}" for kind, name in named if isinstance(name, str)]
    return f"{', '.join(shown)}: " if shown else ""
