"""Building a stream from what an author wrote down."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.office.embedded.building import build, stream_files
from pytest_comem.office.embedded.files import (
    database,
    document,
    fingerprint,
    same,
    table,
    workbook,
)
from pytest_comem.office.embedded.shipping import parts_of
from pytest_comem.office.embedded.specs import TaskSpec, broken, check, do, relevant, slot, step
from pytest_comem.streams.hidden import RootPreferences
from pytest_comem.streams.plans import Plan
from pytest_comem.streams.schema import Activity, Participant

NOBODY = RootPreferences(preferences=())
PLAN = Plan(
    slots=(slot("signed", "line", "us", lead="By:"),),
    steps=(step("write", path="out/note.md", text="# Note\nBy: {slot:signed}\n"),),
)


def spec(name: str, **more: Any) -> TaskSpec:
    """Return a small scored task."""
    given: dict[str, Any] = {
        "started": "2025-02-03T09:30",
        "project": None,
        "title": "Note",
        "instruction": "Write the note.",
        "activities": (Activity.WRITING,),
        "plan": PLAN,
        "checks": [
            check(
                "title",
                "minimum",
                "It has a title.",
                "headings",
                broken("edit", path="out/note.md", old="# Note", new="Note"),
                file="out/note.md",
                include=["Note"],
            )
        ],
    }
    return TaskSpec(id=name, **(given | more))


def built(*tasks: TaskSpec) -> dict[str, bytes]:
    """Return the files of a stream of some tasks."""
    participant = Participant(
        participant_id="ada",
        name="Ada",
        role="clerk",
        about="Writes notes.",
        order=tuple(each.id for each in tasks),
        license="Apache-2.0",
        source="a test",
    )
    return dict(stream_files(participant, NOBODY, tasks))


def workspace(files: dict[str, bytes], place: str) -> dict[str, bytes]:
    """Return the files of a workspace of a stream."""
    record = json.loads(files[f"tasks/{place}"])
    return {path: files[f"files/{stored}"] for path, stored in record.get("files", {}).items()}


def said(files: dict[str, bytes], task: str) -> list[str]:
    """Return what was said in a session."""
    messages = json.loads(files[f"tasks/{task}/session.json"])["messages"]
    return [message["content"] for message in messages]


def test_the_reference_is_the_plan_with_its_choices_and_then_the_edits() -> None:
    """Choices fill slots, the participant's edits follow, and the session says both."""
    files = built(
        spec(
            "t1",
            choices={"signed": "Ada"},
            edits=[
                do("edit", path="out/note.md", old="# Note", new="# Memo"),
                do("move", path="out/note.md", to="out/memo.md"),
            ],
        )
    )
    assert workspace(files, "t1/workspace.json") == {}
    assert workspace(files, "t1/hidden/reference.json") == {"out/memo.md": b"# Memo\nBy: Ada\n"}
    assert said(files, "t1") == [
        "Write the note.",
        "wrote out/note.md:\n# Note\nBy: Ada\n",
        "wrote out/note.md: 15 characters",
        'I changed out/note.md: "# Note" is now "# Memo".\nI renamed out/note.md to out/memo.md.',
    ]


def test_a_workspace_goes_on_from_the_last_reference_less_what_was_archived() -> None:
    """Files of the task before are there, archived ones are not, incoming ones are new."""
    files = built(
        spec("t1", incoming={"a.txt": "a", "b.txt": "b"}),
        spec("t2", archived=("out/*", "b.*"), incoming={"c.txt": "c"}),
    )
    assert workspace(files, "t2/workspace.json") == {"a.txt": b"a", "c.txt": b"c"}


def test_a_phrase_becomes_the_whole_message_that_holds_it() -> None:
    """Snippets are word for word, and the relevant task that is nearest comes first."""
    files = built(
        spec("t1", remarks=("Please sign with Ada.", "And have a nice day.")),
        spec("t2"),
        spec("t3", relevant=(relevant("t1", "convention", "sign with"), relevant("t2", "file"))),
    )
    labels = json.loads(files["tasks/t3/hidden/relevance.json"])["relevant"]
    assert [each["task_id"] for each in labels] == ["t2", "t1"]
    assert labels[1]["snippets"] == ["Please sign with Ada."]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"choices": {"sign": "Ada"}}, "t2: the plan has no slot 'sign'"),
        ({"relevant": (relevant("t9", "fact"),)}, "t2: the relevant task 't9' is no earlier one"),
        ({"relevant": (relevant("t2", "fact"),)}, "t2: the relevant task 't2' is no earlier one"),
        ({"relevant": (relevant("t1", "fact", "cake"),)}, "t2: nobody says 'cake' in t1"),
        ({"plan": None}, "t2: a scored task needs a plan"),
        ({"incoming": {"../a": "a"}}, "t2: '../a' is no path of a workspace"),
        (
            {"edits": [do("delete", path="none.md")]},
            r"t2, an edit \(delete\): there is no file .none.md.",
        ),
        ({"plan": Plan(steps=(step("shell", command="exit 3"),))}, "t2, step 1: 'exit 3' ended"),
        ({"plan": Plan(steps=(step("ask_resource", request="x: y"),))}, "t2, step 1: "),
    ],
)
def test_what_cannot_be_built_says_where(wrong: dict[str, Any], message: str) -> None:
    """An author learns the task and what is wrong with it."""
    with pytest.raises(ValueError, match=message):
        built(spec("t1"), spec("t2", **wrong))


def test_a_directory_that_holds_no_stream_is_left_alone(tmp_path: Path) -> None:
    """Building replaces an earlier stream and nothing else."""
    participant, preferences, tasks = parts_of("analyst")
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ValueError, match="holds no stream"):
        build(participant, preferences, tasks, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_file_has_no_time_or_place_in_it() -> None:
    """Archives and databases made twice are the same, and archives have one fixed time."""
    blocks = [{"kind": "heading", "level": 1, "text": "Minutes"}]
    made: list[list[bytes]] = []
    for _ in range(2):
        made.append(
            [
                workbook({"A": [["x", 1], ["sum", "=SUM(B1:B1)"]]}),
                document(blocks),
                database("CREATE TABLE t (a); INSERT INTO t VALUES (1);"),
            ]
        )
    assert made[0] == made[1]
    with zipfile.ZipFile(io.BytesIO(document(blocks))) as archive:
        assert {info.date_time for info in archive.infolist()} == {(2025, 1, 1, 0, 0, 0)}
        assert b"2025-01-01T00:00:00Z" in archive.read("docProps/core.xml")


def test_archives_are_compared_by_what_they_hold() -> None:
    """Another compression is the same file, another cell is not."""
    made, other = workbook({"A": [["x"]]}), workbook({"A": [["y"]]})
    loose = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(made)) as source,
        zipfile.ZipFile(loose, "w", zipfile.ZIP_STORED) as target,
    ):
        for name in source.namelist():
            target.writestr(name, source.read(name))
    assert loose.getvalue() != made
    assert same(made, loose.getvalue())
    assert fingerprint(made) == fingerprint(loose.getvalue())
    assert not same(made, other)
    assert fingerprint(made) != fingerprint(other)
    assert not same(b"a", b"b")


def test_a_table_is_written_as_asked() -> None:
    """Delimiter and encoding are those that were asked for."""
    assert table([["a", "b"], ["Ö", 1.5]], ";", "cp1252") == b"a;b\n\xd6;1.5\n"
