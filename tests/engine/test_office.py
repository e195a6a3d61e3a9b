"""ContextWeave's engine: streams told once, targets side by side, whose fault what breaks is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from threading import Barrier

import pytest
from office_play import made_data, office_suite, play
from office_stand_ins import Agent, Counting, system_of
from systems import system_called, workshop

from pytest_comem.core.entries import Entry, Query
from pytest_comem.core.outcomes import Attribution, Outcome
from pytest_comem.core.recall import Recall, RecallItem
from pytest_comem.embedders.hash import HashEmbedder
from pytest_comem.engine.office_data import load_office
from pytest_comem.engine.records import from_record, to_record
from pytest_comem.llm.meter import Meter
from pytest_comem.memory.base import MemorySystem
from pytest_comem.office.base import Grade, Hidden, Shown, Workbench
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.operations import Operation
from pytest_comem.office.workbench import BenchSettings
from pytest_comem.streams.schema import Task

NONE, FULL = system_called("none"), system_called("full-context")


def scores(outcomes: list[Outcome]) -> list[tuple[object, object]]:
    """Return the two scores of each."""
    measured = [outcome.verdict and outcome.verdict.measures for outcome in outcomes]
    return [(one and one["workspace"], one and one["preference"]) for one in measured]


def test_a_hundred_targets_are_told_each_session_once(tmp_path: Path) -> None:
    """A stream of 100 targets: every entry once, in order, and each target at its own point."""
    data = made_data(tmp_path, 100)
    made: list[Counting] = []

    def make() -> Counting:
        made.append(Counting())
        return made[-1]

    outcomes = play(office_suite(tmp_path, data), system_of(make, "one"), system_of(make, "two"))
    assert len(outcomes) == 200
    (stream,) = data.streams
    history = [entry.id for session in stream.sessions[:-1] for entry in session]
    assert len(made) == 2
    for memory in made:
        assert memory.told == history
        assert memory.at == [3 * number for number in range(100)]
    assert {outcome.failure for outcome in outcomes} == {None}


def test_the_run_without_recall_is_made_once_for_all_systems(tmp_path: Path) -> None:
    """Three systems share it; another part of the same run finds it in the run's directory."""
    data, agent = made_data(tmp_path), Agent()
    bm25 = system_called("bm25")
    outcomes = play(office_suite(tmp_path, data, agent), NONE, FULL, bm25)
    alone = {name: count for (name, recalled), count in agent.runs.items() if not recalled}
    assert alone == {target.id: 1 for target in data.streams[0].targets}
    again = Agent()
    assert scores(play(office_suite(tmp_path, data, again), FULL)) == scores(outcomes[4:8])
    assert not [name for name, recalled in again.runs if not recalled]


def test_where_nothing_is_recalled_there_is_one_run(tmp_path: Path) -> None:
    """The conditions are one: no gain, no comparison, nothing caused by memory."""
    outcomes = play(office_suite(tmp_path, made_data(tmp_path)), NONE)
    for outcome in outcomes:
        assert outcome.verdict
        found = outcome.verdict.measures
        assert found["workspace"] == found["workspace_alone"]
        assert found["win"] is None
        assert found["memory_induced"] is False


def test_recall_helps_where_habits_were_shown(tmp_path: Path) -> None:
    """Later targets do better with recall than without, and win; records lose nothing."""
    outcomes = play(office_suite(tmp_path, made_data(tmp_path)), FULL)
    assert scores(outcomes)[0] == (60.0, 50.0)
    assert scores(outcomes)[-1] == (80.0, 100.0)
    last = outcomes[-1]
    assert last.verdict
    assert last.verdict.measures["win"] is True
    assert last.labels["distance"] == "2-3"
    assert last.recall
    assert [item.position for item in last.recall.items] == list(range(9))
    again = from_record(to_record(last))
    assert again.verdict == last.verdict
    assert again.labels == last.labels


