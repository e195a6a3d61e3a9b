"""Our incremental index against a public implementation of Okapi BM25."""

from __future__ import annotations

import random

import pytest

from pytest_comem.language.bm25 import BM25Index, tokenize

rank_bm25 = pytest.importorskip("rank_bm25")


@pytest.mark.parametrize("seed", range(20))
def test_scores_agree_with_a_public_library(seed: int) -> None:
    """After every added passage, scores equal those of an index built anew over all so far."""
    source = random.Random(seed)
    words = [f"w{number}" for number in range(12)]
    index = BM25Index()
    passages: list[list[str]] = []
    for _ in range(15):
        passage = source.choices(words, k=source.randint(1, 9))
        passages.append(passage)
        index.add(" ".join(passage))
        query = source.choices([*words, "unknown"], k=4)
        ours = dict(index.rank(" ".join(query), len(passages)))
        theirs = rank_bm25.BM25Okapi(passages, k1=1.5, b=0.75, epsilon=0.25).get_scores(query)
        for number, score in enumerate(theirs):
            assert ours[number] == pytest.approx(score, abs=1e-9)


def test_ties_go_to_the_earlier_passage() -> None:
    """Equal passages rank in the order they were added."""
    index = BM25Index()
    for _ in range(4):
        index.add("the same words")
    index.add("something else entirely different")
    assert [number for number, _ in index.rank("same words", 3)] == [0, 1, 2]


def test_tokens_are_lower_cased_words() -> None:
    """Tokens are runs of word characters, lower-cased."""
    assert tokenize("Room A-12, 9%!") == ["room", "a", "12", "9"]
