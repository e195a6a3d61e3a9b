"""ContextWeave's steps in flight when something hangs, breaks unforeseen, or the run is over."""

from __future__ import annotations

import threading
from pathlib import Path
from shutil import rmtree

import pytest
from made_streams import make_stream
from office_play import made_data, office_suite
from office_stand_ins import Agent, Counting, system_of
from systems import system_called

from pytest_comem.core.entries import Query
from pytest_comem.core.outcomes import Attribution, Outcome
from pytest_comem.core.recall import Recall
from pytest_comem.engine import office_tasks
from pytest_comem.engine.office import OfficeSuite
from pytest_comem.engine.output import ThreadOutput
from pytest_comem.engine.runner import EpisodeRunner
from pytest_comem.errors import InfrastructureError
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.office import diagnostics
from pytest_comem.office.base import Shown, Workbench

NONE, FULL = system_called("none"), system_called("full-context")


def play(suite: OfficeSuite, system: SystemUnderTest, step_timeout: float) -> list[Outcome]:
    """Return the outcomes of a run whose steps have so many seconds each."""
    steps = [(step, suite, system) for step in suite.steps(system)]
    runner = EpisodeRunner(
        steps, concurrency=8, output=ThreadOutput(), ended=lambda: None, step_timeout=step_timeout
    )
    try:
        runner.demand([step for step, _, _ in steps])
        return [runner.result(step, timeout=120).outcome for step, _, _ in steps]
    finally:
        runner.stop()


def said(outcome: Outcome) -> str:
    """Return why an outcome has no verdict, empty where it has one."""
    return outcome.failure.message if outcome.failure else ""


def test_what_was_done_stands_where_the_memory_hangs_later(tmp_path: Path) -> None:
    """Two targets were through when the third was asked; the third is named, later ones are not."""
    release = threading.Event()

    class Hangs(Counting):
        def recall(self, query: Query) -> Recall:
            """Hang at t0003, once the first two are done."""
            super().recall(query)
            if len(self.at) == 3:
                release.wait(60)
            return Recall()

    suite = office_suite(tmp_path, made_data(tmp_path, 4), Agent(is_idle=True))
    try:
        outcomes = play(suite, system_of(Hangs), step_timeout=4)
    finally:
        release.set()
    assert [outcome.verdict is not None for outcome in outcomes] == [True, True, False, False]
    assert said(outcomes[2]).startswith("step t0003 took longer")
    assert "in recall()" in said(outcomes[2])
    assert said(outcomes[3]).startswith("not asked, because step t0003 took longer")


def test_an_agent_that_hangs_is_named_and_its_neighbours_stand(tmp_path: Path) -> None:
    """The step whose agent hangs is the one that took too long, not the one taken up last."""
    release = threading.Event()

    def hang(shown: Shown, bench: Workbench) -> None:
        if shown.task.task_id == "t0002":
            release.wait(60)

    suite = office_suite(tmp_path, made_data(tmp_path, 4), Agent(hang, is_idle=True))
    try:
        outcomes = play(suite, NONE, step_timeout=4)
    finally:
        release.set()
    assert [outcome.verdict is not None for outcome in outcomes] == [True, False, True, True]
    assert said(outcomes[1]).startswith("step t0002 took longer than 4 s")
    assert "in hang() (test_office_ends.py" in said(outcomes[1])


def test_an_agent_that_hangs_does_not_keep_others_from_working(tmp_path: Path) -> None:
    """Where targets are done one by one, the next stream's go on past an abandoned one."""
    release = threading.Event()

    def hang(shown: Shown, bench: Workbench) -> None:
        if shown.participant.participant_id == "ada" and shown.task.task_id == "t0001":
            release.wait(60)

    make_stream(tmp_path / "streams", "ben", 2)
    suite = office_suite(
        tmp_path, made_data(tmp_path, 2), Agent(hang, is_idle=True), side_by_side=1
    )
    try:
        outcomes = play(suite, NONE, step_timeout=4)
    finally:
        release.set()
    done = [outcome.step.id for outcome in outcomes if outcome.verdict]
    assert done[-2:] == ["t0001", "t0002"]
    assert outcomes[-1].step.episode == "ben"
    assert said(outcomes[0]).startswith("step t0001 took longer")