def test_targets_are_done_side_by_side(tmp_path: Path) -> None:
    """Four targets of one stream wait for each other."""
    meeting = Barrier(4, timeout=60)

    def wait(shown: Shown, bench: Workbench) -> None:
        meeting.wait()

    outcomes = play(office_suite(tmp_path, made_data(tmp_path), Agent(wait)), NONE)
    assert {outcome.failure for outcome in outcomes} == {None}


@pytest.mark.parametrize("side_by_side", [1, 3])
def test_outcomes_do_not_depend_on_how_many_are_done_at_once(
    tmp_path: Path, side_by_side: int
) -> None:
    """The same records, times aside."""
    data = made_data(tmp_path, 6)

    def records(name: str, number: int) -> list[dict[str, object]]:
        suite = office_suite(tmp_path / name, data, side_by_side=number)
        found = [to_record(outcome) for outcome in play(suite, FULL)]
        for record in found:
            for usage in record["usage"].values():
                del usage["seconds"]
        return found

    assert records("one", side_by_side) == records("many", 8)


class BreaksAt(Counting):
    """Breaks when it is told the entries of the third task."""

    def ingest(self, entry: Entry) -> None:
        """Break at t0003."""
        if entry.id.startswith("t0003"):
            raise RuntimeError("full")
        super().ingest(entry)


def test_what_was_asked_before_a_memory_broke_stands(tmp_path: Path) -> None:
    """The first three targets have verdicts, the later ones name the cause."""
    outcomes = play(office_suite(tmp_path, made_data(tmp_path, 5)), system_of(BreaksAt))
    assert [outcome.verdict is not None for outcome in outcomes] == [True] * 3 + [False] * 2
    for outcome in outcomes[3:]:
        assert outcome.failure
        assert outcome.failure.attribution is Attribution.INFRASTRUCTURE
        assert outcome.failure.type == "adapter"
        assert "full" in outcome.failure.message


def failures(outcomes: list[Outcome]) -> list[tuple[str, str] | None]:
    """Return type and message of each failure."""
    found = [outcome.failure for outcome in outcomes]
    assert {one.attribution for one in found if one} <= {Attribution.INFRASTRUCTURE}
    return [one and (one.type, one.message) for one in found]


def test_an_agent_that_breaks_is_named(tmp_path: Path) -> None:
    """What it raises is no verdict, and the other targets have theirs."""

    def breaks(shown: Shown, bench: Workbench) -> None:
        if shown.task.task_id == "t0002" and shown.passages:
            raise ValueError("lost my pen")

    outcomes = play(office_suite(tmp_path, made_data(tmp_path), Agent(breaks)), FULL)
    found = failures(outcomes)
    assert [one is not None for one in found] == [False, True, False, False]
    assert found[1]
    assert found[1][0] == "agent"
    assert "watched raised ValueError: lost my pen" in found[1][1]


def test_a_run_without_recall_that_breaks_says_so_and_is_tried_again(tmp_path: Path) -> None:
    """Its steps are unscored; the next system that needs it makes it anew."""
    broken: list[str] = []

    def breaks(shown: Shown, bench: Workbench) -> None:
        if shown.task.task_id == "t0002" and not shown.passages and not broken:
            broken.append(shown.task.task_id)
            raise ValueError("lost my pen")

    suite = office_suite(tmp_path, made_data(tmp_path), Agent(breaks))
    found = failures(play(suite, FULL))
    assert [one is not None for one in found] == [False, True, False, False]
    assert found[1]
    assert found[1][0] == "agent"
    assert found[1][1].startswith("the run without recall: ")
    assert failures(play(suite, FULL)) == [None] * 4


class BrokenGrader:
    """A grader that cannot work."""

    name, version = "broken", "1"

    def grade(self, task: Task, hidden: Hidden, candidate: Path, meter: Meter) -> Grade:
        """Break where the second task is graded."""
        if task.task_id == "t0002":
            raise MemoryError("no room")
        return RuleGrader("auto").grade(task, hidden, candidate, meter)


def test_a_grader_that_breaks_is_named(tmp_path: Path) -> None:
    """It is the grader's failure, and no score."""
    suite = office_suite(tmp_path, made_data(tmp_path), grader=BrokenGrader())
    found = failures(play(suite, FULL))
    assert [one and one[0] for one in found] == [None, "grader", None, None]
    assert found[1]
    assert "the grader broken raised MemoryError: no room" in found[1][1]


