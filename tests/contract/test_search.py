from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("hypothesis")

from systems import workshop
from toy_memories import ALL, Toy

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
    info = SystemInfo(f"{toy.__module__}:{toy.__qualname__}", "1", "", False, 20)
    return SystemUnderTest(info, ALL, toy, {}, workshop(root))


def test_few_choices_are_all_tried(tmp_path: Path) -> None:
    """Every odd text, every name and every pair of alike names is among the examples."""
    written: Counter[str] = Counter()
    parts: set[tuple[str, ...]] = set()

    class Notes(Toy):
        def ingest(self, entry: Entry) -> None:
            written.update([entry.text, f"by {entry.speaker.id}"])
            super().ingest(entry)

        def delete_principal(self, principal_id: str) -> None:
            parts.add(tuple(row.principal for row in self.rows))
            super().delete_principal(principal_id)

    system = system_of(Notes, tmp_path)
    for name in (
        "odd_texts_survive_unchanged",
        "any_name_will_do_for_a_principal",
        "deleting_a_principal_leaves_the_others",
    ):
        assert check(PROMISES[name], system, seed=0).kept
    assert set(ODD) <= set(written)
    assert {f"by {name}" for name in NAMES} <= set(written)
    assert parts >= {pair[::turn] for pair in ALIKE for turn in (1, -1)}


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
