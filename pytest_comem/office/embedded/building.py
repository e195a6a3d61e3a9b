"""Builds a participant's stream from what its author wrote down.

Workspaces chain: a task begins with the reference of the task before, less what was archived, and
its own incoming files; its plan is done with the right choices, then the participant's edits. What
was done on the way, in the words of :mod:`pytest_comem.streams.traces`, is the session. The same
specifications give the same files, byte for byte.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final

from pytest_comem.office.embedded.doing import Desk, Done
from pytest_comem.office.embedded.files import fingerprint
from pytest_comem.office.embedded.specs import TaskSpec
from pytest_comem.office.operations import Operation
from pytest_comem.records.base import Record
from pytest_comem.streams.hidden import Relevance, RelevantTask, RootPreferences, Rubric
from pytest_comem.streams.schema import Message, Participant, Session, Task, Workspace
from pytest_comem.streams.traces import changed, renamed, said_of

__all__ = ["TaskSpec", "build", "stream_files"]

#: Longest part of a tool's answer that a session keeps, in characters.
_ANSWER: Final = 200


def build(
    participant: Participant,
    preferences: RootPreferences,
    tasks: Sequence[TaskSpec],
    destination: Path,
) -> None:
    """Write a stream into *destination*; what lay there of an earlier one goes.

    :raises ValueError: where a specification contradicts itself, saying the task and what.
    """
    if destination.exists() and not (destination / "participant.json").is_file():
        raise ValueError(f"{destination} is there and holds no stream; name another directory")
    files = dict(stream_files(participant, preferences, tasks))
    shutil.rmtree(destination, ignore_errors=True)
    for name, raw in files.items():
        path = destination / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)


def stream_files(
    participant: Participant, preferences: RootPreferences, tasks: Sequence[TaskSpec]
) -> Iterator[tuple[str, bytes]]:
    """Yield every file of a stream, by its path.

    :raises ValueError: as :func:`build` does.
    """
    if participant.order != tuple(spec.id for spec in tasks):
        raise ValueError(f"{participant.participant_id}: order and tasks are not the same")
    store: dict[str, bytes] = {}
    sessions: dict[str, Session] = {}
    yield "participant.json", as_file(participant)
    yield "hidden/preferences.json", as_file(preferences)
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(Path(folder))
        for spec in tasks:
            desk.archive(spec.archived)
            desk.put(spec.incoming, spec.id)
            before = _stored(desk.contents(), store)
            session = _session(spec, desk)
            reference = _stored(desk.contents(), store)
            yield from _task_files(spec, session, before, reference, sessions)
            sessions[spec.id] = session
    yield from store.items()


def as_file(record: Record) -> bytes:
    """Return a record as its file holds it."""
    document = record.model_dump(mode="json", exclude_defaults=True)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _stored(contents: Mapping[str, bytes], store: dict[str, bytes]) -> Workspace:
    """Return a workspace whose files are in *store* from now on.

    A stored file's name ends with a digest, so that no tool takes it for one of this project's.
    """
    places = {}
    for path, raw in sorted(contents.items()):
        name = f"{PurePosixPath(path).name}.{fingerprint(raw)}"
        store[f"files/{name}"] = raw
        places[path] = name
    return Workspace(files=places)


def _task_files(
    spec: TaskSpec,
    session: Session,
    before: Workspace,
    reference: Workspace,
    sessions: Mapping[str, Session],
) -> Iterator[tuple[str, bytes]]:
    place = f"tasks/{spec.id}"
    yield f"{place}/task.json", as_file(_task(spec))
    yield f"{place}/session.json", as_file(session)
    if not spec.scored:
        return
    if spec.plan is None:
        raise ValueError(f"{spec.id}: a scored task needs a plan")
    relevant = [_relevant(spec, each, sessions) for each in _merged(spec.relevant)]
    nearest_first = sorted(relevant, key=lambda each: -list(sessions).index(each.task_id))
    rubric = Rubric(
        checks=tuple(spec.checks),
        preferences=tuple(spec.preferences),
        choices=dict(spec.choices),
    )
    yield f"{place}/workspace.json", as_file(before)
    yield f"{place}/plan.json", as_file(spec.plan)
    yield f"{place}/hidden/reference.json", as_file(reference)
    yield f"{place}/hidden/rubric.json", as_file(rubric)
    yield f"{place}/hidden/relevance.json", as_file(Relevance(relevant=tuple(nearest_first)))


def _task(spec: TaskSpec) -> Task:
    return Task(
        task_id=spec.id,
        started=spec.started,
        project=spec.project,
        title=spec.title,
        instruction=spec.instruction,
        observations=tuple(spec.observations),
        activities=tuple(spec.activities),
        main=spec.main,
        scored=spec.scored,
        resources=tuple(spec.resources),
    )


def _merged(wanted: Sequence[RelevantTask]) -> list[RelevantTask]:
    """Return each task once, with all its phrases; what it is first named for counts."""
    found: dict[str, RelevantTask] = {}
    for each in wanted:
        first = found.get(each.task_id)
        snippets = (*first.snippets, *each.snippets) if first else each.snippets
        found[each.task_id] = (first or each).model_copy(update={"snippets": snippets})
    return list(found.values())


def _relevant(
    spec: TaskSpec, wanted: RelevantTask, sessions: Mapping[str, Session]
) -> RelevantTask:
    """Return *wanted* with the messages that hold its phrases in the phrases' place."""
    if wanted.task_id not in sessions:
        raise ValueError(f"{spec.id}: the relevant task {wanted.task_id!r} is no earlier one")
    said = [message.content for message in sessions[wanted.task_id].messages]
    snippets = []
    for phrase in wanted.snippets:
        found = next((each for each in said if phrase in each), None)
        if found is None:
            raise ValueError(f"{spec.id}: nobody says {phrase!r} in {wanted.task_id}")
        snippets.append(found)
    return wanted.model_copy(update={"snippets": tuple(dict.fromkeys(snippets))})


def _session(spec: TaskSpec, desk: Desk) -> Session:
    """Do a task on the desk, and return what was said on the way."""
    messages = [Message(role="user", content=spec.instruction)]
    for seen in spec.observations:
        messages.append(Message(role="user", content=f"{seen.title}:\n{seen.text}"))
    for done in desk.follow(spec):
        messages.append(_said(done))
        messages.append(Message(role="tool", content=_clipped(done.answer)))
    messages += [Message(role="assistant", content=reply) for reply in spec.replies]
    if spec.edits:
        desk.edit(spec)
        edits = "\n".join(map(_edited, spec.edits))
        messages.append(Message(role="user", content=edits))
    messages += [Message(role="user", content=remark) for remark in spec.remarks]
    return Session(session_id=spec.id, messages=tuple(messages))


def _said(done: Done) -> Message:
    words = said_of(done.operation.name, done.operation.arguments)
    return Message(role="assistant", content=words)


def _edited(operation: Operation) -> str:
    """Return how the participant says that they did something themselves."""
    a: Mapping[str, Any] = operation.arguments
    if operation.name in ("edit", "edit_document"):
        return changed(a["path"], a["old"], a["new"])
    if operation.name == "move":
        return renamed(a["path"], a["to"])
    return f"I {said_of(operation.name, a)}"


def _clipped(answer: str) -> str:
    answer = answer.strip() or "done"
    return answer if len(answer) <= _ANSWER else answer[: _ANSWER - 4].rstrip() + " ..."
