"""The JSON Schemas of contents, for language models that make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.domains.code import contents

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_STATUSES: Final = {"type": "object", "additionalProperties": _TEXT}


def _list_of(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _object(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


_FUNCTION: Final = {
    "file": _TEXT,
    "function": _TEXT,
    "start": _NUMBER,
    "end": _NUMBER,
    "score": {"type": "number"},
    "lines": _list_of(_NUMBER),
}
_KNOWN: Final[Mapping[str, Mapping[str, Any]]] = {
    "entry_points": _list_of(_TEXT),
    "steps": _list_of(_object({"code": _TEXT, "expected": _TEXT})),
    "outcome": {"enum": ["fails", "passes", "breaks"]},
    "candidates": _list_of(_object(_FUNCTION)),
    "tests": _STATUSES,
    "start": _NUMBER,
    "end": _NUMBER,
    "lines": _list_of(_NUMBER),
    "change": {"enum": list(contents.CHANGES)},
    "hypotheses": _list_of(_TEXT),
    "tried": _NUMBER,
    "passed": {"type": "boolean"},
    "tested_sha256": _list_of(_TEXT),
    "verdict": {"enum": ["resolved", "unresolved"]},
}


def schema_of(semantic_type: str) -> dict[str, Any]:
    """Return the schema of a type's content; one that takes any object where it is not ours."""
    fields = contents.FIELDS.get(semantic_type)
    if fields is None:
        return {"type": "object"}
    return _object({field: _KNOWN.get(field, _TEXT) for field in fields})