def test_a_sandbox_that_breaks_is_named(tmp_path: Path) -> None:
    """A workspace that is gone is the sandbox's failure, and no score."""

    def gone(shown: Shown, bench: Workbench) -> None:
        if shown.task.task_id == "t0003":
            rmtree(bench.workspace)
            bench.do(Operation("list", {"path": "."}))

    suite = office_suite(tmp_path, made_data(tmp_path), Agent(gone), bench=BenchSettings("auto"))
    found = failures(play(suite, NONE))
    assert [one and one[0] for one in found] == [None, None, "sandbox", None]


class Misleading(MemorySystem):
    """Recalls what the other project does."""

    def __init__(self) -> None:
        self.entries_told: list[Entry] = []

    def ingest(self, entry: Entry) -> None:
        """Keep it."""
        self.entries_told.append(entry)

    def recall(self, query: Query) -> Recall:
        """Return the entries that do not name the query's project."""
        project = query.text.partition(":")[0]
        return Recall(
            tuple(RecallItem(one.text) for one in self.entries_told if project not in one.text)
        )


def test_foreign_recall_is_seen_to_mislead(tmp_path: Path) -> None:
    """A habit of another project that is followed counts as caused by memory, where it hurts."""
    outcomes = play(office_suite(tmp_path, made_data(tmp_path, 6)), system_of(Misleading))
    followed = [
        one
        for outcome in outcomes
        if outcome.verdict
        for one in outcome.verdict.evidence["followed"]
    ]
    assert followed
    assert not [one for one in followed if one["right"]]


def test_cost_is_linear_in_the_length_of_a_stream(tmp_path: Path) -> None:
    """Four times the targets take about four times the memory's work: every entry is told once."""
    told = {}
    for tasks in (25, 100):
        made: list[Counting] = []
        data = made_data(tmp_path / str(tasks), tasks)
        suite = office_suite(tmp_path / str(tasks), data)
        play(suite, system_of(lambda made=made: made.append(Counting()) or made[-1]))  # type: ignore[misc]
        told[tasks] = len(made[0].told)
    assert told == {25: 24 * 3, 100: 99 * 3}


class RenamedEmbedder:
    """Makes the usual vectors and says that it is another."""

    name, dimensions = "other", HashEmbedder.dimensions
    embed = staticmethod(HashEmbedder().embed)


def test_the_key_holds_what_could_change_an_outcome(tmp_path: Path) -> None:
    """History, task, agent, grader, threshold and memory; not the place."""
    data = made_data(tmp_path)
    suite = office_suite(tmp_path, data)
    steps = suite.steps(FULL)

    def keys(one: object) -> list[str]:
        return [one.key(step, FULL) for step in steps]  # type: ignore[attr-defined]

    assert keys(office_suite(tmp_path / "elsewhere", data)) == keys(suite)
    assert len(set(keys(suite))) == len(steps)
    for other in (
        office_suite(tmp_path, data, threshold=80.0),
        office_suite(tmp_path, data, seed=1),
        office_suite(tmp_path, data, top_k=3),
        office_suite(tmp_path, data, Agent()),
        office_suite(tmp_path, data, grader=BrokenGrader()),
    ):
        assert not set(keys(other)) & set(keys(suite))
    other_vectors = workshop()
    other_vectors.embedder = RenamedEmbedder()
    elsewhere = replace(FULL, workshop=other_vectors)
    assert suite.key(steps[0], elsewhere) != suite.key(steps[0], FULL)
    # A later task's words do not touch an earlier one; an earlier one's do.
    session = data.streams[0].stream.tasks[1].directory / "session.json"
    session.write_text(session.read_text("utf-8").replace("status", "state"), encoding="utf-8")
    changed = keys(office_suite(tmp_path, load_office(tmp_path / "streams")))
    assert changed[:2] == keys(suite)[:2]
    assert not set(changed[2:]) & set(keys(suite))
