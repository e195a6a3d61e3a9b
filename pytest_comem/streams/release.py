"""ContextWeave's own release: a participant's sessions, and which earlier ones bear on which.

A data set is JSON with ``sessions[]``, each with ``session_id`` and ``messages[]`` of ``role`` and
``content``; relevance labels are JSON with ``subtasks[]``, each with ``subtask_id`` and
``relevant_previous_subtasks[]``. Labels name sessions by id, or by their number: ``subtask_0003``
is the third. Fields that are not named here are let be, since the release is not ours. Components
for it count targets from 1.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, final

from pydantic import AliasChoices, BeforeValidator, ConfigDict, Field

from pytest_comem.core.entries import Entry, Principal
from pytest_comem.errors import DataError
from pytest_comem.records.base import Name, Record
from pytest_comem.records.strict_json import clipped, read_record
from pytest_comem.streams.entries import ASSISTANT, header_of
from pytest_comem.streams.loading import Stream
from pytest_comem.streams.schema import MAX_MESSAGES, MAX_TASKS
from pytest_comem.streams.task_checks import doubled

#: Largest data set in bytes: the longest history of the paper is about 8.43 million tokens.
MAX_BYTES: Final = 256 * 1024 * 1024
#: Longest message of the release, in characters.
MAX_CONTENT: Final = 8_000_000
#: Role of a released participant, of whom nothing else is known.
PARTICIPANT: Final = "participant"
_NUMBERED: Final = re.compile(r"subtask_(\d{1,6})", re.ASCII)


def _as_text(value: Any) -> Any:
    """Take a whole number as an id, too."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _as_texts(value: Any) -> Any:
    """Take one text, or none at all, where a list of them is meant."""
    if isinstance(value, str):
        value = [value]
    return [one for one in value if one != ""] if isinstance(value, list) else value or []


_Id = Annotated[Name, BeforeValidator(_as_text)]
_Texts = Annotated[
    list[Annotated[str, Field(max_length=MAX_CONTENT)]],
    BeforeValidator(_as_texts),
    Field(max_length=1_000),
]


class _Foreign(Record):
    """A record of the release, in which other fields are let be."""

    model_config = ConfigDict(extra="ignore")


class _Message(_Foreign):
    role: Annotated[str, Field(min_length=1, max_length=50)]
    content: Annotated[str | None, Field(max_length=MAX_CONTENT)] = None


class _Session(_Foreign):
    session_id: _Id
    messages: Annotated[tuple[_Message, ...], Field(max_length=MAX_MESSAGES)]


class _DataSet(_Foreign):
    sessions: Annotated[tuple[_Session, ...], Field(min_length=1, max_length=MAX_TASKS)]


class _RelevantSubtask(_Foreign):
    subtask_id: _Id
    snippets: _Texts = Field(
        default_factory=list,
        validation_alias=AliasChoices(
            "supporting_snippets", "supporting_snippet", "snippets", "snippet"
        ),
    )


class _Subtask(_Foreign):
    subtask_id: _Id
    relevant_previous_subtasks: Annotated[
        tuple[_RelevantSubtask, ...], Field(max_length=MAX_TASKS)
    ] = ()


class _Labels(_Foreign):
    subtasks: Annotated[tuple[_Subtask, ...], Field(max_length=MAX_TASKS)]


