"""MemoryBank: forgetting by the paper's curve, and what its model writes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import pytest
from systems import system_called

from pytest_comem.core.entries import Entry, Principal, Query
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.errors import SettingsError
from pytest_comem.memory.model import MemoryModel

if find_spec("numpy") is None:
    pytest.skip("numpy is not installed: pytest-comem[rag]", allow_module_level=True)

from pytest_comem.memory.memorybank import MemoryBank, retention

ANN = Principal("ann", "owner")
BOB = Principal("bob", "guest")
GATE = "The gate code is 4417."
BREAD = "Bread is baked at noon."


class Diarist:
    """A model that sums up by naming what it was given, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []

    def ask(self, messages: Sequence[Mapping[str, str]], *, json_object: bool = False) -> str:
        """Return a day's or the overall summary."""
        task = messages[0]["content"].partition("\n")[0].rpartition(": ")[2]
        material = json.loads(messages[1]["content"])
        self.asked.append((task, material))
        if task == "a day":
            texts = " ".join(turn["text"] for turn in material["turns"])
            insights = {turn["speaker"]: f"on {material['date']}" for turn in material["turns"]}
            return json.dumps({"summary": f"<{texts}>", "insights": insights})
        portraits = {name: " and ".join(shown) for name, shown in material["insights"].items()}
        dates = ", ".join(day["date"] for day in material["days"])
        return json.dumps({"summary": f"All of {dates}.", "portraits": portraits})

    @property
    def tasks(self) -> list[str]:
        """The tasks asked for, in order."""
        return [task for task, _ in self.asked]


def bank(chat: Diarist | None = None, **settings: Any) -> MemoryBank:
    """Return an empty memory."""
    return MemoryBank(HashEmbedder(), MemoryModel(chat or Diarist()), **settings)


def say(memory: MemoryBank, text: str, when: str | None, by: Principal = ANN) -> None:
    """Have something said; its id is its text."""
    memory.ingest(Entry(text, text, by, when))


def texts(memory: MemoryBank, question: str, top_k: int = 20, by: Principal = ANN) -> list[str]:
    """Return the texts recalled."""
    return [item.text for item in memory.recall(Query(question, by, (), "", top_k)).items]


def test_retention_is_the_papers_curve() -> None:
    """``exp(-t / S)``: stronger memories fade more slowly."""
    assert retention(0, 1) == 1
    assert retention(1, 1) == pytest.approx(0.36788, abs=1e-5)
    assert retention(3, 1) == pytest.approx(0.04979, abs=1e-5)
    assert retention(3, 2) == pytest.approx(0.22313, abs=1e-5)
    assert retention(1e9, 1) == 0


@pytest.mark.parametrize(
    ("now", "is_kept"),
    [("2026-03-03T20:00", True), ("2026-03-04T07:00", True), ("2026-03-04T08:00", False)],
)
def test_what_is_not_recalled_is_forgotten_after_three_days(now: str, is_kept: bool) -> None:
    """After 2.5 days 0.082 is left, after 2.96 days 0.052, after 3 days 0.0498, below 0.05."""
    memory = bank()
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, BREAD, now)
    assert (GATE in texts(memory, "gate code")) is is_kept


@pytest.mark.parametrize(
    ("now", "is_kept"), [("2026-03-07T08:00", True), ("2026-03-08T08:00", False)]
)
def test_recall_makes_a_memory_last(now: str, is_kept: bool) -> None:
    """Recalled on 2 March, S is 2 and t begins anew: exp(-5/2) = 0.082, exp(-6/2) = 0.0498."""
    memory = bank()
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, "The sun rises.", "2026-03-02T08:00")
    assert GATE in texts(memory, "gate code", 2)
    say(memory, BREAD, now)
    assert (GATE in texts(memory, "gate code")) is is_kept


def test_only_what_is_handed_over_is_strengthened() -> None:
    """What top-k leaves out fades as before."""
    memory = bank(overview=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, BREAD, "2026-03-01T08:00")
    assert texts(memory, "gate code", 1) == [GATE]
    say(memory, "The sun rises.", "2026-03-04T09:00")
    found = texts(memory, "gate code and bread")
    assert GATE in found
    assert BREAD not in found


def test_a_forgotten_turn_can_live_on_in_a_summary() -> None:
    """The day's summary is a memory of its own, made when the day was over."""
    memory = bank(overview=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, BREAD, "2026-03-09T08:00")
    assert texts(memory, "gate code") == [f"Summary of 2026-03-01: <{GATE}>", BREAD]


def test_forgetting_can_be_switched_off() -> None:
    """Then a memory lasts, however long ago."""
    for settings in ({"forgetting": False}, {"threshold": 0.0}):
        memory = bank(**settings)
        say(memory, GATE, "2026-03-01T08:00")
        say(memory, BREAD, "2036-03-01T08:00")
        assert GATE in texts(memory, "gate code")


