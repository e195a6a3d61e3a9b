"""Made streams are worth what their module says, done by the offline agent and graded by rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from made_streams import make_stream

from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Hidden, Shown
from pytest_comem.office.grading import RuleGrader
from pytest_comem.office.inside.office_tools import perform
from pytest_comem.office.offline_agent import OfflineAgent
from pytest_comem.office.operations import CallClass
from pytest_comem.office.workbench import BenchSettings, open_bench
from pytest_comem.streams.entries import entries_of
from pytest_comem.streams.hidden import Mutation
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_stream
from pytest_comem.streams.workspaces import contents, lay_out


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> Stream:
    """A made stream of four tasks, all of them scored."""
    return load_stream(make_stream(tmp_path_factory.mktemp("streams"), tasks=4))


def passages_of(stream: Stream, number: int) -> tuple[str, ...]:
    """Return everything that was said during a task, by its 0-based number."""
    one = stream.tasks[number]
    return tuple(entry.text for entry in entries_of(stream.participant, one.task, one.session))


def graders_view(stream: Stream, target: StreamTask, hidden: HiddenTask) -> Hidden:
    """Return what a grader knows of a task."""
    assert target.workspace is not None
    before, after = contents(stream, target.workspace), contents(stream, hidden.reference)
    return Hidden(hidden.rubric, hidden.relevance, before, after)


def scores(
    stream: Stream, folder: Path, number: int, passages: tuple[str, ...] = ()
) -> tuple[float, float | None, int]:
    """Do a task and return Workspace and Preference Score, and how many calls explored."""
    target = stream.tasks[number]
    workspace = target.workspace
    assert workspace is not None
    shown = Shown(stream.participant, target.task, passages, target.plan)
    folder.mkdir()
    view = graders_view(stream, target, load_hidden(stream, target))
    with open_bench(
        BenchSettings(),
        target.task,
        lambda place: lay_out(stream, workspace, place),
        folder,
        target.id,
    ) as bench:
        done = OfflineAgent().work(shown, bench, Meter("test"))
        grade = RuleGrader().grade(target.task, view, bench.workspace, Meter("test"))
    explored = [call for call in done.calls if call.call_class is CallClass.EXPLORATION]
    return grade.workspace, grade.preference, len(explored)


def test_recall_of_the_own_project_is_worth_what_is_said(stream: Stream, tmp_path: Path) -> None:
    """Defaults reach 60 and 50; the habits of the project 80 and 100, without exploring."""
    assert scores(stream, tmp_path / "alone", 2) == (60.0, 50.0, 1)
    assert scores(stream, tmp_path / "own", 2, passages_of(stream, 0)) == (80.0, 100.0, 0)
    both = (*passages_of(stream, 1), *passages_of(stream, 0))
    assert scores(stream, tmp_path / "both", 2, both) == (80.0, 100.0, 0)


def test_recall_of_the_other_project_misleads(stream: Stream, tmp_path: Path) -> None:
    """Its date style and signature are taken where nothing better is there."""
    assert scores(stream, tmp_path / "other", 2, passages_of(stream, 1)) == (60.0, 50.0, 0)


def laid(folder: Path, files: dict[str, bytes], mutation: Sequence[Mutation] = ()) -> Path:
    """Write files, and do a mutation on them."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    wanted = [{"name": one.do, "arguments": one.arguments} for one in mutation]
    assert all(result["ok"] for result in perform(folder, wanted))
    return folder


@pytest.mark.parametrize("number", range(4))
def test_every_mutation_breaks_its_own_test_alone(
    stream: Stream, tmp_path: Path, number: int
) -> None:
    """The reference passes everything, and each mutation of it fails exactly one."""
    target = stream.tasks[number]
    hidden = load_hidden(stream, target)
    view = graders_view(stream, target, hidden)
    tests = {one.check_id: one.mutation for one in hidden.rubric.checks}
    tests |= {one.item_id: one.test.mutation for one in hidden.rubric.preferences if one.test}
    for broken in (None, *tests):
        place = laid(tmp_path / str(broken), dict(view.reference), tests[broken] if broken else ())
        grade = RuleGrader().grade(target.task, view, place, Meter("test"))
        found = {**grade.checks, **grade.items}
        assert set(found) == set(tests)
        assert [name for name in found if not found[name].passed] == ([broken] if broken else [])
