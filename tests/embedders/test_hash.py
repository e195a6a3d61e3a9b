from __future__ import annotations

import math
import subprocess
import sys

import pytest

from pytest_comem.embedders.hash import DIMENSIONS, HashEmbedder
from pytest_comem.language.words import READ

ODD = ["", " ", "\0", "\ud800", "é 漢字 \u202e", "🤖" * 3, "007", "{braces}", "x", "the of and"]


def embed(text: str) -> list[float]:
    """Return the vector of one text."""
    return HashEmbedder().embed([text])[0]


def similarity(one: str, other: str) -> float:
    """Return the cosine of two texts' vectors."""
    return math.fsum(a * b for a, b in zip(embed(one), embed(other), strict=True))


@pytest.mark.parametrize("text", [*ODD, "word " * 10_000], ids=repr)
def test_every_text_has_a_unit_vector(text: str) -> None:
    """Also empty, odd and very long texts."""
    vector = embed(text)
    assert len(vector) == DIMENSIONS == HashEmbedder().dimensions
    assert math.hypot(*vector) == pytest.approx(1.0, abs=1e-12)


def test_a_vector_does_not_depend_on_its_neighbours() -> None:
    """A text has the same vector alone and in any company."""
    assert HashEmbedder().embed(ODD) == [embed(text) for text in ODD]
    assert HashEmbedder().embed([]) == []


def test_vectors_are_the_same_in_another_process() -> None:
    """No seed of the interpreter goes into them."""
    code = (
        "from pytest_comem.embedders.hash import HashEmbedder;"
        "print(HashEmbedder().embed(['some words of a text'])[0])"
    )
    told = subprocess.run(
        [sys.executable, "-R", "-c", code], capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == repr(embed("some words of a text"))


def test_shared_words_make_texts_close() -> None:
    """Content words count for more than filler, and inflections of a word for the same."""
    fact = "The heating engineer comes on Thursday at nine."
    assert similarity(fact, fact) == pytest.approx(1.0)
    assert similarity(fact, "When do the heating engineers come?") > 0.3
    assert abs(similarity(fact, "Bring two jars of plum jam.")) < 0.2
    assert similarity(fact, "heating") > similarity(fact, "the on at")


def test_long_texts_count_by_their_beginning() -> None:
    """What stands behind the part that is read changes nothing."""
    start = "abc " * (READ // 4)
    assert embed(start + "more") == embed(start)
