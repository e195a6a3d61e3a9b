"""Articles about the world, with every sentence that tells a fact marked by its offsets."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, final

from pytest_comem.domains.retrieval.corpus.filling import filling, lead
from pytest_comem.domains.retrieval.corpus.wording import FORMS
from pytest_comem.domains.retrieval.corpus.world import SEED, Fact, World
from pytest_comem.domains.retrieval.documents import Document
from pytest_comem.domains.retrieval.relations import PARTITION_OF, RELATIONS

#: Words of an article, from and to.
LENGTHS: Final = (80, 250)
#: Most facts of one relation that an article tells from the object's side.
_MOST: Final = 6
_HERS: Final = {"he": "she", "him": "her", "his": "her"}


@final
@dataclass(frozen=True, slots=True)
class Telling:
    """A fact where it is told: offsets are code points of the article's text."""

    fact: Fact
    doc_id: str
    partition: str
    start: int
    end: int


@final
@dataclass(frozen=True, slots=True)
class Written:
    """The articles, and where they tell which fact."""

    documents: tuple[Document, ...]
    tellings: tuple[Telling, ...]


_Sentence = tuple[str, Fact | None]


def write_corpus(world: World, seed: str = SEED) -> Written:
    """Return the articles about a world, in the order of their ids a partition."""
    documents: list[Document] = []
    tellings: list[Telling] = []
    numbers: dict[str, int] = {}
    for partition, title, sentences, rng in _articles(world, seed):
        number = numbers[partition] = numbers.get(partition, 0) + 1
        doc_id = f"{partition[:3]}-{number:03}"
        text, spans = _joined(_as_printed(sentences, partition, number), rng, number, partition)
        date = f"{rng.randint(1926, 1938)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        documents.append(Document(doc_id, title, text, partition, date))
        tellings += (Telling(fact, doc_id, partition, start, end) for fact, start, end in spans)
    return Written(tuple(documents), tuple(tellings))


def _articles(world: World, seed: str) -> Iterator[tuple[str, str, list[_Sentence], Random]]:
    for kind, partition in PARTITION_OF.items():
        for name in world.names[kind]:
            rng = Random(f"{seed}/{kind}/{name}")
            yield partition, name, _article(world, kind, name, rng), rng
    for name in world.names["expedition"]:
        rng = Random(f"{seed}/return/{name}")
        told = [fact for each in ("port", "leader", "sponsor") for fact in _of(world, each, name)]
        yield "press", f"The return of the {name}", _notice(told, rng), rng
    for name in world.names["instrument"][::2]:
        rng = Random(f"{seed}/letter/{name}")
        told = [fact for each in ("maker", "keeper") for fact in _of(world, each, name)]
        yield "press", f"A reader writes about the {name}", _notice(told, rng), rng


def _of(world: World, relation: str, subject: str) -> list[Fact]:
    return world.about(relation, subject=subject)


def _notice(told: Sequence[Fact], rng: Random) -> list[_Sentence]:
    facts: list[_Sentence] = [
        (rng.choice(FORMS[fact.relation].both).format(s=fact.subject, o=fact.object), fact)
        for fact in told
    ]
    return _mixed(facts, filling("press", rng, {}), rng)


def _article(world: World, kind: str, name: str, rng: Random) -> list[_Sentence]:
    pronouns = _pronouns(name in world.women)
    facts: list[_Sentence] = []
    for relation, between in RELATIONS.items():
        forms = FORMS[relation]
        sides = [(between.subject, forms.own, {"subject": name})]
        sides.append((between.object, forms.other, {"object": name}))
        for side, choices, about in sides:
            if side == kind and choices:
                facts += _told(world.about(relation, **about)[:_MOST], choices, pronouns, rng)
    rest = _mixed(facts, filling(kind, rng, pronouns), rng)
    return [(lead(kind, rng, name), None), *rest]


def _told(
    facts: Sequence[Fact], forms: Sequence[str], pronouns: dict[str, str], rng: Random
) -> Iterator[_Sentence]:
    """Yield facts of one relation, each in another form while there are some."""
    first = rng.randrange(len(forms))
    for number, fact in enumerate(facts, first):
        form = forms[number % len(forms)]
        told = form.format(s=fact.subject, o=fact.object, **pronouns)
        yield told[0].upper() + told[1:], fact


def _pronouns(woman: bool) -> dict[str, str]:
    plain = {each: _HERS[each] if woman else each for each in _HERS}
    return {**plain, **{key.capitalize(): word.capitalize() for key, word in plain.items()}}


def _mixed(facts: list[_Sentence], others: list[str], rng: Random) -> list[_Sentence]:
    """Return facts among other sentences, as many of these as the length asks for."""
    wanted = rng.randint(LENGTHS[0] + 15, LENGTHS[0] + 90)
    found = list(facts)
    while others and sum(len(text.split()) for text, _ in found) < wanted:
        found.insert(rng.randint(0, len(found)), (others.pop(), None))
    return found


def _as_printed(sentences: list[_Sentence], partition: str, number: int) -> list[_Sentence]:
    """Return sentences in the characters of their source.

    Papers were transcribed by different hands: some wrote accents as characters of their own, some
    kept the printer's ligatures.
    """
    if partition != "press":
        return sentences
    if number % 5 == 2:
        return [(unicodedata.normalize("NFD", text), fact) for text, fact in sentences]
    if number % 5 == 4:
        return [(text.replace("fi", "\ufb01").replace("fl", "\ufb02"), f) for text, f in sentences]
    return sentences


def _joined(
    sentences: list[_Sentence], rng: Random, number: int, partition: str
) -> tuple[str, list[tuple[Fact, int, int]]]:
    """Return the article's text and the offsets of its facts; some papers have CRLF line ends."""
    line_end = "\r\n" if partition == "press" and number % 3 == 1 else "\n"
    text = ""
    spans = []
    for sentence, fact in sentences:
        if text:
            text += line_end * 2 if rng.random() < 0.25 else " "
        if fact is not None:
            spans.append((fact, len(text), len(text) + len(sentence)))
        text += sentence
    return text, spans
