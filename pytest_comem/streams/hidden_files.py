"""The hidden side of a stream's directory: rubric, reference and relevance labels of a task."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final, final

from pytest_comem.errors import DataError
from pytest_comem.records.canonical import digest as digest_of
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.hidden import Relevance, RootPreferences, Rubric, Test
from pytest_comem.streams.loading import TASKS, Stream, StreamTask
from pytest_comem.streams.places import place_of, plain, read_part, shown_file
from pytest_comem.streams.plans import SlotKind
from pytest_comem.streams.schema import Workspace
from pytest_comem.streams.task_checks import Problem, doubled
from pytest_comem.streams.workspaces import check_workspace, digest
from pytest_comem.suggest import did_you_mean

HIDDEN: Final = "hidden"


@final
@dataclass(frozen=True)
class HiddenTask:
    """What no agent and no memory may see of a task.

    :param reference: all files after the task, as they ought to be.
    :param preferences: of the participant, for all tasks.
    """

    rubric: Rubric
    relevance: Relevance
    reference: Workspace
    preferences: RootPreferences

    def reference_digest(self, stream: Stream) -> str:
        """Return the SHA-256 of the workspace after the task.

        :raises BenchmarkDefect: where a stored file is no longer what it was.
        """
        return digest(stream, self.reference)

    def digest(self, stream: Stream) -> str:
        """Return the SHA-256 of all that is hidden of the task, the reference's files included.

        :raises BenchmarkDefect: as :meth:`reference_digest`.
        """
        parts = [plain(self.rubric), plain(self.relevance), plain(self.preferences)]
        return digest_of([*parts, self.reference_digest(stream)])


def load_hidden(stream: Stream, task: StreamTask, operations: Collection[str] = ()) -> HiddenTask:
    """Return the hidden side of a scored task, checked against the public one.

    :param operations: names that mutations may have; any where there are none.
    :raises DataError: naming file, participant, task and field of what is wrong.
    """
    owner, here = stream.id, f"{TASKS}/{task.id}/{HIDDEN}"
    preferences = read_part(stream.directory, f"{HIDDEN}/preferences.json", RootPreferences, owner)
    _refuse(stream, None, f"{HIDDEN}/preferences.json", _root_problems(stream, preferences))
    path = f"{here}/rubric.json"
    rubric = read_part(stream.directory, path, Rubric, owner, task.id)
    _refuse(stream, task, path, _rubric_problems(rubric, task, preferences, operations))
    path = f"{here}/relevance.json"
    relevance = read_part(stream.directory, path, Relevance, owner, task.id)
    _refuse(stream, task, path, _relevance_problems(relevance, stream, task))
    path = f"{here}/reference.json"
    reference = read_part(stream.directory, path, Workspace, owner, task.id)
    shown, place = shown_file(stream.directory, path), place_of(owner, task.id)
    check_workspace(stream.directory, reference, place, shown)
    return HiddenTask(rubric, relevance, reference, preferences)


def _refuse(
    stream: Stream, task: StreamTask | None, path: str, problems: Iterator[Problem]
) -> None:
    """Raise the first problem of a file, if there is one."""
    place = place_of(stream.id, task.id if task else None)
    for field, said in problems:
        raise DataError(f"{place}{said}", file=shown_file(stream.directory, path), field=field)


def _root_problems(stream: Stream, preferences: RootPreferences) -> Iterator[Problem]:
    twice = doubled(one.preference_id for one in preferences.preferences)
    if twice is not None:
        yield "preferences", f"two root preferences have the id {twice}; ids are unique"
    for number, one in enumerate(preferences.preferences):
        if one.project is not None and one.project not in stream.participant.projects:
            field = f"preferences.{number}.project"
            yield field, f"no project of the participant is called '{clipped(one.project)}'"


def _rubric_problems(
    rubric: Rubric, task: StreamTask, preferences: RootPreferences, operations: Collection[str]
) -> Iterator[Problem]:
    checks = [(f"checks.{number}", one) for number, one in enumerate(rubric.checks)]
    twice = doubled(one.check_id for _, one in checks)
    if twice is not None:
        yield "checks", f"two checks have the id {twice}; ids are unique"
    twice = doubled(one.item_id for one in rubric.preferences)
    if twice is not None:
        yield "preferences", f"two items have the id {twice}; ids are unique"
    yield from _choice_problems(rubric, task)
    for field, check in checks:
        yield from _test_problems(check, task, field, operations)
    roots = [one.preference_id for one in preferences.preferences]
    for number, item in enumerate(rubric.preferences):
        field = f"preferences.{number}"
        if item.root not in roots:
            yield f"{field}.root", _unknown("root preference", item.root, roots)
        if item.test is not None:
            yield from _test_problems(item.test, task, f"{field}.test", operations)


def _choice_problems(rubric: Rubric, task: StreamTask) -> Iterator[Problem]:
    slots = {slot.name: slot for slot in task.plan.slots} if task.plan else {}
    for name, value in rubric.choices.items():
        if name not in slots:
            yield "choices", _unknown("slot of the plan", name, slots)
        elif slots[name].kind is SlotKind.CHOICE and value not in slots[name].options:
            yield f"choices.{name}", _unknown("option", value, slots[name].options)


def _test_problems(
    test: Test, task: StreamTask, field: str, operations: Collection[str]
) -> Iterator[Problem]:
    slots = [slot.name for slot in task.plan.slots] if task.plan else []
    for name in test.slots:
        if name not in slots:
            yield f"{field}.slots", _unknown("slot of the plan", name, slots)
    for mutation in test.mutation:
        if operations and mutation.do not in operations:
            yield f"{field}.mutation", _unknown("operation", mutation.do, operations)


def _relevance_problems(
    relevance: Relevance, stream: Stream, task: StreamTask
) -> Iterator[Problem]:
    twice = doubled(
        f"{one.task_id} is listed twice for a {one.dependency}" for one in relevance.relevant
    )
    if twice is not None:
        yield "relevant", f"task {twice}; put the snippets together"
    for number, one in enumerate(relevance.relevant):
        field = f"relevant.{number}"
        position = stream.positions.get(one.task_id)
        if position is None:
            yield f"{field}.task_id", _unknown("task", one.task_id, stream.positions)
        elif position >= task.position:
            yield f"{field}.task_id", f"task {one.task_id} is not before this one"
        else:
            said = [message.content for message in stream.tasks[position].session.messages]
            for snippet in one.snippets:
                if not any(snippet in content for content in said):
                    problem = f"no message of task {one.task_id} holds '{clipped(snippet)}'"
                    yield f"{field}.snippets", f"{problem} word for word"


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    near = did_you_mean(clipped(name), known) if known else "there is none at all."
    return f"no {what} is called '{clipped(name)}'; {near}"
