"""The whole draft of a stream: every task of a history with all that belongs to it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import PurePosixPath
from typing import Final, final

from pytest_comem.histories.drafting import (
    Draft,
    Drafter,
    activities_of,
    can_be_scored,
    draft_of,
    fates_of,
)
from pytest_comem.histories.earlier import Earlier
from pytest_comem.histories.habits import Habits
from pytest_comem.histories.items import Habit, habits_in
from pytest_comem.histories.rubrics import rubric_of
from pytest_comem.histories.sessions import session_of
from pytest_comem.histories.work import Files, Work
from pytest_comem.streams.hidden import Relevance, RootPreference, RootPreferences, Rubric
from pytest_comem.streams.schema import Participant, Session, Task, Workspace

_SUFFIX: Final = 10


@final
@dataclass(frozen=True, slots=True)
class TaskDraft:
    """One task of a draft.

    :param before: and
    :param after: the workspaces, ``None`` both where the task cannot be scored.
    :param rubric: ``None`` where the task cannot be scored.
    """

    task: Task
    session: Session
    relevance: Relevance
    before: Workspace | None = None
    after: Workspace | None = None
    rubric: Rubric | None = None


@final
@dataclass(slots=True)
class StreamDraft:
    """A draft: records, and the content of every stored file by its name in the store."""

    participant: Participant
    preferences: RootPreferences
    tasks: list[TaskDraft]
    files: dict[str, bytes] = field(default_factory=dict)


def task_id_of(number: int) -> str:
    """Return the id of the task with a 1-based number."""
    return f"t{number:04}"


def drafted(
    works: Iterable[Work],
    who: Callable[[tuple[str, ...]], Participant],
    drafter: Drafter = draft_of,
    clean: Callable[[str], str] = lambda text: text,
) -> StreamDraft:
    """Return the draft of a stream.

    :param works: in order.
    :param who: the participant, from the ids of all tasks.
    :param drafter: makes title and instruction.
    :param clean: replaces what is private in what the drafter wrote.
    """
    making = _Making(drafter, clean)
    tasks = [making.task(work) for work in works]
    roots = tuple(making.roots[name] for name in sorted(making.roots))
    order = tuple(one.task.task_id for one in tasks)
    return StreamDraft(who(order), RootPreferences(preferences=roots), tasks, making.files)


@final
class _Making:
    """Makes tasks in order; each knows what those before it have shown."""

    def __init__(self, drafter: Drafter, clean: Callable[[str], str]) -> None:
        self._drafter = drafter
        self._clean = clean
        self._habits = Habits()
        self._earlier = Earlier()
        self.roots: dict[str, RootPreference] = {}
        self.files: dict[str, bytes] = {}

    def task(self, work: Work) -> TaskDraft:
        draft = self._drafter(work.messages, fates_of(work))
        draft = Draft(self._clean(draft.title), self._clean(draft.instruction))
        name = task_id_of(work.number)
        habits = list(habits_in(work, self._habits))
        rubric = rubric_of(work, draft, habits) if can_be_scored(draft, work) else None
        kept = list(self._kept(rubric, habits))
        relevance = self._earlier.relevance(work, kept)
        session = session_of(name, draft, work)
        self._habits.learn(work)
        self._earlier.learn(work, name, session)
        task = _task(name, work, draft, scored=rubric is not None)
        if rubric is None:
            return TaskDraft(task, session, relevance)
        before, after = self._stored(work.before), self._stored(work.after)
        return TaskDraft(task, session, relevance, before, after, rubric)

    def _kept(self, rubric: Rubric | None, habits: Iterable[Habit]) -> Iterator[Habit]:
        """Yield the habits that a rubric has items of, and note their root preferences."""
        roots = {item.root for item in rubric.preferences} if rubric else set()
        for habit in habits:
            if habit.root.preference_id in roots:
                self.roots.setdefault(habit.root.preference_id, habit.root)
                yield habit

    def _stored(self, files: Files) -> Workspace:
        """Return a workspace whose files are in the store, each content once."""
        found: dict[str, str] = {}
        for path, content in files.items():
            found[path] = name = stored_name(path, content)
            self.files.setdefault(name, content)
        return Workspace(files=found)


def stored_name(path: str, content: bytes) -> str:
    """Return the name of a file in the store: its digest, and its ending where that is plain."""
    suffix = PurePosixPath(path).suffix.lower()
    plain = suffix if suffix[1:].isascii() and suffix[1:].isalnum() else ""
    return hashlib.sha256(content).hexdigest()[:24] + plain[:_SUFFIX]


def _task(name: str, work: Work, draft: Draft, scored: bool) -> Task:
    return Task(
        task_id=name,
        started=_moment(work.started),
        title=draft.title,
        instruction=draft.instruction,
        activities=activities_of(work),
        scored=scored,
    )


def _moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")


def texts_by_id(rubric: Rubric | None) -> Mapping[str, str]:
    """Return what each check and item of a rubric asks for, by its id."""
    if rubric is None:
        return {}
    checks = {one.check_id: one.text for one in rubric.checks}
    return checks | {one.item_id: one.text for one in rubric.preferences}
