"""Streams from files: what is wrong is named with file, participant, task and field."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_streams import make_stream, task_name
from stream_edits import edit, refused

from pytest_comem.office.operations import OPERATIONS
from pytest_comem.records.strict_json import MAX_BYTES
from pytest_comem.streams import loading
from pytest_comem.streams.loading import load_stream, load_streams


def test_a_stream_is_loaded_in_its_order(made: Path) -> None:
    """Tasks with what lies beside them, the scored ones as targets, and positions."""
    stream = load_stream(made, OPERATIONS)
    assert stream.id == "ada"
    assert [one.id for one in stream.tasks] == [task_name(number) for number in range(1, 6)]
    assert [one.id for one in stream.targets] == ["t0003", "t0004", "t0005"]
    assert [one.position for one in stream.targets] == [2, 3, 4]
    assert stream.positions["t0004"] == 3
    assert stream.task("t0004") is stream.tasks[3]
    assert stream.tasks[0].workspace is None
    assert all(one.workspace and one.plan for one in stream.targets)
    assert len(stream.tasks[0].session.messages) == 3


def test_the_order_is_that_of_the_file_and_not_of_names(made: Path) -> None:
    """Two tasks of one moment change places with the order alone."""
    first = json.loads((made / "tasks/t0001/task.json").read_text("utf-8"))["started"]
    edit(made / "tasks/t0002/task.json", lambda it: it.update(started=first))
    before = load_stream(made)
    edit(made / "participant.json", lambda it: it["order"].insert(0, it["order"].pop(1)))
    after = load_stream(made)
    assert [one.id for one in after.tasks][:3] == ["t0002", "t0001", "t0003"]
    assert after.digest != before.digest


def test_streams_are_ordered_by_participant(tmp_path: Path) -> None:
    """Whatever their directories are called; a single stream is a corpus of one."""
    make_stream(tmp_path, "zoe", 2).rename(tmp_path / "a")
    make_stream(tmp_path, "ben", 2).rename(tmp_path / "z")
    assert [one.id for one in load_streams(tmp_path)] == ["ben", "zoe"]
    assert [one.id for one in load_streams(tmp_path / "a")] == ["zoe"]


def test_the_public_loader_never_opens_hidden(made: Path) -> None:
    """No file below hidden/ is opened or listed, and without it the stream still loads."""
    opened: list[str] = []
    watching = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and event in ("open", "os.listdir", "os.scandir"):
            opened.append(str(arguments[0]))

    sys.addaudithook(hook)
    try:
        before = load_streams(made.parent)[0].digest
    finally:
        watching.clear()
    assert any(name.endswith("t0004/task.json") for name in opened)
    assert not [name for name in opened if "hidden" in name or "reports" in name]
    for directory in (made / "hidden", *made.glob("tasks/*/hidden"), made / "files/reports"):
        shutil.rmtree(directory)
    assert load_stream(made).digest == before


def word(path: str, old: str, new: str) -> Callable[[Path], object]:
    """Return a change of a file's text."""

    def change(made: Path) -> None:
        text = (made / path).read_text("utf-8")
        assert old in text
        (made / path).write_text(text.replace(old, new), encoding="utf-8")

    return change


@pytest.mark.parametrize(
    "change",
    [
        word("participant.json", "Ada Stone", "Ada Smith"),
        word("tasks/t0001/task.json", "Status 0001", "Status 1"),
        word("tasks/t0002/session.json", "Good, that", "Well, that"),
        word("tasks/t0003/plan.json", "the team", "the others"),
        word("files/notes/0003.md", "Notes", "notes"),
    ],
)
def test_the_digest_is_of_everything_public(made: Path, change: Callable[[Path], object]) -> None:
    """Any of it, of history and targets, and the bytes of the files."""
    before = load_stream(made).digest
    change(made)
    assert load_stream(made).digest != before


def test_the_digest_is_not_of_what_is_hidden_or_where_it_lies(made: Path, tmp_path: Path) -> None:
    """A rubric, and a file of the reference alone, are no part of it; nor is the directory."""
    before = load_stream(made).digest
    edit(made / "tasks/t0003/hidden/rubric.json", lambda it: it["checks"].pop())
    (made / "files/reports/0003.md").write_text("other", encoding="utf-8")
    shutil.move(made, tmp_path / "elsewhere")
    assert load_stream(tmp_path / "elsewhere").digest == before


