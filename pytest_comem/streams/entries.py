"""What a memory is told of a session: an entry a message, each with its day and project."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_comem.core.entries import Entry, Principal
from pytest_comem.streams.schema import Message, Participant, Session, Task

#: Who does the work in the past.
ASSISTANT: Final = Principal("assistant", "assistant")


def header_of(task: Task) -> str:
    """Return what begins every entry of a task, such as ``[2025-02-03, Harbour]``."""
    day = task.started[:10]
    return f"[{day}, {task.project}]" if task.project else f"[{day}]"


def speaker_of(participant: Participant, message: Message) -> Principal:
    """Return who said a message; what a tool said was heard by the assistant."""
    if message.role == "user":
        return Principal(participant.participant_id, participant.role)
    return ASSISTANT


def entries_of(participant: Participant, task: Task, session: Session) -> Iterator[Entry]:
    """Yield a session's messages as entries, in order."""
    header = header_of(task)
    names = {"user": participant.name, "assistant": "assistant", "tool": "result"}
    for number, message in enumerate(session.messages, 1):
        said_by = names.get(message.role, message.role)
        yield Entry(
            id=f"{task.task_id}.m{number:02}",
            text=f"{header} {said_by}: {message.content}",
            speaker=speaker_of(participant, message),
            timestamp=task.started,
            kind=message.role,
        )