def test_turns_stand_for_days_where_timestamps_are_missing() -> None:
    """At two turns a day the seventh turn is three days after the first, 2.5 after the second."""
    memory = bank(turns_per_day=2, overview=False)
    for number in range(7):
        say(memory, f"Item {number} is here.", None)
    found = texts(memory, "Which item is here?")
    assert "Item 0 is here." not in found
    assert "Item 1 is here." in found


def test_a_day_is_summed_up_when_it_is_over_and_the_memory_is_asked() -> None:
    """Several days at once: one call a day that is over, and one for all."""
    chat = Diarist()
    memory = bank(chat, forgetting=False)
    for day in ("01", "02", "03"):
        say(memory, f"Note of {day}.", f"2026-03-{day}T08:00")
        say(memory, f"Other of {day}.", f"2026-03-{day}T09:00")
    assert chat.tasks == []
    found = texts(memory, "note")
    assert chat.tasks == ["a day", "a day", "overall"]
    assert "Summary of 2026-03-02: <Note of 02. Other of 02.>" in found
    assert not any("Summary of 2026-03-03" in text for text in found)
    texts(memory, "note")
    assert len(chat.tasks) == 3


def test_a_summary_stands_on_the_turns_of_its_day() -> None:
    """Its sources are their ids, and it has no speaker."""
    memory = bank(overview=False, forgetting=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, "Fine.", "2026-03-01T09:00", BOB)
    say(memory, BREAD, "2026-03-02T08:00")
    items = memory.recall(Query(f"<{GATE} Fine.>", ANN, (), "", 9)).items
    (summary,) = (item for item in items if item.text.startswith("Summary"))
    assert (summary.source_ids, summary.speaker) == ((GATE, "Fine."), None)


def test_a_turn_that_comes_late_has_its_day_summed_up_again() -> None:
    """The new summary takes the old one's place."""
    memory = bank(overview=False, forgetting=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, BREAD, "2026-03-02T08:00")
    texts(memory, "gate")
    say(memory, "The gate is blue.", "2026-03-01T10:00")
    say(memory, "Good night.", "2026-03-02T20:00")
    found = [text for text in texts(memory, "gate") if text.startswith("Summary of 2026-03-01")]
    assert found == [f"Summary of 2026-03-01: <{GATE} The gate is blue.>"]


def test_the_overall_summary_and_the_askers_portrait_come_along() -> None:
    """As in the paper's prompt: one portrait, of the one the memory speaks to."""
    memory = bank(forgetting=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, "Fine.", "2026-03-01T09:00", BOB)
    say(memory, BREAD, "2026-03-02T08:00", BOB)
    found = texts(memory, "gate code")
    assert "Overall summary: All of 2026-03-01." in found
    assert [text for text in found if text.startswith("Portrait")] == [
        "Portrait of ann: on 2026-03-01"
    ]
    assert not any("Portrait" in text for text in texts(memory, "gate", by=Principal("eve", "x")))


def test_the_overview_never_takes_the_last_place() -> None:
    """With one place it is the nearest piece's; with two the overall summary's as well."""
    memory = bank(forgetting=False)
    say(memory, GATE, "2026-03-01T08:00")
    say(memory, BREAD, "2026-03-02T08:00")
    assert texts(memory, BREAD, 0) == []
    assert texts(memory, BREAD, 1) == [BREAD]
    assert texts(memory, BREAD, 2) == [BREAD, "Overall summary: All of 2026-03-01."]
    assert len(texts(memory, BREAD, 3)) == 3


def test_the_papers_number_of_pieces_can_be_asked_for() -> None:
    """``paper_top`` limits turns and summaries, top-k everything."""
    memory = bank(paper_top=6, forgetting=False)
    for number in range(12):
        say(memory, f"Item {number} is here.", "2026-03-01T08:00")
    assert len(texts(memory, "item", 20)) == 6
    assert len(texts(memory, "item", 4)) == 4


def test_scores_are_cosines_best_first() -> None:
    """A turn has cosine 1 with its own words, and the order is that of scores."""
    memory = bank(forgetting=False)
    for day in range(1, 6):
        say(memory, f"Item {day} is number {day * 7}.", f"2026-03-0{day}T08:00")
    items = memory.recall(Query("Item 2 is number 14.", ANN, (), "", 20)).items
    scores = [item.score or 0.0 for item in items]
    assert items[0].text == "Item 2 is number 14."
    assert math.isclose(scores[0], 1.0, abs_tol=1e-6)
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("setting", ["threshold=1.5", "turns_per_day=0", "paper_top=-1"])
def test_a_setting_that_means_nothing_is_refused(setting: str) -> None:
    """Before anything runs, with the range that is meant."""
    with pytest.raises(SettingsError, match="memorybank"):
        system_called("memorybank", f"memorybank.{setting}")
