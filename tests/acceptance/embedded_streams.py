"""The shipped office streams, as tests of what they hold read them."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_comem.locations import fixture_path
from pytest_comem.office.base import Hidden, Shown
from pytest_comem.office.offline_agent import learn
from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.entries import entries_of
from pytest_comem.streams.hidden_files import HiddenTask, load_hidden
from pytest_comem.streams.loading import Stream, StreamTask, load_stream
from pytest_comem.streams.workspaces import contents


def shipped_stream(participant: str) -> Stream:
    """Return a participant's stream as it is shipped."""
    return load_stream(fixture_path("contextweave", participant), tuple(OPERATIONS))


def hidden_of(stream: Stream, task: StreamTask) -> HiddenTask:
    """Return what is hidden of a task."""
    return load_hidden(stream, task, tuple(OPERATIONS))


def facts_of(stream: Stream, task: StreamTask) -> Hidden:
    """Return what a grader knows of a task."""
    found = hidden_of(stream, task)
    assert task.workspace is not None
    before, reference = contents(stream, task.workspace), contents(stream, found.reference)
    return Hidden(found.rubric, found.relevance, before, reference)


def right(stream: Stream, target: str, slot: str) -> str:
    """Return the right value of a target's slot."""
    return hidden_of(stream, stream.task(target)).rubric.choices[slot]


def said_in(stream: Stream, task_id: str) -> list[str]:
    """Return the entries of a task's session."""
    task = stream.task(task_id)
    return [entry.text for entry in entries_of(stream.participant, task.task, task.session)]


def filled(stream: Stream, target: str, passages: Sequence[str]) -> dict[str, str]:
    """Return how the offline agent fills a target's slots from passages."""
    task = stream.task(target)
    assert task.plan is not None
    seen = Shown(stream.participant, task.task, tuple(passages), task.plan)
    found = learn(seen, task.plan)
    return {slot.name: found.value_of(slot) for slot in task.plan.slots}


def learned(stream: Stream, target: str, *from_tasks: str) -> dict[str, str]:
    """Return how the offline agent fills a target's slots from all that some tasks say."""
    return filled(stream, target, [text for each in from_tasks for text in said_in(stream, each)])


def distances(stream: Stream, task: StreamTask) -> list[int]:
    """Return how many tasks back what is relevant to a task lies, in the order of its labels."""
    at = stream.positions
    relevance = hidden_of(stream, task).relevance
    return [at[task.id] - at[each.task_id] for each in relevance.relevant]
