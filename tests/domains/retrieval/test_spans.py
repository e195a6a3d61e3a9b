"""Exact-span verification under Unicode normalisation."""

from __future__ import annotations

import unicodedata
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.spans import (
    MAX_QUOTATION,
    Span,
    is_exact,
    normal_name,
    quoted_form,
    read_span,
    span_problem,
)

TEXT = "Zoe\u0308 found \ufb01ve maps.\r\nZoë left; 3 of them bore an A\u030a."
FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")


def corpus(text: str = TEXT) -> Corpus:
    """Return a corpus of one document."""
    return Corpus((Document("d-1", "Zoë", text, "lives", "1930-01-01"),), "0" * 64)


@pytest.mark.parametrize(
    ("start", "end", "quotation", "form"),
    [
        (0, 10, "Zoe\u0308 found", "exact"),
        (0, 10, "Zoë found", "NFC"),
        (11, 14, "five", "NFKC"),
        (15, 27, "maps.\r\nZoë l", "exact"),
        (15, 25, "maps.\nZoë", "NFC"),
        (22, 25, "Zoe\u0308", "NFC"),
    ],
)
def test_the_same_passage_in_other_characters(
    start: int, end: int, quotation: str, form: str
) -> None:
    """Accents, ligatures and line ends may be written otherwise; offsets are the document's own."""
    assert quoted_form(corpus(), Span("d-1", start, end), quotation) == form
    assert is_exact(corpus(), Span("d-1", start, end), quotation)


@pytest.mark.parametrize(
    ("span", "quotation", "said"),
    [
        (Span("d-1", 0, 10), "zoë found", "d-1 says something else there"),
        (Span("d-1", 0, 10), "Zoe found", "d-1 says something else there"),
        (Span("d-1", 1, 11), "Zoë found", "d-1 says something else there"),
        (Span("d-1", 32, 33), "4", "d-1 says something else there"),
        (Span("d-1", 0, 3), "Zoe", "it starts or ends within one character"),
        (Span("d-1", 3, 10), "\u0308 found", "it starts or ends within one character"),
        (Span("d-1", 15, 21), "maps.\r", "it starts or ends within one character"),
        (Span("d-1", 15, 10**12), "maps", "d-1 ends before it"),
        (Span("d-2", 0, 3), "Zoe", "the corpus has no such document"),
        (Span("d-1", 0, 4), "x" * (MAX_QUOTATION + 1), "longer than 2,000 characters"),
    ],
)
def test_another_passage_is_none(span: Span, quotation: str, said: str) -> None:
    """Another letter, case, digit, place or document; half a character is no quotation either."""
    assert quoted_form(corpus(), span, quotation) == said
    assert not is_exact(corpus(), span, quotation)


def test_a_whole_book_is_no_quotation() -> None:
    """However right its offsets are."""
    text = "word " * MAX_QUOTATION
    assert span_problem(corpus(text), Span("d-1", 0, len(text))).startswith("longer than")


@given(st.text(min_size=1, max_size=60), st.data())
def test_normal_forms_of_a_passage_are_exact(text: str, data: st.DataObject) -> None:
    """Whatever the passage: in any normal form it is found exact, with one more letter never."""
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    span, passage = Span("d-1", start, end), text[start:end]
    if not span_problem(corpus(text), span):
        assert is_exact(corpus(text), span, passage)
        for form in FORMS:
            assert is_exact(corpus(text), span, unicodedata.normalize(form, passage))
        assert not is_exact(corpus(text), span, passage + "x")


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"doc_id": "d", "start": 0},
        {"doc_id": 1, "start": 0, "end": 1},
        {"doc_id": "d", "start": True, "end": 2},
        {"doc_id": "d", "start": 0.0, "end": 2},
        {"doc_id": "d", "start": -1, "end": 2},
        {"doc_id": "d", "start": 2, "end": 2},
        {"doc_id": "d" * 1_000, "start": 0, "end": 2},
    ],
)
def test_no_span_is_read_out_of_anything_else(value: object) -> None:
    """Truth values, fractions and negative offsets are no offsets."""
    assert read_span(value) is None


def test_a_span_covers_what_it_quotes_half_of() -> None:
    """Half of a passage is enough, a whole page round it is not."""
    right = Span("d-1", 100, 140)
    assert Span("d-1", 100, 120).covers(right)
    assert Span("d-1", 80, 160).covers(right)
    assert not Span("d-1", 100, 119).covers(right)
    assert not Span("d-1", 80, 161).covers(right)
    assert not Span("d-2", 100, 140).covers(right)


def test_names_are_the_same_however_they_are_typed() -> None:
    """Accents, ligatures, case and blanks do not make another entity; letters do."""
    assert normal_name(" ZOE\u0308  O\ufb03cer\n") == normal_name("Zoë Officer")
    assert normal_name("Zoe") != normal_name("Zoë")
