"""Exact-span verification: whether a quotation is what a document says at its offsets.

Offsets count code points of the document as it was written. Both sides are compared under Unicode
normalisation, since whoever copies a passage may write an accent as a character of its own, take a
ligature apart or turn CRLF into LF; letters, case, digits and blanks have to be the same.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any, Final, Literal, final

from pytest_comem.domains.retrieval.documents import Corpus

#: Longest quotation in code points.
MAX_QUOTATION: Final = 2_000
#: Longest id of a document.
MAX_ID: Final = 100
Form = Literal["exact", "NFC", "NFKC"]


@final
@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A place in a document; *end* is the offset after the last code point."""

    doc_id: str
    start: int
    end: int

    def as_json(self) -> dict[str, Any]:
        """Return the span as artifacts and oracles hold it."""
        return {"doc_id": self.doc_id, "start": self.start, "end": self.end}

    def covers(self, other: Span) -> bool:
        """Whether it quotes at least half of *other* and is at most twice as long."""
        if self.doc_id != other.doc_id:
            return False
        common = min(self.end, other.end) - max(self.start, other.start)
        length = other.end - other.start
        return 2 * common >= length and self.end - self.start <= 2 * length


def read_span(value: Any) -> Span | None:
    """Return the span that a JSON object names, or ``None`` where it names none."""
    if not isinstance(value, dict):
        return None
    doc_id, start, end = (value.get(key) for key in ("doc_id", "start", "end"))
    if not isinstance(doc_id, str) or type(start) is not int or type(end) is not int:
        return None
    if len(doc_id) > MAX_ID or not 0 <= start < end:
        return None
    return Span(doc_id, start, end)


def quoted_form(corpus: Corpus, span: Span, quotation: str) -> Form | str:
    """Return the form under which a quotation is exact, or what is wrong with it.

    What is wrong starts with a lower-case letter and is a clause for people.
    """
    problem = span_problem(corpus, span)
    if problem:
        return problem
    if len(quotation) > MAX_QUOTATION:
        return f"longer than {MAX_QUOTATION:,} characters"
    there = passage(corpus, span)
    if quotation == there:
        return "exact"
    if _normalised("NFC", quotation) == _normalised("NFC", there):
        return "NFC"
    if _normalised("NFKC", quotation) == _normalised("NFKC", there):
        return "NFKC"
    return f"{span.doc_id} says something else there"


def is_exact(corpus: Corpus, span: Span, quotation: str) -> bool:
    """Whether a quotation is what the document says at its offsets."""
    return quoted_form(corpus, span, quotation) in ("exact", "NFC", "NFKC")


def span_problem(corpus: Corpus, span: Span) -> str:
    """Return why a span is no passage of the corpus, or nothing."""
    document = corpus.by_id.get(span.doc_id)
    if document is None:
        return "the corpus has no such document"
    text = document.text
    if span.end > len(text):
        return f"{span.doc_id} ends before it"
    if span.end - span.start > MAX_QUOTATION:
        return f"longer than {MAX_QUOTATION:,} characters"
    if any(_splits(text, offset) for offset in (span.start, span.end)):
        return "it starts or ends within one character"
    return ""


def passage(corpus: Corpus, span: Span) -> str:
    """Return what a document says at a span, which has to be right."""
    return corpus.by_id[span.doc_id].text[span.start : span.end]


def normal_name(name: str) -> str:
    """Return a name of an entity as names are compared: NFKC, case and blanks put aside."""
    return " ".join(unicodedata.normalize("NFKC", name[:MAX_QUOTATION]).casefold().split())


def _normalised(form: Literal["NFC", "NFKC"], text: str) -> str:
    return unicodedata.normalize(form, text.replace("\r\n", "\n"))


def _splits(text: str, offset: int) -> bool:
    """Whether an offset lies between a letter and its mark, or in a CRLF."""
    if offset in (0, len(text)):
        return False
    return bool(unicodedata.combining(text[offset])) or text[offset - 1 : offset + 1] == "\r\n"
