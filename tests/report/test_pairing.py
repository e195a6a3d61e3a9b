"""Which rows of two runs are compared: by name, alone, or as the user says."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from made_outcomes import made

from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import SettingsError
from pytest_comem.report.pairing import Name, pair_rows, pair_within

BM25, RAG = ("bm25", "offline"), ("rag", "offline")


def run(path: str, names: Iterable[Name]) -> RecordedRun:
    """Return a run with one step for each row."""
    outcomes = [made(0, True, system=system, model=model, label=model) for system, model in names]
    return RecordedRun(Path(path), {}, tuple(outcomes))


def pairs(left: Iterable[Name], right: Iterable[Name], *wanted: str) -> tuple[object, ...]:
    """Return the pairs of two runs' rows."""
    return pair_rows(run("a", left), run("b", right), "gatemem", wanted).pairs


def test_rows_of_one_name_belong_together() -> None:
    """Others are told to be alone."""
    found = pair_rows(run("a", [BM25, RAG]), run("b", [("mem0", "offline"), BM25]), "gatemem")
    assert found.pairs == ((BM25, BM25),)
    assert found.alone == ("rag with offline is in a only", "mem0 with offline is in b only")


def test_single_rows_are_compared_whatever_their_names() -> None:
    """One system each, with one model each."""
    assert pairs([BM25], [("rag", "m/x")]) == ((BM25, ("rag", "m/x")),)


def test_one_model_each_pairs_by_system() -> None:
    """Two models over the same systems are compared system by system."""
    other = [("rag", "m/x"), ("bm25", "m/x")]
    assert pairs([BM25, RAG], other) == ((BM25, other[1]), (RAG, other[0]))


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("bm25=rag", (BM25, RAG)),
        ("bm25/offline=rag/offline", (BM25, RAG)),
        (" rag ", (RAG, RAG)),
        ("rag=", (RAG, RAG)),
    ],
)
def test_the_user_says_which(text: str, pair: object) -> None:
    """A name of both runs, or one of each."""
    assert pairs([BM25, RAG], [RAG, BM25], text) == (pair,)


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        (
            [],
            r"not clear; name them as NAME=OTHER.*--row bm25=mem0(.|\n)*a: bm25 with offline, rag",
        ),
        (["bm52=mem0"], "a has no row 'bm52'; did you mean bm25"),
        (["offline=mem0"], "'offline' is several rows of a: bm25/offline, rag/offline"),
    ],
)
def test_what_is_not_clear_is_an_error(wanted: list[str], message: str) -> None:
    """The message lists rows, or the nearest names."""
    with pytest.raises(SettingsError, match=message):
        pairs([BM25, RAG], [("mem0", "m/x"), ("mem0", "m/y")], *wanted)


def test_rows_of_one_run_are_compared_with_the_first() -> None:
    """All of them, those that are named, or pairs."""
    whole = run("a", [BM25, RAG, ("mem0", "offline")])
    assert pair_within(whole, "gatemem").pairs == ((BM25, RAG), (BM25, ("mem0", "offline")))
    assert pair_within(whole, "gatemem", ["mem0", "rag"]).pairs == ((("mem0", "offline"), RAG),)
    assert pair_within(whole, "gatemem", ["rag=bm25"]).pairs == ((RAG, BM25),)


@pytest.mark.parametrize("wanted", [[], ["bm25"]])
def test_one_row_alone_has_nothing_to_be_compared_with(wanted: list[str]) -> None:
    """The message says what to name."""
    with pytest.raises(
        SettingsError, match=r"a has one row to compare \(bm25 with offline\); name"
    ):
        pair_within(run("a", [BM25]), "gatemem", wanted)
