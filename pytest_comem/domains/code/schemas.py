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


_TOLD: Final = {
    "issue": "Id of the issue, as the task's parameters have it.",
    "base_commit": "Commit that the issue is reported on, as the task's parameters have it.",
    "title": "Title of the issue.",
    "entry_points": "Public names that the examples call, dotted; a method as .name.",
    "steps": "Statements of the examples in order, each with what is shown after it.",
    "actual": "What the issue says to come instead.",
    "script": "Python that fails by an assertion on the base commit, and passes once it is fixed.",
    "outcome": "What the script came to on the base commit.",
    "error": "Last line that the script said on standard error.",
    "method": "How the functions were found: spectrum or words.",
    "candidates": "Functions that may hold the fault, at most five, the most suspicious first.",
    "tests": "Status of every test by its node id: PASSED, FAILED, SKIPPED, XFAIL or ERROR.",
    "file": "Path of the module that has to be changed.",
    "function": "Name of the function that has to be changed; a method as Class.method.",
    "start": "First line of the function, from 1.",
    "end": "Last line of the function.",
    "lines": "Lines of it in the order of suspicion; may be empty.",
    "change": "Kind of change.",
    "hypotheses": "What kinds of fault it could have.",
    "patch": "Unified diff against the base commit; empty for what write_file has written.",
    "patch_sha256": "SHA-256 of the patch that this is about; empty to have it filled in.",
    "operator": "How the change was found, in a word or two.",
    "tried": "How many changes were tried.",
    "scope": "focused or regression, as the task's parameters have it.",
    "reproduction": "passes, if a script was handed over and passes; empty where none was.",
    "passed": "Whether everything passed.",
    "candidate_sha256": "The patch_sha256 of the candidate that is released.",
    "tested_sha256": "The patch_sha256 of every test receipt handed over, each once.",
    "version": "The version that is released, such as 1.2.4.",
    "changelog": "The new line of the changelog, which names the issue's id.",
    "verdict": "Whether the release resolves the issue.",
}


def schema_of(semantic_type: str) -> dict[str, Any]:
    """Return the schema of a type's content; one that takes any object where it is not ours."""
    fields = contents.FIELDS.get(semantic_type)
    if fields is None:
        return {"type": "object"}
    told = {field: {**_KNOWN.get(field, _TEXT), "description": _TOLD[field]} for field in fields}
    return _object(told)
