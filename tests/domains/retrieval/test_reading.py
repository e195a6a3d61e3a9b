"""How the offline worker reads documents."""

from __future__ import annotations

import pytest

from pytest_comem.domains.retrieval.corpus.world import make_world
from pytest_comem.domains.retrieval.corpus.writing import write_corpus
from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.reading import Reader, sentences
from pytest_comem.domains.retrieval.relations import RELATIONS


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("One\r\n\r\n  Two.\nThree", ["One", "Two.", "Three"]),
        ("A 3.5 m mast. Done.", ["A 3.5 m mast.", "Done."]),
        ("", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_where_they_are_closed(text: str, parts: list[str]) -> None:
    """By a mark before a blank, by the line, or by the text."""
    assert [text[start:end] for start, end in sentences(text)] == parts


def test_the_longer_name_is_the_one_that_is_meant() -> None:
    """``Second North Survey`` does not name the North Survey."""
    corpus = Corpus(
        tuple(
            Document(f"v-{number}", title, text, partition, "1930-01-01")
            for number, (title, partition, text) in enumerate(
                [
                    ("North Survey", "voyages", "It left."),
                    ("Second North Survey", "voyages", "It left, too."),
                    ("Ada", "lives", "Ada led the Second North Survey. She slept."),
                ]
            )
        ),
        "0" * 64,
    )
    reader, life = Reader(corpus), corpus.documents[2]
    assert not list(reader.find(life, "leader", "North Survey", "person"))
    (found,) = reader.find(life, "leader", "Second North Survey", "person")
    assert found.entity == "Ada"
    (found,) = reader.find(life, "leader", "ada", "expedition")
    assert found.entity == "Second North Survey"
    assert life.text[found.span.start : found.span.end] == "Ada led the Second North Survey."


def test_what_is_read_is_what_was_told() -> None:
    """Over the whole corpus: every fact from both sides, at its offsets, and nothing else."""
    written = write_corpus(make_world())
    reader = Reader(Corpus(written.documents, "0" * 64))
    told: dict[tuple[str, str, str], dict[str, set[tuple[str, int, int]]]] = {}
    for one in written.tellings:
        fact, between = one.fact, RELATIONS[one.fact.relation]
        place = one.doc_id, one.start, one.end
        sides = [(fact.subject, fact.object, between.object)]
        if between.object != "year":
            sides.append((fact.object, fact.subject, between.subject))
        for anchor, other, seeks in sides:
            known = told.setdefault((fact.relation, anchor, seeks), {})
            known.setdefault(other, set()).add(place)
    documents = {one.doc_id: one for one in written.documents}
    for (relation, anchor, seeks), expected in told.items():
        # Documents that tell it, and as many that do not.
        right = {place[0] for places in expected.values() for place in places}
        looked_at = sorted(right | set(list(documents)[:: len(documents) // 10]))
        read: dict[str, set[tuple[str, int, int]]] = {}
        for doc_id in looked_at:
            for found in reader.find(documents[doc_id], relation, anchor, seeks):
                span = found.span
                read.setdefault(found.entity, set()).add((span.doc_id, span.start, span.end))
        assert read == expected, (relation, anchor)


def test_hostile_documents_take_time_in_proportion() -> None:
    """A document of megabytes without a sentence is read as far as anybody would."""
    text = "a" * 3_000_000 + "!?." * 1_000_000
    corpus = Corpus((Document("d-1", "." * 1_000, text, "lives", "1930-01-01"),), "0" * 64)
    assert not list(Reader(corpus).find(corpus.documents[0], "leader", "x", "person"))
