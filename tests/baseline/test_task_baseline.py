"""A baseline of office tasks: the same bytes, and every figure comes back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_tasks import BROKEN, DEFECT, run_of_four, task, tasks

from pytest_comem.baseline.changes import changes
from pytest_comem.baseline.file import read_baseline, write_baseline
from pytest_comem.baseline.standing import Baseline
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.errors import DataError
from pytest_comem.metrics.contextweave import TaskSheet


def written(outcomes: list[Outcome], path: Path) -> Path:
    """Write a baseline."""
    write_baseline(RecordedRun(Path("run"), {}, tuple(outcomes)), path)
    return path


def test_every_figure_comes_back(tmp_path: Path) -> None:
    """Of every row, of its strata and of the runs without recall."""
    before = [*run_of_four(), task("broken", failure=BROKEN)]
    back = list(read_baseline(written(before, tmp_path / "b.json")).outcomes)
    one, other = TaskSheet(before), TaskSheet(back)
    for name, row in one.rows().items():
        again = other.rows()[name]
        assert row.overall.values() == again.overall.values()
        for kind, parts in row.strata.items():
            assert {part: each.values() for part, each in parts.items()} == {
                part: each.values() for part, each in again.strata[kind].items()
            }
    alone, again_alone = (sheet.without_recall()["offline"] for sheet in (one, other))
    assert alone.overall.values() == again_alone.overall.values()


def test_the_order_of_outcomes_changes_no_byte(tmp_path: Path) -> None:
    """So that a difference of two versions reads as a list of tasks."""
    paths = [tmp_path / name for name in "ab"]
    written(run_of_four(), paths[0])
    written(run_of_four()[::-1], paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_an_impossible_score_is_refused(tmp_path: Path) -> None:
    """A file edited by hand names its row."""
    path = written(tasks([1, 2]), tmp_path / "b.json")
    document = path.read_text().replace(", 51, 50,", ", 151, 50,", 1)
    assert json.loads(document)
    path.write_text(document)
    with pytest.raises(DataError, match=r"rows\.0"):
        read_baseline(path)


def test_a_task_in_quarantine_is_kept_without_verdicts(tmp_path: Path) -> None:
    """Later runs are not held against what may be wrong."""
    outcomes = [*tasks([1, 2, 3], participants=1), task("wrong", failure=DEFECT)]
    back = read_baseline(written(outcomes, tmp_path / "b.json"))
    scored = {each.step.id: each.verdict is not None for each in back.outcomes}
    assert scored == {"t0": True, "t1": True, "t2": True, "wrong": False}


def test_tasks_that_fail_now_are_regressions() -> None:
    """And those that pass now are told too."""
    before, after = tasks([20, 20, 0]), tasks([20, 0, 20])
    baseline = Baseline(RecordedRun(Path("run"), {}, tuple(before)))
    (row,) = baseline.rows
    found = changes(baseline, row, after)
    assert [step[-1] for step in found.regressions] == ["t1"]
    assert [step[-1] for step in found.newly_passing] == ["t2"]


def test_more_recalled_tokens_are_no_regression() -> None:
    """With repeats metrics are compared as a whole; what was recalled is none that gets worse."""
    before, after = (
        [
            each
            for repeat in range(2)
            for each in tasks([gain] * 24, repeat=repeat, recalled_tokens=tokens)
        ]
        for gain, tokens in ((30, 500.0), (5, 900.0))
    )
    baseline = Baseline(RecordedRun(Path("run"), {}, tuple(before)), repeats=2)
    (row,) = baseline.rows
    worse = dict(changes(baseline, row, after).worse)
    assert "RecallTokens" not in worse
    assert worse["Workspace"] == pytest.approx(25)