@final
@dataclass(frozen=True, slots=True)
class Label:
    """An earlier session that bears on a later one.

    :param snippets: of it, that say why; none where the release gives none.
    """

    session_id: str
    snippets: tuple[str, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class ReleasedSession:
    """One session; entries have no day and no project, which the release does not say.

    :param entries: one a message that says anything.
    """

    session_id: str
    entries: tuple[Entry, ...]


@final
@dataclass(frozen=True, slots=True)
class ReleasedStream:
    """A participant's sessions in order.

    :param labels: relevant earlier sessions, by the session that they bear on.
    """

    participant: str
    sessions: tuple[ReleasedSession, ...]
    labels: Mapping[str, tuple[Label, ...]] = field(default_factory=dict)

    def before(self, target: int) -> tuple[ReleasedSession, ...]:
        """Return the sessions before a target.

        :param target: its 1-based number.
        :raises ValueError: where there is no such session.
        """
        if not 1 <= target <= len(self.sessions):
            raise ValueError(f"target {target} is none of the sessions 1 to {len(self.sessions)}")
        return self.sessions[: target - 1]


def read_release(
    dataset: Path, relevance: Path | None = None, participant: str | None = None
) -> ReleasedStream:
    """Return what the release says of a participant.

    :param relevance: the file of labels; there are none where ``None``.
    :param participant: a name for them; the data set's file name without its ending if left out.
    :raises DataError: naming file, participant, session and field of what is wrong.
    """
    owner = participant or dataset.absolute().stem
    found = read_record(dataset, _DataSet, dataset.name, _place(owner, "sessions"), MAX_BYTES)
    names = [one.session_id for one in found.sessions]
    twice = doubled(names)
    if twice is not None:
        problem = f"two sessions have the id {clipped(twice)}; ids are unique"
        where = f"participant {clipped(owner)}: "
        raise DataError(f"{where}{problem}", file=dataset.name, field="sessions")
    labels = _labels(relevance, names, owner) if relevance else {}
    return ReleasedStream(owner, tuple(_session(owner, one) for one in found.sessions), labels)


def write_release(stream: Stream, headed: bool = False) -> dict[str, Any]:
    """Return one of our streams as a data set of the release, as JSON values.

    :param headed: whether every message begins with its day and project, as our entries do; a
        component then knows as much as a memory system of ours.
    """
    sessions = []
    for one in stream.tasks:
        header = f"{header_of(one.task)} " if headed else ""
        messages = [
            {"role": said.role, "content": f"{header}{said.content}"}
            for said in one.session.messages
        ]
        sessions.append({"session_id": one.session.session_id, "messages": messages})
    return {"participant": stream.id, "sessions": sessions}


def _session(owner: str, session: _Session) -> ReleasedSession:
    names = {"user": owner, "tool": "result"}
    entries = tuple(
        Entry(
            id=f"{session.session_id}.m{number:02}",
            text=f"{names.get(one.role, one.role)}: {one.content}",
            speaker=Principal(owner, PARTICIPANT) if one.role == "user" else ASSISTANT,
            kind=one.role,
        )
        for number, one in enumerate(session.messages, 1)
        if one.content
    )
    return ReleasedSession(session.session_id, entries)


def _labels(path: Path, names: list[str], owner: str) -> dict[str, tuple[Label, ...]]:
    """Return the labels of a file by session.

    :raises DataError: where one names no session, or none that is earlier.
    """
    found = read_record(path, _Labels, path.name, _place(owner, "subtasks"), MAX_BYTES)
    positions = {name: position for position, name in enumerate(names)}
    labels: dict[str, tuple[Label, ...]] = {}
    for number, subtask in enumerate(found.subtasks):
        where = f"participant {clipped(owner)}, subtask {clipped(subtask.subtask_id)}: "
        here = f"subtasks.{number}"
        target = _position(subtask.subtask_id, positions)
        if target is None or names[target] in labels:
            problem = "no session has this id" if target is None else "it is labelled twice"
            raise DataError(f"{where}{problem}", file=path.name, field=f"{here}.subtask_id")
        earlier: dict[str, Label] = {}
        for relevant in subtask.relevant_previous_subtasks:
            at = _position(relevant.subtask_id, positions)
            if at is None or at >= target:
                problem = f"{clipped(relevant.subtask_id)} is no session before it"
                field_ = f"{here}.relevant_previous_subtasks"
                raise DataError(f"{where}{problem}", file=path.name, field=field_)
            before = earlier.get(names[at], Label(names[at])).snippets
            earlier[names[at]] = Label(names[at], (*before, *relevant.snippets))
        labels[names[target]] = tuple(earlier.values())
    return labels


def _position(subtask_id: str, positions: Mapping[str, int]) -> int | None:
    """Return the place of the session that a label names, by id or by number."""
    if subtask_id in positions:
        return positions[subtask_id]
    numbered = _NUMBERED.fullmatch(subtask_id)
    position = int(numbered.group(1)) - 1 if numbered else -1
    return position if 0 <= position < len(positions) else None


def _place(owner: str, part: str) -> Any:
    """Return what names the participant, and session or subtask, of a field."""
    key = {"sessions": "session_id", "subtasks": "subtask_id"}[part]

    def named(document: Mapping[str, Any], path: Any) -> str:
        place = f"participant {clipped(owner)}"
        match path:
            case [first, int(index), *_] if first == part:
                entry = document[part][index]
                name = entry.get(key) if isinstance(entry, dict) else None
                if isinstance(name, str):
                    place += f", {part[:-1]} {clipped(name)}"
        return f"{place}: "

    return named
