"""Streams from their directories: the public side, which never opens ``hidden/``.

A corpus is a directory of streams; see :mod:`pytest_comem.streams.schema` for a stream's files.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, final

from pytest_comem.errors import DataError
from pytest_comem.records.canonical import digest as digest_of
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.places import has_part, place_of, plain, read_part, shown_file
from pytest_comem.streams.plan_checks import plan_problems
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import MAX_TASKS, Participant, Session, Task, Workspace
from pytest_comem.streams.task_checks import check_order, participant_problem, task_problem
from pytest_comem.streams.workspaces import check_workspace, digest, hashes

PARTICIPANT_FILE: Final = "participant.json"
TASKS: Final = "tasks"
#: Most directories that are looked at as one corpus.
MAX_STREAMS: Final = 1_000


@final
@dataclass(frozen=True)
class StreamTask:
    """One task of a stream.

    :param workspace: the canonical one before the task; every scored task has one.
    :param plan: for the offline agent; ``None`` where the stream has none.
    :param directory: of the task.
    :param position: number of tasks before it.
    """

    task: Task
    session: Session
    workspace: Workspace | None
    plan: Plan | None
    directory: Path
    position: int

    @property
    def id(self) -> str:
        """Its id, unique within the stream."""
        return self.task.task_id

    def workspace_digest(self, stream: Stream) -> str | None:
        """Return the SHA-256 of the workspace before the task; ``None`` where it has none.

        :raises BenchmarkDefect: where a stored file is no longer what it was.
        """
        return digest(stream, self.workspace) if self.workspace else None


@final
@dataclass(frozen=True)
class Stream:
    """A participant's stream.

    :param tasks: in order of time.
    :param directory: of the stream; files of workspaces lie in its ``files``.
    """

    participant: Participant
    tasks: tuple[StreamTask, ...]
    directory: Path

    @property
    def id(self) -> str:
        """Id of the participant."""
        return self.participant.participant_id

    @cached_property
    def targets(self) -> tuple[StreamTask, ...]:
        """The scored tasks, in order."""
        return tuple(one for one in self.tasks if one.task.scored)

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """The number of tasks before each, by id."""
        return {one.id: one.position for one in self.tasks}

    def task(self, task_id: str) -> StreamTask:
        """Return a task by its id.

        :raises KeyError: where the stream has no such task.
        """
        return self.tasks[self.positions[task_id]]

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything public: records, and files of the workspaces before tasks."""
        tasks = [
            [
                plain(one.task),
                plain(one.session),
                one.workspace and hashes(self, one.workspace),
                plain(one.plan),
            ]
            for one in self.tasks
        ]
        return digest_of([plain(self.participant), tasks])


def load_streams(root: Path, operations: Collection[str] = ()) -> tuple[Stream, ...]:
    """Return the streams of a directory of streams, or of one, ordered by participant id.

    :param operations: names that steps of plans may have; any where there are none.
    :raises DataError: where one is not right, two are of one participant, or there is none.
    """
    found: dict[str, Stream] = {}
    for directory in stream_directories(root):
        stream = load_stream(directory, operations)
        if stream.id in found:
            other = shown_file(found[stream.id].directory, PARTICIPANT_FILE)
            raise DataError(
                f"{place_of(stream.id)}{other} has the same id; ids are unique",
                file=shown_file(directory, PARTICIPANT_FILE),
                field="participant_id",
            )
        found[stream.id] = stream
    return tuple(found[name] for name in sorted(found))


def stream_directories(root: Path) -> tuple[Path, ...]:
    """Return the directories that hold a stream, ordered by name.

    :raises DataError: where there is none, or there are more than anybody means.
    """
    if (root / PARTICIPANT_FILE).is_file():
        return (root,)
    try:
        entries = [path for path in root.iterdir() if (path / PARTICIPANT_FILE).is_file()]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=str(root)) from None
    if not entries:
        problem = f"no stream is here; a stream is a directory with {PARTICIPANT_FILE}"
        raise DataError(problem, file=str(root))
    if len(entries) > MAX_STREAMS:
        raise DataError(f"more than {MAX_STREAMS:,} streams", file=str(root))
    return tuple(sorted(entries))


def load_stream(directory: Path, operations: Collection[str] = ()) -> Stream:
    """Return the stream of a directory, checked.

    :param operations: as :func:`load_streams`.
    :raises DataError: naming file, participant, task and field of what is wrong.
    """
    name = directory.absolute().name
    participant = read_part(directory, PARTICIPANT_FILE, Participant, name)
    _check_directories(directory, participant)
    tasks = tuple(
        _task(directory, participant, task_id, position, operations)
        for position, task_id in enumerate(participant.order)
    )
    check_order(directory, participant, [(one.task, one.session) for one in tasks])
    return Stream(participant, tasks, directory)


def _check_directories(directory: Path, participant: Participant) -> None:
    """Refuse an order that does not list each task's directory exactly once."""
    place, shown = place_of(participant.participant_id), shown_file(directory, PARTICIPANT_FILE)
    listed = participant.order
    problem = participant_problem(participant)
    if problem:
        raise DataError(f"{place}{problem[1]}", file=shown, field=problem[0])
    try:
        found = sorted(path.name for path in (directory / TASKS).iterdir() if path.is_dir())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"{place}{TASKS}/ cannot be read: {reason}", file=shown) from None
    for name in listed:
        if name not in found:
            problem_ = f"there is no directory {TASKS}/{name}; take the task out, or add it"
            raise DataError(f"{place}{problem_}", file=shown, field="order")
    unlisted = [name for name in found if name not in set(listed)]
    if unlisted or len(found) > MAX_TASKS:
        problem_ = f"{TASKS}/{clipped(unlisted[0])} is not in the order; every task is, once"
        raise DataError(f"{place}{problem_}", file=shown, field="order")


def _task(
    directory: Path,
    participant: Participant,
    task_id: str,
    position: int,
    operations: Collection[str],
) -> StreamTask:
    """Return a task with what lies beside it."""
    owner, here = participant.participant_id, f"{TASKS}/{task_id}"
    place, path = place_of(owner, task_id), f"{here}/task.json"
    task = read_part(directory, path, Task, owner, task_id)
    problem = task_problem(task, task_id, participant)
    if problem:
        shown = shown_file(directory, path)
        raise DataError(f"{place}{problem[1]}", file=shown, field=problem[0])
    session = read_part(directory, f"{here}/session.json", Session, owner, task_id)
    workspace = plan = None
    path = f"{here}/workspace.json"
    if task.scored or has_part(directory, path):
        workspace = read_part(directory, path, Workspace, owner, task_id)
        check_workspace(directory, workspace, place, shown_file(directory, path))
    path = f"{here}/plan.json"
    if has_part(directory, path):
        plan = read_part(directory, path, Plan, owner, task_id)
        for field, said in plan_problems(plan, operations):
            raise DataError(f"{place}{said}", file=shown_file(directory, path), field=field)
    return StreamTask(task, session, workspace, plan, directory / here, position)
