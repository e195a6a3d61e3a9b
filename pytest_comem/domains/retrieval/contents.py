"""What artifacts of this domain hold, and how to read any JSON as such without trusting it.

==========================  =========================================================
semantic type               fields
==========================  =========================================================
source_evidence             partition, engine {name, version}, corpus, findings
resolved_candidate          entity, evidence
answer_candidate            answer, evidence
provenance_receipt          claims, checks, corpus, passed
retrieval_result_bundle     answer, entities, citations, audited
verification_receipt        answer, verdict, documents, exact
==========================  =========================================================

A finding is an entity with a quotation; evidence and citations are quotations (doc_id, start, end,
quotation); checks and audited are spans (doc_id, start, end), a check with whether it was exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

from pytest_comem.domains.retrieval.spans import Span, read_span

EVIDENCE: Final = "source_evidence"
RESOLVED: Final = "resolved_candidate"
ANSWER: Final = "answer_candidate"
PROVENANCE: Final = "provenance_receipt"
BUNDLE: Final = "retrieval_result_bundle"
VERIFICATION: Final = "verification_receipt"

#: The fields of every type.
FIELDS: Final = {
    EVIDENCE: {"partition", "engine", "corpus", "findings"},
    RESOLVED: {"entity", "evidence"},
    ANSWER: {"answer", "evidence"},
    PROVENANCE: {"claims", "checks", "corpus", "passed"},
    BUNDLE: {"answer", "entities", "citations", "audited"},
    VERIFICATION: {"answer", "verdict", "documents", "exact"},
}
#: Most quotations of one artifact that are looked at.
MOST: Final = 200
QUOTED_FIELDS: Final = ("findings", "evidence", "citations")
SPAN_FIELDS: Final = ("checks", "audited")


@final
@dataclass(frozen=True, slots=True)
class Quotation:
    """A passage that an artifact quotes; *entity* only in findings."""

    span: Span
    text: str
    entity: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the quotation as artifacts hold it."""
        entity = {"entity": self.entity} if self.entity else {}
        return {**entity, **self.span.as_json(), "quotation": self.text}


def items(content: Any, field: str) -> list[Any]:
    """Return a list of a content, or nothing where it has no such list."""
    found = content.get(field) if isinstance(content, dict) else None
    return found[:MOST] if isinstance(found, list) else []


def text(content: Any, field: str) -> str:
    """Return a text of a content, or nothing where it has no such text."""
    found = content.get(field) if isinstance(content, dict) else None
    return found if isinstance(found, str) else ""


def texts(content: Any, field: str) -> list[str]:
    """Return the texts of a list of a content."""
    return [each for each in items(content, field) if isinstance(each, str)]


def quotations(content: Any) -> Iterator[Quotation]:
    """Yield the quotations of a content, as far as they have the form of one."""
    for field in QUOTED_FIELDS:
        for each in items(content, field):
            span, quoted = read_span(each), text(each, "quotation")
            if span is not None and quoted:
                yield Quotation(span, quoted, text(each, "entity"))


def spans(content: Any) -> Iterator[Span]:
    """Yield every span that a content names, quoted or not."""
    yield from (each.span for each in quotations(content))
    for field in SPAN_FIELDS:
        for each in items(content, field):
            if (span := read_span(each)) is not None:
                yield span


def claim(content: Any) -> str:
    """Return the entity or answer that a content stands for, or nothing."""
    return text(content, "answer") or text(content, "entity")