TASK = "ada/tasks/t0004/task.json: field"
WHO = "participant ada, task t0004:"


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        (
            "participant.json",
            lambda it: it.pop("role"),
            "ada/participant.json: field role: participant ada: field required",
        ),
        (
            "participant.json",
            lambda it: it.update(order=[]),
            "ada/participant.json: field order: participant ada: tuple should have at least 1 item "
            "after validation, not 0",
        ),
        (
            "participant.json",
            lambda it: it["order"].pop(1),
            "ada/participant.json: field order: participant ada: tasks/t0002 is not in the order; "
            "every task is, once",
        ),
        (
            "participant.json",
            lambda it: it["order"].append("t0002"),
            "ada/participant.json: field order: participant ada: task t0002 is listed twice; every "
            "task is, once",
        ),
        (
            "participant.json",
            lambda it: it["order"].append("T0002"),
            "ada/participant.json: field order: participant ada: two tasks are called t0002, but "
            "for case; rename one",
        ),
        (
            "participant.json",
            lambda it: it["order"].append("t0006"),
            "ada/participant.json: field order: participant ada: there is no directory "
            "tasks/t0006; take the task out, or add it",
        ),
        (
            "participant.json",
            lambda it: it["order"].append("../../x"),
            "ada/participant.json: field order.5: participant ada: string should match pattern "
            "'^[A-Za-z0-9][A-Za-z0-9_.:-]*$'",
        ),
        (
            "participant.json",
            lambda it: it["order"].insert(1, it["order"].pop(3)),
            "ada/tasks/t0002/task.json: field started: participant ada, task t0002: it starts "
            "before task t0004, which is earlier in the order",
        ),
        (
            "participant.json",
            lambda it: it["projects"].append("Harbour"),
            "ada/participant.json: field projects: participant ada: project 'Harbour' is listed "
            "twice",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(title=7),
            f"{TASK} title: {WHO} input should be a valid string",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(rubric={}),
            f"{TASK} rubric: {WHO} extra inputs are not permitted",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(task_id="t0005"),
            f"{TASK} task_id: {WHO} it is t0005, and lies in the directory of t0004",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(started="2025-02-30T09:00"),
            f"{TASK} started: {WHO} '2025-02-30T09:00' is no day and time that there is",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(started="2025-01-01T09:00"),
            f"{TASK} started: {WHO} it starts before task t0003, which is earlier in the order",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(project="Harbor"),
            f"{TASK} project: {WHO} no project of the participant is called 'Harbor'; did you mean "
            "Harbour?",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(activities=["writing", "writing"]),
            f"{TASK} activities: {WHO} writing is listed twice",
        ),
        (
            "tasks/t0004/task.json",
            lambda it: it.update(
                resources=[
                    {"name": name, "attributes": {"seats": "4"}} for name in ("Hall", "hall")
                ]
            ),
            f"{TASK} resources: {WHO} two resources are called 'hall' (case does not matter)",
        ),
        (
            "tasks/t0004/session.json",
            lambda it: it["messages"][1].update(role="robot"),
            f"ada/tasks/t0004/session.json: field messages.1.role: {WHO} input should be 'system', "
            "'user', 'assistant' or 'tool'",
        ),
        (
            "tasks/t0004/session.json",
            lambda it: it.update(session_id="t0002"),
            f"ada/tasks/t0004/session.json: field session_id: {WHO} task t0002 has the same "
            "session id; ids are unique",
        ),
        (
            "tasks/t0004/plan.json",
            lambda it: it["steps"][1].update(do="wrote"),
            f"ada/tasks/t0004/plan.json: field steps.1.do: {WHO} no operation is called wrote; did "
            "you mean write or write_sheet?",
        ),
    ],
)
def test_errors_say_where(
    made: Path, file: str, change: Callable[[Any], object], message: str
) -> None:
    """File, field, participant and task, and the nearest right name."""
    edit(made / file, change)
    assert refused(lambda: load_stream(made, OPERATIONS)).startswith(message)


@pytest.mark.parametrize("file", ["task.json", "session.json", "workspace.json"])
def test_a_scored_task_has_its_files(made: Path, file: str) -> None:
    """Without one of them it is refused, and without a workspace a task of the history is not."""
    (made / "tasks/t0004" / file).unlink()
    said = refused(lambda: load_stream(made))
    assert (
        said == f"ada/tasks/t0004/{file}: {WHO} the file cannot be read: No such file or directory"
    )


