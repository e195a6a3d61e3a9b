"""What a schema cannot say of a participant and their tasks: order, times, projects, names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from pytest_comem.errors import DataError
from pytest_comem.records.strict_json import clipped
from pytest_comem.streams.places import place_of, shown_file
from pytest_comem.streams.schema import Participant, Session, Task
from pytest_comem.suggest import did_you_mean

#: A field, and a clause that says what is wrong with it.
Problem: TypeAlias = tuple[str, str]


def participant_problem(participant: Participant) -> Problem | None:
    """Return what is wrong with ``participant.json`` by itself."""
    twice = doubled(participant.order)
    if twice is not None:
        return "order", f"task {twice} is listed twice; every task is, once"
    twice = doubled(name.casefold() for name in participant.order)
    if twice is not None:
        return "order", f"two tasks are called {twice}, but for case; rename one"
    twice = doubled(participant.projects)
    if twice is not None:
        return "projects", f"project '{clipped(twice)}' is listed twice"
    return None


def task_problem(task: Task, task_id: str, participant: Participant) -> Problem | None:
    """Return what is wrong with ``task.json`` by itself.

    :param task_id: the name of its directory.
    """
    if task.task_id != task_id:
        return "task_id", f"it is {task.task_id}, and lies in the directory of {task_id}"
    if _moment(task.started) is None:
        return "started", f"'{clipped(task.started)}' is no day and time that there is"
    if task.project is not None and task.project not in participant.projects:
        shown, known = clipped(task.project), participant.projects
        near = did_you_mean(shown, known) if known else "the participant has none."
        return "project", f"no project of the participant is called '{shown}'; {near}"
    twice = doubled(task.activities)
    if twice is not None:
        return "activities", f"{twice} is listed twice"
    twice = doubled(one.name.casefold() for one in task.resources)
    if twice is not None:
        return "resources", f"two resources are called '{clipped(twice)}' (case does not matter)"
    return None


def check_order(
    directory: Path, participant: Participant, tasks: Sequence[tuple[Task, Session]]
) -> None:
    """Refuse tasks that go back in time, and sessions of one id.

    :param directory: of the stream.
    :raises DataError: naming both tasks.
    """
    owner, seen = participant.participant_id, dict[str, str]()
    latest, before = datetime.min, ""
    for task, session in tasks:
        place, here = place_of(owner, task.task_id), f"tasks/{task.task_id}"
        started = _moment(task.started) or datetime.min
        if started < latest:
            problem = f"it starts before task {before}, which is earlier in the order"
            file = shown_file(directory, f"{here}/task.json")
            raise DataError(f"{place}{problem}", file=file, field="started")
        latest, before = started, task.task_id
        if session.session_id in seen:
            problem = f"task {seen[session.session_id]} has the same session id; ids are unique"
            file = shown_file(directory, f"{here}/session.json")
            raise DataError(f"{place}{problem}", file=file, field="session_id")
        seen[session.session_id] = task.task_id


def doubled(names: Iterable[str]) -> str | None:
    """Return the first name that is there a second time."""
    seen = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
