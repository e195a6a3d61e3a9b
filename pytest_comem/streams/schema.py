"""What a participant's stream says in public: who, which tasks in which order, what was said.

A stream is a directory (ContextWeave, protocol "Task stream" and "A task")::

    participant.json                    Participant
    files/...                           every file of every workspace, once each
    tasks/<task_id>/task.json           Task
    tasks/<task_id>/session.json        Session: what happened, as a memory is told it afterwards
    tasks/<task_id>/workspace.json      Workspace: the canonical one before the task
    tasks/<task_id>/plan.json           Plan (pytest_comem.streams.plans): for the offline agent
    tasks/<task_id>/hidden/...          pytest_comem.streams.hidden

Only scored tasks need a workspace, a plan and hidden files. Nothing here has a field for a rubric,
a reference or a relevance label; no module of the public side imports the hidden one.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final, Literal, final

from pydantic import Field, StringConstraints

from pytest_comem.records.base import Id, Name, Record, Text

#: Most tasks of a stream, messages of a session, and files of a workspace that are read at all.
MAX_TASKS: Final = 2_000
MAX_MESSAGES: Final = 2_000
MAX_FILES: Final = 2_000

#: Path inside a workspace or the store of files; ``..`` and the like are refused when it is read.
FilePath = Annotated[
    str, StringConstraints(min_length=1, max_length=300, pattern=r"^[^/\\\x00][^\\\x00]*$")
]
#: ISO 8601, to the minute or second, without a zone, such as ``2025-02-03T09:30``.
Moment = Annotated[
    str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$", max_length=19)
]


class Activity(StrEnum):
    """The nine activity labels of the paper."""

    WRITING = "writing"
    DATA_ANALYSIS = "data_analysis"
    CODING = "coding"
    PLANNING = "planning"
    TOOL_USE = "tool_use"
    DEBUGGING = "debugging"
    DEEP_RESEARCH = "deep_research"
    REVIEW = "review"
    DATA_PROCESS = "data_process"


@final
class Participant(Record):
    """``participant.json``: whose stream it is, and its tasks in time order.

    :param projects: names as sessions and tasks write them.
    :param order: ids of all tasks, earliest first.
    """

    participant_id: Id
    name: Name
    role: Name
    about: Text
    projects: Annotated[tuple[Name, ...], Field(max_length=50)] = ()
    order: Annotated[tuple[Id, ...], Field(min_length=1, max_length=MAX_TASKS)]
    license: Name
    source: Name


@final
class Observation(Record):
    """What the participant saw or heard before asking: a note that stands for a meeting or a mail.

    :param title: such as ``Notes of the steering meeting``.
    """

    title: Name
    text: Text


@final
class Resource(Record):
    """One thing that the simulated resource service knows of.

    :param name: such as ``site north``.
    :param attributes: recorded answers, by what is asked for, such as ``headcount``.
    """

    name: Name
    attributes: Annotated[dict[Name, Name], Field(min_length=1, max_length=200)]


@final
class Task(Record):
    """``task.json``: a task as an agent gets it.

    :param started: when; a later task of the stream starts no earlier.
    :param project: that it belongs to; ``None`` for general work.
    :param instruction: the goal, no steps.
    :param main: whether it belongs to the participant's main workflow.
    :param scored: whether it is a target; others stay in the history.
    :param resources: what the resource service answers during this task.
    """

    task_id: Id
    started: Moment
    project: Name | None = None
    title: Name
    instruction: Text
    observations: Annotated[tuple[Observation, ...], Field(max_length=50)] = ()
    activities: Annotated[tuple[Activity, ...], Field(min_length=1, max_length=9)]
    main: bool = True
    scored: bool = True
    resources: Annotated[tuple[Resource, ...], Field(max_length=500)] = ()


@final
class Message(Record):
    """One message of a session.

    :param role: ``user`` is the participant, ``assistant`` says what it did, ``tool`` what came
        back.
    """

    role: Literal["system", "user", "assistant", "tool"]
    content: Text


@final
class Session(Record):
    """``session.json``: the aligned trajectory of a task as messages, in order."""

    session_id: Id
    messages: Annotated[tuple[Message, ...], Field(min_length=1, max_length=MAX_MESSAGES)]


@final
class Workspace(Record):
    """Files of a workspace: where each comes from in the stream's ``files``, by its path."""

    files: Annotated[dict[FilePath, FilePath], Field(max_length=MAX_FILES)]
