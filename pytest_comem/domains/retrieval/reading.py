"""How the offline worker reads: sentences, names in them, and what a relation's cues tell.

Every pattern is a plain run of characters and takes time in proportion to the text.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, final

from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.relations import PARTITION_OF, RELATIONS
from pytest_comem.domains.retrieval.spans import Span, normal_name
from pytest_comem.language.bm25 import tokenize

#: Only so much of a document is read.
_READ: Final = 20_000


@final
@dataclass(frozen=True, slots=True)
class Name:
    """A title of the corpus as it is found in a text, and the partition it is a title of."""

    title: str
    partition: str


@final
@dataclass(frozen=True, slots=True)
class Found:
    """An entity that a sentence gives."""

    entity: str
    span: Span


@final
@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence's offsets, words, and the names and years in it."""

    start: int
    end: int
    tokens: frozenset[str]
    names: tuple[Name, ...]
    years: tuple[str, ...]


@final
class Reader:
    """Knows the titles of a corpus, and finds them in sentences."""

    def __init__(self, corpus: Corpus) -> None:
        self._known: dict[str, tuple[_Sentence, ...]] = {}
        self._titles: dict[str, list[tuple[tuple[str, ...], Name]]] = {}
        for document in corpus.documents:
            tokens = tuple(_tokens(document.title))
            if tokens:
                name = Name(document.title, document.partition)
                self._titles.setdefault(tokens[0], []).append((tokens, name))
        for known in self._titles.values():
            known.sort(key=lambda each: -len(each[0]))

    def find(self, document: Document, relation: str, anchor: str, seeks: str) -> Iterator[Found]:
        """Yield what a document's sentences give for a relation of *anchor*.

        :param seeks: kind of the entity that is looked for.
        """
        wanted = PARTITION_OF.get(seeks)
        own, asked = normal_name(document.title), normal_name(anchor)
        for sentence in self._read(document):
            if sentence.tokens.isdisjoint(RELATIONS[relation].cues):
                continue
            if asked != own and asked not in {normal_name(name.title) for name in sentence.names}:
                continue
            span = Span(document.doc_id, sentence.start, sentence.end)
            if seeks == "year":
                yield from (Found(year, span) for year in sentence.years)
                continue
            others = [
                name.title
                for name in sentence.names
                if name.partition == wanted and normal_name(name.title) != asked
            ]
            if not others and document.partition == wanted and asked != own:
                others = [document.title]
            yield from (Found(title, span) for title in others)

    def _read(self, document: Document) -> tuple[_Sentence, ...]:
        """Return a document's sentences; read once, and whoever reads it twice reads the same."""
        if document.doc_id not in self._known:
            found = (self._sentence(document.text, *span) for span in sentences(document.text))
            self._known[document.doc_id] = tuple(found)
        return self._known[document.doc_id]

    def _sentence(self, text: str, start: int, end: int) -> _Sentence:
        tokens = _tokens(text[start:end])
        years = tuple(token for token in tokens if len(token) == 4 and token.isdecimal())
        return _Sentence(start, end, frozenset(tokens), tuple(self._names(tokens)), years)

    def _names(self, tokens: list[str]) -> Iterator[Name]:
        """Yield the titles in a sentence, of two that overlap the longer."""
        at = 0
        while at < len(tokens):
            step = 1
            for title, name in self._titles.get(tokens[at], ()):
                if tuple(tokens[at : at + len(title)]) == title:
                    yield name
                    step = len(title)
                    break
            at += step


@lru_cache(maxsize=4)
def reader(corpus: Corpus) -> Reader:
    """Return the reader of a corpus, the same for all who ask in this process."""
    return Reader(corpus)


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """Yield where sentences start and end; a line's end is a sentence's end, too."""
    text = text[:_READ] + "\n"
    start = 0
    for at, one in enumerate(text):
        closes = one in ".?!" and text[at + 1 : at + 2] in ("", " ", "\r", "\n")
        if not closes and one not in "\r\n":
            continue
        end = at + 1 if closes else at
        while start < end and text[start].isspace():
            start += 1
        if start < end:
            yield start, end
        start = at + 1


def _tokens(text: str) -> list[str]:
    return tokenize(unicodedata.normalize("NFKC", text))
