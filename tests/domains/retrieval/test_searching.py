"""The search tool over the corpus."""

from __future__ import annotations

from pytest_comem.domains.retrieval.documents import Corpus, Document
from pytest_comem.domains.retrieval.searching import SearchTool, search_tool

CORPUS = Corpus(
    (
        Document("a-1", "North Survey", "The survey went north.", "voyages", "1930-01-01"),
        Document("a-2", "South Survey", "It went south with Zoe\u0308.", "voyages", "1930-01-01"),
        Document("b-1", "Zoë", "She drew \ufb01gures of the north.", "lives", "1930-01-01"),
        Document("b-2", "Ada", "She slept.", "lives", "1930-01-01"),
    ),
    "0" * 64,
)


def found(query: str, partition: str, top_k: int = 10) -> list[str]:
    """Return the ids of what is found."""
    return [one.doc_id for one in SearchTool(CORPUS).search(query, partition, top_k)]


def test_only_the_partition_is_searched() -> None:
    """Best first, titles count, and what shares no word is left out."""
    assert found("north survey", "voyages") == ["a-1", "a-2"]
    assert found("north survey", "lives") == ["b-1"]
    assert found("north survey", "voyages", 1) == ["a-1"]
    assert found("nothing", "voyages") == found("north", "nowhere") == found("", "lives") == []


def test_words_are_found_however_they_are_written() -> None:
    """Accents as characters of their own, and ligatures."""
    assert found("Zoë", "voyages") == ["a-2"]
    assert found("figures", "lives") == ["b-1"]


def test_long_and_hostile_queries_are_cut() -> None:
    """A query of megabytes is looked at as far as anybody means it."""
    assert found("north " + "x" * 5_000_000, "lives") == ["b-1"]
    assert found("(a+)+$ \0 ../..", "lives") == []


def test_the_index_is_built_once() -> None:
    """All who ask in a process share it."""
    assert search_tool(CORPUS) is search_tool(CORPUS)