def test_a_plan_may_be_missing(made: Path) -> None:
    """Where no offline agent is to do the task."""
    (made / "tasks/t0004/plan.json").unlink()
    assert load_stream(made).task("t0004").plan is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"task_id": "t0004",\n "started": [', "task.json:2: not JSON"),
        (b"", "task.json:1: not JSON"),
        (b'{"title":\n "\xff"}', "task.json:2: not UTF-8: byte 0xff"),
        (b'{"title": "a", "title": "b"}', "the field 'title' is there twice in one object"),
        (b'{"title": NaN}', "NaN is no number of JSON"),
        (b"[" * 100_000, "more than 64 deep"),
        (b"[]", "task.json:1: not a JSON object"),
        (b'{"title": "\\ud800"}', "task.json"),
        (b'{"\\u001b[2J' + b"x" * 10_000 + b'": 1}', "participant ada, task t0004: "),
        (b" " * (MAX_BYTES + 1), "larger than 16,777,216 bytes"),
    ],
    ids=range(10),
)
def test_broken_and_hostile_json(made: Path, text: bytes, message: str) -> None:
    """One bounded, printable message each."""
    (made / "tasks/t0004/task.json").write_bytes(text)
    assert message in refused(lambda: load_stream(made))


def test_a_cut_off_session_is_said_to_be(made: Path) -> None:
    """With the line where it ends."""
    path = made / "tasks/t0002/session.json"
    path.write_bytes(path.read_bytes()[:-20])
    said = refused(lambda: load_stream(made))
    assert said.startswith("ada/tasks/t0002/session.json:")
    assert "not JSON" in said


@pytest.mark.parametrize(
    "path", ["tasks", "tasks/t0004", "tasks/t0004/task.json", "tasks/t0004/plan.json"]
)
def test_links_are_not_followed(made: Path, tmp_path: Path, path: str) -> None:
    """Neither as a file of a task nor as a directory on the way, even within the stream."""
    (made / path).rename(tmp_path / "kept")
    (made / path).symlink_to(tmp_path / "kept")
    said = refused(lambda: load_stream(made))
    assert said.endswith("the file is or passes a symbolic link; put the file itself there")


def test_a_link_to_nowhere_is_not_a_missing_plan(made: Path) -> None:
    """It is refused like any other."""
    (made / "tasks/t0004/plan.json").unlink()
    (made / "tasks/t0004/plan.json").symlink_to(made / "absent")
    assert "symbolic link" in refused(lambda: load_stream(made))


def test_the_stream_itself_may_be_named_through_a_link(made: Path, tmp_path: Path) -> None:
    """Where it lies is the user's choice."""
    (tmp_path / "linked").symlink_to(made)
    assert load_stream(tmp_path / "linked").digest == load_stream(made).digest


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_what_is_no_file_is_not_read(made: Path) -> None:
    """A named pipe, which would block for ever, and a directory are refused."""
    (made / "tasks/t0004/session.json").unlink()
    os.mkfifo(made / "tasks/t0004/session.json")
    assert "is not a regular file" in refused(lambda: load_stream(made))
    (made / "tasks/t0004/session.json").unlink()
    (made / "tasks/t0004/session.json").mkdir()
    assert "is not a regular file" in refused(lambda: load_stream(made))


def test_other_files_beside_tasks_are_let_be(made: Path) -> None:
    """A file in tasks/ is no task; an unlisted directory is one that was forgotten."""
    (made / "tasks/README.md").write_text("x", encoding="utf-8")
    assert len(load_stream(made).tasks) == 5
    (made / "tasks/\x1b[2Jt9").mkdir()
    assert "tasks/\\x1b[2Jt9 is not in the order" in refused(lambda: load_stream(made))


def test_participants_are_unique_in_a_corpus(made: Path) -> None:
    """Two streams of one participant are named with both directories."""
    shutil.copytree(made, made.parent / "other")
    said = refused(lambda: load_streams(made.parent))
    assert said == (
        "other/participant.json: field participant_id: participant ada: ada/participant.json has "
        "the same id; ids are unique"
    )


def test_an_empty_corpus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says what a stream would be; so are one that is not there, and one without end."""
    assert "no stream is here; a stream is a directory with participant.json" in refused(
        lambda: load_streams(tmp_path)
    )
    assert "cannot be read: No such file" in refused(lambda: load_streams(tmp_path / "absent"))
    make_stream(tmp_path, "a", 1)
    make_stream(tmp_path, "b", 1)
    monkeypatch.setattr(loading, "MAX_STREAMS", 1)
    assert "more than 1 streams" in refused(lambda: load_streams(tmp_path))


def test_a_stream_without_tasks_directory_is_refused(made: Path) -> None:
    """It says which directory is missing."""
    shutil.rmtree(made / "tasks")
    assert refused(lambda: load_stream(made)) == (
        "ada/participant.json: participant ada: tasks/ cannot be read: No such file or directory"
    )
