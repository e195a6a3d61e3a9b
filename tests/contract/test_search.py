from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hypothesis")

from systems import workshop
from toy_memories import ALL, Rude, Toy

from pytest_comem.contract import search
from pytest_comem.contract.check import check
from pytest_comem.contract.promises import PROMISES
from pytest_comem.contract.sentences import ALIKE, NAMES, ODD, value_word
from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.outcomes import SystemInfo
from pytest_comem.core.recall import Recall
from pytest_comem.memory.registry import SystemUnderTest


def system_of(toy: Any, root: Path) -> SystemUnderTest:
    """Return a class as the system of a run."""
    name = f"{toy.__module__}:{toy.__qualname__}"
    info = SystemInfo(name, "1", "", False, 20)
    return SystemUnderTest(info, ALL, toy, {}, workshop(root), name)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("promise", "wanted"),
    [
        ("odd_texts_survive_unchanged", set(ODD)),
        ("what_was_written_survives_a_restart", {text for text in ODD if text.strip()}),
        ("any_name_will_do_for_a_principal", {f"by {name}" for name in NAMES}),
        ("deleting_a_principal_deletes_all_of_it", {f"by {name}" for name in NAMES}),
        ("no_principal_recalls_what_another_said", {f"by {name}" for name in NAMES}),
    ],
)
def test_few_choices_are_all_tried(
    tmp_path: Path, promise: str, wanted: set[str], seed: int
) -> None:
    """Every odd text and every name is among the examples, whatever the seed."""
    written: set[str] = set()

    class Notes(Toy):
        def ingest(self, entry: Entry) -> None:
            written.update([entry.text, f"by {entry.speaker.id}"])
            super().ingest(entry)

    assert check(PROMISES[promise], system_of(Notes, tmp_path), seed=seed).kept
    assert wanted <= written


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    "promise",
    ["no_principal_recalls_what_another_said", "deleting_a_principal_leaves_the_others"],
)
def test_every_pair_of_names_is_tried_both_ways(tmp_path: Path, promise: str, seed: int) -> None:
    """Either of two alike names is written to first, and deleted, whatever the seed."""
    parts: set[tuple[str, ...]] = set()

    class Notes(Toy):
        def ingest(self, entry: Entry) -> None:
            super().ingest(entry)
            parts.add(tuple(row.principal for row in self.rows))

    assert check(PROMISES[promise], system_of(Notes, tmp_path), seed=seed).kept
    assert parts >= {pair[::turn] for pair in ALIKE for turn in (1, -1)}


@pytest.mark.parametrize("promise", ["everything_held_is_listed", "odd_texts_survive_unchanged"])
def test_with_few_examples_cases_are_chosen_by_the_seed(tmp_path: Path, promise: str) -> None:
    """Fewer examples than cases try as many cases, and other seeds others."""
    tried: list[str] = []

    class Notes(Toy):
        def ingest(self, entry: Entry) -> None:
            tried.append(f"{self.setup.directory.name}: {entry.text}")
            super().ingest(entry)

    counts = set()
    for seed in range(4):
        tried.clear()
        system = system_of(Notes, tmp_path)
        assert check(PROMISES[promise], system, seed=seed, examples=2).kept
        counts.add(tuple(line.partition(": ")[2] for line in tried))
        assert len({line.partition(":")[0] for line in tried}) <= 3
    assert len(counts) > 1


def test_a_break_that_does_not_repeat_is_told_all_the_same(tmp_path: Path) -> None:
    """What was seen once is reported, and that it was not seen again."""
    calls = itertools.count()

    class Moody(Toy):
        def recall(self, query: Query) -> Recall:
            return Recall() if next(calls) == 7 else super().recall(query)

    verdict = check(PROMISES["what_was_written_is_recallable"], system_of(Moody, tmp_path), seed=0)
    assert not verdict.kept
    assert "did not break every time" in verdict.report


@pytest.mark.parametrize("budget", ["SHRINK_RUNS", "SHRINK_SECONDS"])
def test_shrinking_ends_with_its_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: str
) -> None:
    """A slow library is not asked for ever; the shortest sequence so far is told."""
    monkeypatch.setattr(search, budget, 3 if budget == "SHRINK_RUNS" else 0.0)
    opened = itertools.count()

    class Forgets(Toy):
        def recall(self, query: Query) -> Recall:
            return Recall()

        @classmethod
        def open(cls, setup: Any) -> Any:
            next(opened)
            return super().open(setup)

    system = system_of(Forgets, tmp_path)
    verdict = check(PROMISES["what_was_written_is_recallable"], system, seed=0)
    assert not verdict.kept
    assert next(opened) < 12


def test_nothing_is_written_where_pytest_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hypothesis leaves no directory behind."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    assert check(PROMISES["odd_texts_survive_unchanged"], system_of(Toy, tmp_path), seed=1).kept
    assert not list((tmp_path / "cwd").iterdir())


def test_value_words_differ() -> None:
    """No value word is part of another."""
    words = [value_word(number) for number in range(600)]
    assert len(set(words)) == len(words)
    assert {len(word) for word in words} == {6}


def test_what_is_stored_is_removed_whatever_close_raises(tmp_path: Path) -> None:
    """A close that raises, what is no Exception as well, leaves no directory."""

    class Closes(Toy):
        def close(self) -> None:
            raise Rude("will not close")

    promise = PROMISES["an_empty_memory_recalls_nothing"]
    assert check(promise, system_of(Closes, tmp_path), seed=0).kept
    assert not [place for place in tmp_path.rglob("*contract-m*") if place.is_dir()]
