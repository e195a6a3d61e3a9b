"""The shipped corpus: what it is made of, and that anybody can make it again."""

from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from collections import Counter

import pytest

from pytest_comem.domains.retrieval.corpus.world import World, make_world
from pytest_comem.domains.retrieval.corpus.writing import LENGTHS, Written, write_corpus
from pytest_comem.domains.retrieval.documents import Corpus, corpus_bytes, read_corpus
from pytest_comem.domains.retrieval.relations import PARTITIONS, RELATIONS
from pytest_comem.domains.retrieval.shipped import (
    CORPUS_FILE,
    CORPUS_SHA256,
    corpora_root,
    sha256_of,
)

MAKE = """
from pytest_comem.domains.retrieval.corpus.world import make_world
from pytest_comem.domains.retrieval.corpus.writing import write_corpus
from pytest_comem.domains.retrieval.documents import corpus_bytes
from pytest_comem.domains.retrieval.shipped import sha256_of
print(sha256_of(corpus_bytes(write_corpus(make_world()).documents)))
"""


@pytest.fixture(scope="module")
def world() -> World:
    """The world behind the shipped corpus."""
    return make_world()


@pytest.fixture(scope="module")
def written(world: World) -> Written:
    """The articles, generated anew."""
    return write_corpus(world)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The shipped file."""
    return read_corpus(corpora_root() / CORPUS_FILE, CORPUS_SHA256)


def test_the_file_is_what_the_generator_makes(written: Written, corpus: Corpus) -> None:
    """To the last byte; its hash is the pinned one."""
    assert sha256_of(corpus_bytes(written.documents)) == CORPUS_SHA256 == corpus.sha256
    assert written.documents == corpus.documents


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_it_hangs_on_no_hash_order(seed: str) -> None:
    """Another process with another order of sets makes the same bytes."""
    environment = {**os.environ, "PYTHONHASHSEED": seed, "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
    made = subprocess.run(
        [sys.executable, "-c", MAKE], env=environment, capture_output=True, check=True, timeout=120
    )
    assert made.stdout.decode().strip() == CORPUS_SHA256


def test_size_and_parts(corpus: Corpus) -> None:
    """At least 500 documents in six partitions, 80 to 250 words each, no title twice."""
    assert len(corpus.documents) >= 500
    assert {one.partition for one in corpus.documents} == set(PARTITIONS)
    lengths = [len(one.text.split()) for one in corpus.documents]
    assert LENGTHS[0] <= min(lengths)
    assert max(lengths) <= LENGTHS[1]
    assert len({one.title for one in corpus.documents}) == len(corpus.documents)
    assert len({one.text for one in corpus.documents}) == len(corpus.documents)
    assert (corpora_root() / CORPUS_FILE).stat().st_size < 1_500_000


def test_facts_stand_where_they_are_marked(written: Written) -> None:
    """Every marked sentence names the fact's other side, and one of the relation's cues."""
    texts = {one.doc_id: one for one in written.documents}
    for telling in written.tellings:
        article = texts[telling.doc_id]
        sentence = unicodedata.normalize("NFKC", article.text[telling.start : telling.end])
        fact, cues = telling.fact, RELATIONS[telling.fact.relation].cues
        for name in {fact.subject, fact.object} - {article.title}:
            assert unicodedata.normalize("NFKC", name) in sentence
        assert any(cue in sentence.lower() for cue in cues)


def test_articles_agree_with_each_other(world: World, written: Written) -> None:
    """What is told is true in the one world, and most of it in more than one partition."""
    true = set(world.facts)
    told = {(each.fact, each.partition) for each in written.tellings}
    assert {fact for fact, _ in told} <= true
    counts = Counter(fact for fact, _ in told)
    repeated = [fact for fact in counts if counts[fact] > 1]
    assert 2 * len(repeated) > len(counts)


def test_names_are_like_each_other(world: World) -> None:
    """Expeditions, instruments and books have namesakes; people share surnames."""
    for kind, form in (("expedition", "Second {}"), ("instrument", "Great {}")):
        names = set(world.names[kind])
        assert sum(form.format(name) in names for name in names) * 2 == len(names)
    surnames = Counter(name.split()[-1] for name in world.names["person"])
    assert max(surnames.values()) > 2


def test_papers_are_as_they_were_transcribed(corpus: Corpus) -> None:
    """Some have accents as characters of their own, ligatures, or CRLF line ends."""
    papers = [one.text for one in corpus.documents if one.partition == "press"]
    assert any(unicodedata.normalize("NFC", text) != text for text in papers)
    assert any("\ufb01" in text for text in papers)
    assert any("\r\n" in text for text in papers)
