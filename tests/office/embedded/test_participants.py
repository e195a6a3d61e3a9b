"""What every embedded stream has in common: shipped as written, long enough, gold that holds."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from embedded_streams import distances, facts_of, filled, hidden_of, said_in, shipped_stream

from pytest_comem.locations import fixture_path
from pytest_comem.office.embedded.files import same
from pytest_comem.office.embedded.shipping import PARTICIPANTS, ship
from pytest_comem.office.grading import RuleGrader
from pytest_comem.sandbox.tree import Files
from pytest_comem.streams.hidden import RelevantTask
from pytest_comem.streams.loading import Stream
from pytest_comem.streams.schema import Activity
from pytest_comem.streams.workspaces import contents


@pytest.fixture(scope="module", params=PARTICIPANTS)
def stream(request: pytest.FixtureRequest) -> Stream:
    """Return a shipped stream."""
    return shipped_stream(request.param)


def files_of(directory: Path) -> dict[str, bytes]:
    """Return every file of a directory by its path."""
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file()
    }


def test_every_shipped_stream_is_one_of_the_participants() -> None:
    """Nothing else lies beside them."""
    places = sorted(path.name for path in fixture_path("contextweave").iterdir())
    assert places == sorted(PARTICIPANTS)


def test_what_is_shipped_is_what_the_modules_say(stream: Stream, tmp_path: Path) -> None:
    """Building the stream anew gives the shipped files, and no other."""
    built = files_of(ship(stream.id, tmp_path / "stream"))
    shipped = files_of(fixture_path("contextweave", stream.id))
    assert sorted(built) == sorted(shipped)
    assert [name for name in built if not same(built[name], shipped[name])] == []


def test_sixteen_tasks_over_five_months_of_which_eleven_are_scored(stream: Stream) -> None:
    """The stream is long enough, in time order, and its workspaces are small."""
    days = [date.fromisoformat(task.task.started[:10]) for task in stream.tasks]
    assert (len(stream.tasks), len(stream.targets)) == (16, 11)
    assert days == sorted(set(days))
    assert {day.year for day in days} == {2025}
    assert (days[-1] - days[0]).days > 150
    for task in stream.targets:
        assert task.workspace is not None
        assert sum(map(len, contents(stream, task.workspace).values())) < 200_000


def test_every_activity_has_a_scored_task(stream: Stream) -> None:
    """All nine labels of the paper occur among the targets."""
    assert {label for task in stream.targets for label in task.task.activities} == set(Activity)


def test_dependencies_are_near_and_far(stream: Stream) -> None:
    """Something relevant lies one task back, something more than ten, and much between."""
    every = [distances(stream, task) for task in stream.targets]
    found = {distance for one in every for distance in one}
    assert (min(found), max(found) > 10) == (1, True)
    assert len(found) >= 8


@pytest.mark.parametrize("participant", ["analyst", "maintainer"])
def test_the_nearest_experience_may_be_long_ago(participant: str) -> None:
    """For some task nothing nearer than thirteen tasks back is relevant; for some the last is."""
    stream = shipped_stream(participant)
    nearest = [min(distances(stream, task)) for task in stream.targets]
    assert (min(nearest), max(nearest)) == (1, 13)


def test_references_reach_the_papers_quality_and_beginnings_do_not(stream: Stream) -> None:
    """Every reference scores at least 80 and satisfies every item; every beginning is below 60."""
    grader = RuleGrader()
    for task in stream.targets:
        facts = facts_of(stream, task)
        reference = grader.grade_files(facts, Files(facts.reference))
        assert (reference.workspace >= 80, reference.preference) == (True, 100), task.id
        assert grader.grade_files(facts, Files(facts.before)).workspace < 60, task.id


def test_the_relevant_sessions_teach_every_slot(stream: Stream) -> None:
    """The entries with the snippets, of each target, fill its slots with the right values."""
    for task in stream.targets:
        found = hidden_of(stream, task)
        texts = [text for each in found.relevance.relevant for text in _with_snippets(stream, each)]
        assert filled(stream, task.id, texts) == dict(found.rubric.choices), task.id


def _with_snippets(stream: Stream, relevant: RelevantTask) -> list[str]:
    return [
        text
        for text in said_in(stream, relevant.task_id)
        if any(text.endswith(snippet) for snippet in relevant.snippets)
    ]
