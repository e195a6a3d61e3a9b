"""The JSON Schema of what each node has to make, in the form that strict providers take.

The name of the search engine and the hash of the corpus are left out: whoever works with the tools
cannot be wrong about them, so :mod:`pytest_comem.domains.retrieval.toolbox` puts them in.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_comem.domains.retrieval import contents
from pytest_comem.workflows.views import NodeView

_TEXT: Final = {"type": "string"}
_COUNT: Final = {"type": "integer"}


def _object(**members: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"type": "array", "items": dict(items), "description": description}


def _named(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


_SPAN: Final = {"doc_id": _TEXT, "start": _COUNT, "end": _COUNT}
_QUOTED: Final = _object(**_SPAN, quotation=_TEXT)
_QUOTATIONS: Final = _list(
    _QUOTED,
    "whole sentences, letter by letter, with their document and the offsets that tools gave",
)
_FINDINGS: Final = _list(
    _object(entity=_TEXT, **_SPAN, quotation=_TEXT),
    "an entity by its full name, or a year, with a whole sentence that gives it, letter by letter, "
    "its document and its offsets",
)
_CHECKS: Final = _list(
    _object(**_SPAN, exact={"type": "boolean"}),
    "every quoted passage of what was handed over, and whether its document says it there",
)
_SCHEMAS: Final[Mapping[str, Mapping[str, Any]]] = {
    contents.EVIDENCE: _object(
        partition=_named("the partition that was searched"), findings=_FINDINGS
    ),
    contents.RESOLVED: _object(
        entity=_named("the full name as the evidence has it"), evidence=_QUOTATIONS
    ),
    contents.ANSWER: _object(
        answer=_named("the full name or the year, and nothing else"), evidence=_QUOTATIONS
    ),
    contents.PROVENANCE: _object(
        claims=_list(_TEXT, "the entities and answers that the audited artifacts stand for"),
        checks=_CHECKS,
        passed={"type": "boolean", "description": "whether every passage was exact"},
    ),
    contents.BUNDLE: _object(
        answer=_named("as it was handed over"),
        entities=_list(_TEXT, "the resolved entities that were handed over"),
        citations=_list(_QUOTED, "every quotation that was handed over, each once"),
        audited=_list(_object(**_SPAN), "every passage that the audit handed over has checked"),
    ),
    contents.VERIFICATION: _object(
        answer=_named("as it was handed over"),
        verdict={"type": "string", "enum": ["supported", "unsupported"]},
        documents=_list(
            _TEXT, "ids of the documents with a cited or audited passage that is right"
        ),
        exact={"type": "integer", "description": "how many passages were found right"},
    ),
}


def schema_of(view: NodeView) -> Mapping[str, Any]:
    """Return the JSON Schema of a node's content; any object where the type is none of ours."""
    return _SCHEMAS.get(view.output_type, {"type": "object"})
