"""ContextWeave's metrics, counted by hand beside."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import pytest
from made_tasks import BROKEN, DEFECT, NOTHING, run_of_four, task, tasks

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.contextweave import TaskSheet
from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
from pytest_comem.metrics.contextweave_infos import MAIN, RATINGS
from pytest_comem.metrics.intervals import measure
from pytest_comem.metrics.paired import compare
from pytest_comem.metrics.quarantine import defects, without_defective
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.metrics.suites import suite_metrics


def values(*outcomes: Outcome) -> dict[str, float]:
    """Return the metrics of one row."""
    return Sample.of(outcomes, CONTEXTWEAVE).values()


def test_every_metric_is_what_it_is_said_to_be() -> None:
    """Of two tasks with different numbers, each metric as the protocol has it."""
    found = values(
        task("a", relevance_rating=4.0, familiarity_rating=3.0, robustness_rating=5.0),
        task(
            "b",
            workspace=50.0,
            workspace_alone=60.0,
            preference=40.0,
            preference_alone=50.0,
            win=False,
            relevance_similarity=0.5,
            relevance_precision=0.75,
            relevance_recall=1.0,
            relevance_rating=3.0,
            exploration=10.0,
            execution=10.0,
            other=0.0,
            problems_alone=1.0,
            problems_solvable=1.0,
            problems_left=0.0,
            problems_left_solvable=0.0,
            memory_induced=True,
            recalled_tokens=100.0,
        ),
    )
    assert found == pytest.approx(
        {
            "Workspace": 65,
            "Preference": 55,
            "Win": 50,
            "dWorkspace": (20 - 10) / 2,
            "dPreference": (30 - 10) / 2,
            "RecallTokens": 500,
            "Similarity": 60,
            "Precision": 50,
            "Recall": 75,
            "dExploration": (-5 + 1) / 2,
            "dExecutionRate": 100 * (15 / 30 - 10 / 30),
            "PSR": 60,
            "RSP": 50,
            "MITR": 50,
            "RelevanceRating": 3.5,
            "FamiliarityRating": 3,
            "RobustnessRating": 5,
        }
    )
    assert set(found) == set(CONTEXTWEAVE.metrics)


def test_directions_are_the_papers() -> None:
    """Less exploration, fewer problems left and fewer misled tasks; tokens have no better way."""
    higher = {name: info.higher_is_better for name, info in CONTEXTWEAVE.metrics.items()}
    assert [name for name, up in higher.items() if up is False] == ["dExploration", "RSP", "MITR"]
    assert [name for name, up in higher.items() if up is None] == ["RecallTokens"]
    assert suite_metrics("contextweave") is CONTEXTWEAVE


def test_a_mean_is_of_the_tasks_that_have_it() -> None:
    """A task without items of preference, and one for which nothing was recalled."""
    nothing: dict[str, Any] = {**NOTHING, "preference": None, "preference_alone": None}
    found = values(task("a"), task("b", **nothing))
    assert found["Preference"] == 70
    assert found["dPreference"] == pytest.approx(30)
    assert found["Win"] == 100
    assert found["Precision"] == 25
    assert found["Workspace"] == 70
    assert not set(found) & set(RATINGS)
    assert "PSR" not in values(task(problems_alone=0.0, problems_solvable=0.0))


def test_differences_are_of_the_same_tasks() -> None:
    """A run without recall that has no score leaves the gain, not the score, without the task."""
    found = values(task("a"), task("b", workspace=0.0, workspace_alone=None))
    assert (found["Workspace"], found["dWorkspace"]) == pytest.approx((40, 20))
    assert "dExploration" not in values(task(other_alone=None))


@pytest.mark.parametrize(
    "wrong",
    [
        {"workspace": None},
        {"workspace": 100.5},
        {"preference": -1.0},
        {"relevance_recall": 1.5},
        {"relevance_rating": 0.0},
        {"exploration": -1.0},
        {"problems_solvable": 5.0},
        {"recalled_tokens": float("nan")},
    ],
)
def test_measures_out_of_range_are_refused(wrong: dict[str, Any]) -> None:
    """They would make metrics that look like results."""
    with pytest.raises(ValueError, match=next(iter(wrong))):
        values(task(**wrong))


@pytest.mark.parametrize(
    ("measures", "kind"),
    [
        ({"workspace": 40.0, "memory_induced": True}, "misled"),
        ({"workspace": 40.0}, "unhelped"),
        ({"workspace": 40.0, "problems_left_solvable": 0.0}, "incomplete"),
        ({"workspace": 60.0, "memory_induced": True}, None),
    ],
)
def test_a_failed_task_has_a_class(measures: dict[str, Any], kind: str | None) -> None:
    """The worst first; one that passes has none."""
    assert CONTEXTWEAVE.failure_class(task(**measures)) == kind
    assert CONTEXTWEAVE.failure_class(task(failure=BROKEN)) is None


def test_tasks_are_drawn_within_their_participant() -> None:
    """Whose level differs: what differs between participants widens no interval."""
    apart = [
        task(f"t{place}", participant=f"p{who}", workspace=30.0 + 60 * who + place % 2)
        for who in range(2)
        for place in range(20)
    ]
    mixed = [
        task(f"t{place}", participant="p0", workspace=30.0 + 60 * (place % 2) + place // 2 % 2)
        for place in range(40)
    ]
    widths = []
    for outcomes in (apart, mixed):
        sample = Sample.of(outcomes, CONTEXTWEAVE)
        assert len(sample.episodes) == 40
        found = measure(sample)["Workspace"]
        assert found.low < found.value < found.high
        widths.append(found.high - found.low)
    assert widths[0] < widths[1] / 2


def test_a_gain_is_surer_than_its_scores() -> None:
    """Tasks differ by far more than recall changes them by, and all of that cancels."""
    outcomes = [
        task(f"t{place}", workspace_alone=2.0 * place, workspace=2.0 * place + 5 + place % 3)
        for place in range(40)
    ]
    found = measure(Sample.of(outcomes, CONTEXTWEAVE))
    gain = found["dWorkspace"]
    assert 5 < gain.low < gain.value < gain.high < 7
    assert found["Workspace"].high - found["Workspace"].low > 10


def test_scores_without_spread_are_not_certain() -> None:
    """Thirty tasks at 100 do not show that every task comes to 100."""
    found = measure(Sample.of(tasks([50] * 30), CONTEXTWEAVE))["Workspace"]
    assert (found.value, found.high) == (100, 100)
    assert 80 < found.low < 99


def test_without_recall_there_is_one_row_a_model() -> None:
    """Of the tasks that any system has, each once, whichever systems lack it."""
    outcomes = [
        *tasks([0, 10, 20], system="one"),
        *tasks([5, 5], system="two"),
        task("t2", participant="p2", system="two", failure=BROKEN),
        *tasks([1], system="one", model="other", workspace_alone=70.0),
    ]
    sheet = TaskSheet(outcomes)
    alone = sheet.without_recall()
    assert {model: row.scored for model, row in alone.items()} == {"offline": 3, "other": 1}
    assert alone["offline"].overall.values() == pytest.approx(
        {"Workspace": 50, "Preference": 40, "RecallTokens": 0}
    )
    assert alone["other"].overall.values()["Workspace"] == 70
    assert list(sheet.uneven()) == [(("two", "offline"), 2, 3)]
    assert sheet.unscored() == {("two", "offline"): {"two-office-p2-t2": "gone"}}


def test_order_of_arrival_changes_nothing() -> None:
    """Rows are arranged as they were asked for, with the same figures."""
    names = ["none", "stale", "bm25", "oracle"]
    first, second = TaskSheet(run_of_four()), TaskSheet(run_of_four()[::-1])
    for sheet in (first, second):
        sheet.arrange(names, ["offline"])
        assert [name for name, _ in sheet.rows()] == names
    for name, row in first.rows().items():
        other = second.rows()[name]
        assert row.overall.values() == pytest.approx(other.overall.values())
        assert {kind: list(parts) for kind, parts in row.strata.items()} == {
            kind: list(parts) for kind, parts in other.strata.items()
        }


def test_tasks_are_divided_by_their_labels() -> None:
    """A task stands under each of its activities; distances go from near to far."""
    row = TaskSheet(tasks(range(30))).rows()["bm25", "offline"]
    assert list(row.strata["distance"]) == ["none", "1", "2-3", "4-10", "more than 10"]
    assert list(row.strata["project"]) == ["Harbour", "Orchard"]
    counts = {
        name: sample.behind("Workspace")[1] for name, sample in row.strata["activity"].items()
    }
    assert counts == {
        "Coding": 10,
        "Data Analysis": 10,
        "Debugging": 10,
        "Review": 10,
        "Writing": 10,
    }
    near = row.strata["distance"]["1"].values()["dWorkspace"]
    assert near == pytest.approx(fmean(range(1, 30, 5)))


def test_a_task_with_a_defect_counts_for_nobody() -> None:
    """It shows on one system; the other's verdict and the run without recall go with it."""
    outcomes = [
        *tasks([0, 10], system="one"),
        *tasks([0], system="two"),
        task("t1", participant="p1", system="two", failure=DEFECT),
    ]
    sheet = TaskSheet(outcomes)
    assert {name: row.scored for name, row in sheet.rows().items()} == {
        ("one", "offline"): 1,
        ("two", "offline"): 1,
    }
    assert sheet.without_recall()["offline"].scored == 1
    assert sheet.quarantined == defects(outcomes) == {"p1/t1": "no such column"}
    rows = {"one": outcomes[:2], "two": outcomes[2:]}
    told = without_defective(rows)["one"][1]
    assert told.verdict is None
    assert told.reason == "the task p1/t1 is in quarantine: no such column"


