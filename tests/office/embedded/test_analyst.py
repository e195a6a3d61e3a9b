"""The analyst's stream: what is shipped is what its modules say, and it holds what it should."""

from __future__ import annotations

import sqlite3
from collections import Counter
from pathlib import Path

import pytest
from embedded_streams import distances, facts_of, hidden_of, said_in, shipped_stream
from made_plans import DirectoryBench

from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Grade, Shown
from pytest_comem.office.embedded.analyst import data
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.sandbox.tree import read_tree
from pytest_comem.streams.hidden import Level
from pytest_comem.streams.loading import Stream
from pytest_comem.streams.workspaces import lay_out


@pytest.fixture(scope="module")
def stream() -> Stream:
    """Return the shipped stream."""
    return shipped_stream("analyst")


def played(stream: Stream, target: str, passages: list[str], place: Path) -> Grade:
    """Let the offline agent do a task that needs neither shell nor resource, and grade it."""
    task = stream.task(target)
    assert task.workspace is not None
    workspace = place / target
    workspace.mkdir(parents=True)
    lay_out(stream, task.workspace, workspace)
    shown = Shown(stream.participant, task.task, tuple(passages), task.plan)
    OfflineAgent().work(shown, DirectoryBench(workspace), Meter("test"))
    return RuleGrader().grade_files(facts_of(stream, task), read_tree(workspace))


def test_what_is_relevant_lies_one_to_more_than_ten_tasks_back(stream: Stream) -> None:
    """The nearest relevant task is the last one, or thirteen back, and much in between."""
    nearest = {task.id: distances(stream, task)[0] for task in stream.targets}
    assert nearest["a12"] == 1
    assert nearest["a16"] == 13
    assert {2, 3, 5} <= set(nearest.values())
    assert all(each > 0 for task in stream.targets for each in distances(stream, task))


def test_items_are_three_to_seven_a_task_and_decided_without_a_judge(stream: Stream) -> None:
    """Weights are from one to three, and the roots are the participant's."""
    for task in stream.targets:
        items = hidden_of(stream, task).rubric.preferences
        assert 3 <= len(items) <= 7, task.id
        assert all(item.test is not None and 1 <= item.weight <= 3 for item in items), task.id


def test_projects_differ_in_more_than_two_habits(stream: Stream) -> None:
    """The same slot has another right value in another project, so foreign recall misleads."""
    chosen = {name: hidden_of(stream, stream.task(name)).rubric.choices for name in ("a04", "a05")}
    chosen["a13"] = hidden_of(stream, stream.task("a13")).rubric.choices
    for one, other in (("a04", "a05"), ("a05", "a13"), ("a04", "a13")):
        shared = set(chosen[one]) & set(chosen[other])
        assert sum(chosen[one][slot] != chosen[other][slot] for slot in shared) >= 3


def test_habits_change_and_the_old_ones_become_wrong(stream: Stream) -> None:
    """From May on an account is lost when it asks, dates are ISO, and the register fills itself."""
    old, new = (hidden_of(stream, stream.task(each)).rubric.choices for each in ("a04", "a12"))
    changed = {name for name in old if old[name] != new[name]} - {"path"}
    assert changed == {"basis", "dates", "register"}
    told = [text for text in said_in(stream, "a11") if "From now on" in text]
    assert len(told) == 3


def test_some_habits_are_only_shown_by_her_own_changes(stream: Stream) -> None:
    """Nobody ever says that reports are signed so, or that tickets closed are meant."""
    everything = [text for task in stream.tasks[:3] for text in said_in(stream, task.id)]
    for phrase in ("Mira Lindqvist, Retention Insights", "Tickets closed: 371"):
        holding = [text for text in everything if phrase in text]
        assert len(holding) == 1
        assert '" is now "' in holding[0]


def test_some_habits_are_said_once(stream: Stream) -> None:
    """The budget rate and IT's Sundays are heard once, in a meeting, and matter much later."""
    for phrase, target in (("budget rate, 11.40", "a14"), ("Sundays only", "a16")):
        before = stream.tasks[: stream.positions[target]]
        said = [text for task in before for text in said_in(stream, task.id) if phrase in text]
        assert len(said) == 1
        assert "meeting" in said[0]


@pytest.mark.parametrize("target", ["a04", "a05", "a07", "a09", "a10", "a12", "a13", "a14", "a16"])
def test_the_workspace_depends_on_experience(stream: Stream, target: str) -> None:
    """A minimum or reference check names a slot whose plain default is not the right value."""
    task = stream.task(target)
    rubric = hidden_of(stream, task).rubric
    assert task.plan is not None
    plain = {slot.name: slot.default for slot in task.plan.slots}
    wrong = {name for name, right in rubric.choices.items() if plain[name] != right}
    levels = Counter(check.level for check in rubric.checks if wrong & set(check.slots))
    assert levels[Level.MINIMUM] + levels[Level.REFERENCE] > 0


def test_recall_helps_and_stale_or_foreign_recall_misleads(stream: Stream, tmp_path: Path) -> None:
    """May's ledger is read with what April said, and not with what January showed."""
    facts = hidden_of(stream, stream.task("a14")).relevance
    useful = [
        text
        for each in facts.relevant
        for text in said_in(stream, each.task_id)
        if any(snippet in text for snippet in each.snippets)
    ]
    plain = played(stream, "a14", [], tmp_path / "plain")
    helped = played(stream, "a14", useful, tmp_path / "helped")
    stale = played(stream, "a14", said_in(stream, "a05"), tmp_path / "stale")
    assert stale.workspace < plain.workspace < helped.workspace
    assert (helped.workspace, helped.preference) == (100, 100)
    foreign = [text for name in ("a02", "a05") for text in said_in(stream, name)]
    alone, misled = (
        played(stream, "a06", recalled, tmp_path / place)
        for recalled, place in (([], "alone"), (foreign, "foreign"))
    )
    assert misled.workspace < alone.workspace
    assert (misled.preference or 0) < (alone.preference or 0)


def test_churn_is_counted_as_the_warehouse_has_it(tmp_path: Path) -> None:
    """Plain Python and plain SQL come to the same, with and without the company's own accounts."""
    path = tmp_path / "warehouse.sqlite"
    path.write_bytes(data.warehouse("2025-02-01"))
    lost = (
        "SELECT count(*) FROM accounts WHERE started < '2025-01-01' AND ended LIKE '2025-01-%' "
        "AND plan <> ?"
    )
    connection = sqlite3.connect(path)
    try:
        (customers,), (everybody,) = (
            connection.execute(lost, (plan,)).fetchone() for plan in ("internal", "nothing")
        )
    finally:
        connection.close()
    assert (customers, everybody) == (
        data.churn("2025-01").lost,
        data.churn("2025-01", internal=True).lost,
    )
    assert customers < everybody


def test_the_warehouse_knows_nothing_of_the_future(tmp_path: Path) -> None:
    """What happens after its day is not in it."""
    path = tmp_path / "warehouse.sqlite"
    path.write_bytes(data.warehouse("2025-02-01"))
    connection = sqlite3.connect(path)
    try:
        (latest,) = connection.execute(
            "SELECT max(max(started), coalesce(max(requested), ''), coalesce(max(ended), '')) "
            "FROM accounts"
        ).fetchone()
    finally:
        connection.close()
    assert "2025-01" <= latest < "2025-02-01"
