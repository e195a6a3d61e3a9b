"""A draft and its stream as a directory: written whole or not at all, and read back.

``draft/`` holds the draft as it was made, ``review.jsonl`` what a person makes of it, and the rest
is the stream (:mod:`pytest_comem.streams.schema`) that comes of both. All use one store of files.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pytest_comem.core.printable import printable
from pytest_comem.errors import DataError, SettingsError
from pytest_comem.histories.draft_stream import StreamDraft, TaskDraft
from pytest_comem.histories.review import REVIEW_FILE
from pytest_comem.histories.texts import said_in
from pytest_comem.records.base import Record
from pytest_comem.records.canonical import texts_of
from pytest_comem.records.strict_json import Found
from pytest_comem.secrets import without_secrets
from pytest_comem.streams.hidden import Relevance, RootPreferences, Rubric
from pytest_comem.streams.places import has_part, read_part
from pytest_comem.streams.schema import Participant, Session, Task, Workspace
from pytest_comem.streams.workspaces import STORE

DRAFT: Final = "draft"
_HIDDEN: Final = "hidden"
_PARTS: Final = ("participant.json", "tasks", _HIDDEN)


def stream_files(stream: StreamDraft) -> dict[str, bytes]:
    """Return the records of a stream by their paths in its directory."""
    return {path: _json(record) for path, record in _records(stream)}


def refuse_private(
    stream: StreamDraft, left_in: Callable[[str], str], others: Mapping[str, str]
) -> None:
    """Look once more at everything that is to be written.

    :param left_in: says which kind of private thing a text still holds.
    :param others: further texts, by the names of their files.
    :raises DataError: naming a file that holds something private, never what it is.
    """
    for path, text in _texts(stream, others):
        kind = left_in(text)
        if not kind and without_secrets(text) != text:
            kind = "key of this environment"
        if kind:
            problem = f"still holds something private ({kind}), so that nothing was written"
            raise DataError(f"{problem}; leave its file out with --paths", file=printable(path))


def write_new(destination: Path, files: Mapping[str, bytes]) -> None:
    """Write a directory that is new, or empty, whole or not at all.

    :raises SettingsError: where there is something already, or it cannot be written.
    """
    target = destination.absolute()
    try:
        if target.is_symlink() or (target.exists() and not target.is_dir()):
            raise SettingsError(f"-o {printable(str(destination))}: is there, and no directory")
        if target.is_dir() and any(target.iterdir()):
            problem = "is not empty; name a new directory"
            raise SettingsError(f"-o {printable(str(destination))}: {problem}")
        target.parent.mkdir(parents=True, exist_ok=True)
        with _beside(target) as place:
            _fill(place, files)
            place.replace(target)
    except OSError as error:
        raise _unwritten(destination, error) from error


def write_again(directory: Path, files: Mapping[str, bytes]) -> None:
    """Put other records in a stream's directory, all of them or none; store and draft stay.

    :raises SettingsError: where it cannot be written; then the old ones are there.
    """
    target = directory.absolute()
    try:
        with _beside(target) as place:
            for entry in sorted(target.iterdir()):
                if entry.name not in _PARTS:
                    _copy(entry, place / entry.name)
            _fill(place, files)
            with _beside(target) as aside:
                target.replace(aside)
                try:
                    place.replace(target)
                except OSError:
                    aside.replace(target)
                    raise
    except OSError as error:
        raise _unwritten(directory, error) from error


def read_draft(directory: Path) -> StreamDraft:
    """Return the draft that a directory holds; the contents of its store are not read.

    :raises DataError: where it is no draft, naming file, task and field.
    """
    here = directory / DRAFT
    if not has_part(here, "participant.json"):
        problem = "no draft is here; 'comem build contextweave --from-git' makes one"
        raise DataError(problem, file=str(directory))
    participant = read_part(here, "participant.json", Participant, directory.absolute().name)
    owner = participant.participant_id

    def part(task: str, name: str, model: type[Found]) -> Found:
        return read_part(here, f"tasks/{task}/{name}", model, owner, task)

    tasks = []
    for name in participant.order:
        task, session = part(name, "task.json", Task), part(name, "session.json", Session)
        relevance = part(name, f"{_HIDDEN}/relevance.json", Relevance)
        if not has_part(here, f"tasks/{name}/{_HIDDEN}/rubric.json"):
            tasks.append(TaskDraft(task, session, relevance))
            continue
        before = part(name, "workspace.json", Workspace)
        after = part(name, f"{_HIDDEN}/reference.json", Workspace)
        rubric = part(name, f"{_HIDDEN}/rubric.json", Rubric)
        tasks.append(TaskDraft(task, session, relevance, before, after, rubric))
    roots = read_part(here, f"{_HIDDEN}/preferences.json", RootPreferences, owner)
    return StreamDraft(participant, roots, tasks)


def all_files(draft: StreamDraft, stream: StreamDraft, review: str) -> dict[str, bytes]:
    """Return everything that a new directory holds, by path."""
    return {
        **{f"{STORE}/{name}": content for name, content in draft.files.items()},
        **{f"{DRAFT}/{path}": raw for path, raw in stream_files(draft).items()},
        **stream_files(stream),
        REVIEW_FILE: review.encode("utf-8"),
    }


def _records(stream: StreamDraft) -> Iterator[tuple[str, Record]]:
    yield "participant.json", stream.participant
    yield f"{_HIDDEN}/preferences.json", stream.preferences
    for one in stream.tasks:
        here = f"tasks/{one.task.task_id}"
        yield f"{here}/task.json", one.task
        yield f"{here}/session.json", one.session
        yield f"{here}/{_HIDDEN}/relevance.json", one.relevance
        if one.before is not None and one.after is not None and one.rubric is not None:
            yield f"{here}/workspace.json", one.before
            yield f"{here}/{_HIDDEN}/reference.json", one.after
            yield f"{here}/{_HIDDEN}/rubric.json", one.rubric


def _json(record: Record) -> bytes:
    text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False, indent=1)
    return f"{text}\n".encode()


def _texts(stream: StreamDraft, others: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from others.items()
    for path, record in _records(stream):
        for text in texts_of(record.model_dump(mode="json")):
            yield path, text
    for name, content in stream.files.items():
        yield f"{STORE}/{name}", said_in(name, content)


def _fill(place: Path, files: Mapping[str, bytes]) -> None:
    place.mkdir(exist_ok=True)
    for path, content in files.items():
        target = place / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _copy(source: Path, target: Path) -> None:
    """Copy a file or directory; the files of one are linked where that can be done."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if not source.is_dir():
        shutil.copy2(source, target, follow_symlinks=False)
        return
    shutil.copytree(source, target, copy_function=_linked, symlinks=True)


def _linked(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def _unwritten(destination: Path, error: OSError) -> SettingsError:
    reason = error.strerror or type(error).__name__
    return SettingsError(f"{printable(str(destination))} cannot be written: {reason}")


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give a path beside another, on the same disk, where nothing is; removed afterwards."""
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as holder:
        yield Path(holder) / "tree"