def test_a_run_keeps_tasks_apart_from_other_suites() -> None:
    """They count as steps, and are no checkpoints."""
    sheet = Sheet()
    for outcome in [*tasks([0, 30]), task("x", failure=BROKEN)]:
        assert sheet.add(outcome, outcome.step.label)
    assert (len(sheet), sheet.scored, sheet.passed) == (3, 2, 1)
    assert list(sheet) == []
    assert sheet.tasks.rows()["bm25", "offline"].scored == 2


def test_systems_are_compared_task_by_task() -> None:
    """Ten points more on every task are seen, with no gain where nothing differs."""
    before = tasks([place % 7 for place in range(24)])
    after = tasks([place % 7 + 10 for place in range(24)], system="oracle")
    found = compare(before, after, CONTEXTWEAVE).differences
    for name in ("Workspace", "dWorkspace", "Preference", "dPreference"):
        assert found[name].difference == pytest.approx(10)
        assert found[name].low <= 10 <= found[name].high
        assert found[name].low > 5
        assert found[name].p < 0.001
    for name in ("MITR", "PSR", "RecallTokens", "dExploration"):
        assert (found[name].difference, found[name].low, found[name].high) == (0, 0, 0)


def test_repeats_are_means_and_their_tasks_are_one() -> None:
    """Twice the same task is one task with more to say."""
    outcomes = [
        each for repeat in range(2) for each in tasks([10 * repeat, 20], repeat=repeat)
    ]  # fmt: skip
    sample = Sample.of(outcomes, CONTEXTWEAVE)
    assert (len(sample.episodes), sample.repeats) == (2, (0, 1))
    assert sample.values()["dWorkspace"] == pytest.approx((10 + 15) / 2)
    assert TaskSheet(outcomes).repeats == 2


def test_main_metrics_are_those_that_are_no_diagnostics() -> None:
    """So that every metric stands in one of the two tables."""
    assert [name for name, info in CONTEXTWEAVE.metrics.items() if not info.diagnostic] == [*MAIN]
