"""JSON Schemas of what nodes make, for workers that are language models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.domains.mathematics import contents

_TEXT: Final = {"type": "string"}
_TEXTS: Final = {"type": "array", "items": _TEXT}


def _object(**fields: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": sorted(fields),
        "additionalProperties": False,
    }


_PROOFS: Final = {
    "type": "array",
    "items": _object(theorem=_TEXT, statement=_TEXT, script=_TEXT),
    "maxItems": contents.MOST,
}
_REPORTS: Final = {
    "type": "array",
    "items": _object(theorem=_TEXT, statement_sha256=_TEXT, axioms=_TEXTS),
}
#: Fields that are no texts.
_OTHERS: Final[Mapping[str, Any]] = {
    "lemmas": _PROOFS,
    "proofs": _PROOFS,
    "axioms": _TEXTS,
    "audited": _TEXTS,
    "checked": _TEXTS,
    "reports": _REPORTS,
    "accepted": {"type": "boolean"},
    "verdict": {"enum": ["accepted", "rejected"]},
}


def schema_of(output_type: str) -> Mapping[str, Any]:
    """Return the schema of a semantic type's content; of an unknown type, any object's."""
    fields = contents.FIELDS.get(output_type)
    if fields is None:
        return {"type": "object"}
    return _object(**{name: _OTHERS.get(name, _TEXT) for name in sorted(fields)})