def test_what_is_in_flight_with_a_hanging_memory_is_not_said_to_be_unasked(tmp_path: Path) -> None:
    """A target whose agent had not finished says so, and names the step that took too long."""
    release = threading.Event()

    class Hangs(Counting):
        def recall(self, query: Query) -> Recall:
            """Hang at t0002."""
            super().recall(query)
            if len(self.at) == 2:
                release.wait(60)
            return Recall()

    def hang(shown: Shown, bench: Workbench) -> None:
        release.wait(60)

    suite = office_suite(tmp_path, made_data(tmp_path, 2), Agent(hang, is_idle=True))
    try:
        outcomes = play(suite, system_of(Hangs), step_timeout=1)
    finally:
        release.set()
    assert said(outcomes[0]).startswith("not finished, because step t0002 took longer")
    assert said(outcomes[1]).startswith("step t0002 took longer")


def test_what_nobody_foresaw_is_one_steps_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of our own code costs its step, and no other that is in flight."""
    left = [ZeroDivisionError("of nothing")]
    similarity = diagnostics.similarity

    def broken(passages: object, snippets: tuple[str, ...], embed: object) -> object:
        if passages and left:
            raise left.pop()
        return similarity(passages, snippets, embed)  # type: ignore[arg-type]

    monkeypatch.setattr(office_tasks, "similarity", broken)
    suite = office_suite(tmp_path, made_data(tmp_path, 5))
    outcomes = play(suite, FULL, step_timeout=60)
    unscored = [outcome for outcome in outcomes if outcome.failure]
    assert len(unscored) == 1
    assert "pytest-comem itself broke: ZeroDivisionError: of nothing" in said(unscored[0])


def test_a_closed_suite_lays_out_nothing_more(tmp_path: Path) -> None:
    """What an agent still does when the run is over brings no state back after its removal."""
    begun, release = threading.Event(), threading.Event()

    def hang(shown: Shown, bench: Workbench) -> None:
        begun.set()
        release.wait(60)

    suite = office_suite(
        tmp_path, made_data(tmp_path, 4), Agent(hang, is_idle=True), side_by_side=1
    )
    runner = EpisodeRunner(
        [(step, suite, FULL) for step in suite.steps(FULL)],
        concurrency=1,
        output=ThreadOutput(),
        ended=lambda: None,
    )
    runner.demand(suite.steps(FULL))
    assert begun.wait(60)
    working = [one for one in threading.enumerate() if one.name == "comem-task"]
    runner.stop()
    suite.close()
    rmtree(tmp_path / "state")
    release.set()
    for thread in working:
        thread.join(60)
        assert not thread.is_alive()
    assert not (tmp_path / "state").exists()
    with pytest.raises(InfrastructureError, match="the run is over"):
        suite._pool.begin(lambda: None).result()


def test_a_stored_file_that_changes_after_loading_is_never_scored(tmp_path: Path) -> None:
    """What is played is what the key says: a changed workspace or reference is a defect."""
    data = made_data(tmp_path, 5)
    files = data.streams[0].stream.directory / "files"

    class Meddles(Counting):
        def recall(self, query: Query) -> Recall:
            """Change what later targets begin with or are held against."""
            super().recall(query)
            if len(self.at) == 1:
                (files / "notes/0003.md").write_text("Open points: 5", encoding="utf-8")
                (files / "reports/0004.md").write_text("Good", encoding="utf-8")
            return Recall()

    outcomes = play(office_suite(tmp_path, data), system_of(Meddles), step_timeout=60)
    failed = [outcome.failure.attribution if outcome.failure else None for outcome in outcomes]
    defect = Attribution.BENCHMARK
    assert failed == [None, None, defect, defect, None]
    assert "ada/tasks/t0003/workspace.json: a stored file of it has changed" in said(outcomes[2])
    assert "ada/tasks/t0004/hidden/reference.json: a stored file" in said(outcomes[3])
