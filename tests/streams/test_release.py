"""The release's shape: read with other people's fields in it, and written from our streams."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from stream_edits import refused

from pytest_comem.streams.hidden_files import load_hidden
from pytest_comem.streams.loading import load_stream
from pytest_comem.streams.release import Label, ReleasedStream, read_release, write_release
from pytest_comem.streams.release_labels import write_labels


def dataset() -> dict[str, Any]:
    """Return a small data set of three sessions, with fields that nobody here knows."""
    said = {
        "subtask_0001": [("user", "Please fix the parser."), ("assistant", "Fixed, with a test.")],
        "subtask_0002": [("system", "Be brief."), ("user", "And the docs?"), ("tool", "ok")],
        "subtask_0003": [("user", "Release it."), ("assistant", "")],
    }
    sessions = [
        {
            "session_id": name,
            "source": {"log": 1},
            "messages": [{"role": role, "content": text, "at": 7} for role, text in messages],
        }
        for name, messages in said.items()
    ]
    return {"version": 2, "sessions": sessions}


def labels() -> dict[str, Any]:
    """Return labels of two of its sessions."""
    near = {"subtask_id": "subtask_0002", "why": "docs", "supporting_snippet": "And the docs?"}
    far = {"subtask_id": "subtask_0001", "supporting_snippets": ["Fixed", "with a test"]}
    return {
        "person": "p",
        "subtasks": [
            {"subtask_id": "subtask_0003", "relevant_previous_subtasks": [near, far]},
            {"subtask_id": "subtask_0002", "relevant_previous_subtasks": []},
        ],
    }


def read(folder: Path, data: Any, relevance: Any = None) -> ReleasedStream:
    """Write both files and read them."""
    (folder / "person_01.json").write_text(json.dumps(data), encoding="utf-8")
    (folder / "labels.json").write_text(json.dumps(relevance), encoding="utf-8")
    return read_release(
        folder / "person_01.json", None if relevance is None else folder / "labels.json"
    )


def test_sessions_become_entries(tmp_path: Path) -> None:
    """One a message that says anything, with speaker and kind, without day or project."""
    stream = read(tmp_path, dataset())
    assert stream.participant == "person_01"
    assert stream.labels == {}
    assert [one.session_id for one in stream.sessions] == [f"subtask_000{n}" for n in (1, 2, 3)]
    first, second, third = (one.entries for one in stream.sessions)
    assert [(one.id, one.text, one.kind, one.timestamp) for one in first] == [
        ("subtask_0001.m01", "person_01: Please fix the parser.", "user", None),
        ("subtask_0001.m02", "assistant: Fixed, with a test.", "assistant", None),
    ]
    assert [one.text for one in second] == [
        "system: Be brief.",
        "person_01: And the docs?",
        "result: ok",
    ]
    assert [one.speaker.id for one in second] == ["assistant", "person_01", "assistant"]
    assert len(third) == 1


def test_targets_are_counted_from_one(tmp_path: Path) -> None:
    """A target's history is what lies before it."""
    stream = read(tmp_path, dataset())
    assert stream.before(1) == ()
    assert [one.session_id for one in stream.before(3)] == ["subtask_0001", "subtask_0002"]
    for target in (0, 4, -1):
        with pytest.raises(ValueError, match="none of the sessions 1 to 3"):
            stream.before(target)


def test_labels_are_by_session_with_their_snippets(tmp_path: Path) -> None:
    """In the release's order; one snippet or a list of them."""
    assert read(tmp_path, dataset(), labels()).labels == {
        "subtask_0003": (
            Label("subtask_0002", ("And the docs?",)),
            Label("subtask_0001", ("Fixed", "with a test")),
        ),
        "subtask_0002": (),
    }


def test_labels_may_name_sessions_by_number(tmp_path: Path) -> None:
    """Where sessions have ids of their own, ``subtask_0002`` is the second; ids may be numbers."""
    data = dataset()
    for number, session in enumerate(data["sessions"]):
        session["session_id"] = 70 + number
    assert read(tmp_path, data, labels()).labels["72"][0].session_id == "71"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda it: it["sessions"][1].pop("messages"),
            "person_01.json: field sessions.1.messages: participant person_01, session "
            "subtask_0002: field required",
        ),
        (
            lambda it: it["sessions"][1]["messages"][0].update(content=["a"]),
            "person_01.json: field sessions.1.messages.0.content: participant person_01, session "
            "subtask_0002: input should be a valid string",
        ),
        (
            lambda it: it["sessions"].append(it["sessions"][0]),
            "person_01.json: field sessions: participant person_01: two sessions have the id "
            "subtask_0001; ids are unique",
        ),
        (
            lambda it: it.update(sessions=[]),
            "person_01.json: field sessions: participant person_01: tuple should have at least 1",
        ),
        (
            lambda it: it.pop("sessions"),
            "person_01.json: field sessions: participant person_01: field required",
        ),
        (
            lambda it: it["sessions"].insert(0, "x"),
            "person_01.json: field sessions.0: participant person_01: input should be an object",
        ),
        (
            lambda it: it["sessions"][0].update(session_id=True),
            "person_01.json: field sessions.0.session_id: participant person_01: input should be a "
            "valid string",
        ),
    ],
)
def test_a_wrong_data_set_is_named(
    tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    """By file, field, participant and session."""
    data = dataset()
    change(data)
    assert refused(lambda: read(tmp_path, data)).startswith(message)


WHERE = "labels.json: field subtasks.0"
WHO = "participant person_01, subtask subtask_0003:"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda it: it["subtasks"][0].update(subtask_id="subtask_0004"),
            f"{WHERE}.subtask_id: participant person_01, subtask subtask_0004: no session has "
            "this id",
        ),
        (
            lambda it: it["subtasks"].append(it["subtasks"][0]),
            f"labels.json: field subtasks.2.subtask_id: {WHO} it is labelled twice",
        ),
        (
            lambda it: it["subtasks"][0]["relevant_previous_subtasks"][0].update(
                subtask_id="subtask_0003"
            ),
            f"{WHERE}.relevant_previous_subtasks: {WHO} subtask_0003 is no session before it",
        ),
        (
            lambda it: it["subtasks"][0]["relevant_previous_subtasks"][0].update(
                subtask_id="\x1b[2J"
            ),
            f"{WHERE}.relevant_previous_subtasks: {WHO} \\x1b[2J is no session before it",
        ),
        (
            lambda it: it["subtasks"][0]["relevant_previous_subtasks"][1].update(
                supporting_snippets=[3]
            ),
            f"{WHERE}.relevant_previous_subtasks.1.supporting_snippets.0: {WHO} input should be a "
            "valid string",
        ),
        (
            lambda it: it["subtasks"][0].update(relevant_previous_subtasks={}),
            f"{WHERE}.relevant_previous_subtasks: {WHO} input should be a valid array",
        ),
    ],
)
def test_wrong_labels_are_named(
    tmp_path: Path, change: Callable[[Any], object], message: str
) -> None:
    """By file, field, participant and subtask."""
    given = labels()
    change(given)
    assert refused(lambda: read(tmp_path, dataset(), given)).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b'{"sessions": [', "person.json:1: not JSON"),
        (b"[]", "not a JSON object"),
        (b"[" * 100_000, "more than 64 deep"),
        (b'{"sessions": "\xff"}', "not UTF-8"),
    ],
    ids=range(4),
)
def test_broken_files_are_refused(tmp_path: Path, text: bytes, message: str) -> None:
    """As all data files are."""
    (tmp_path / "person.json").write_bytes(text)
    assert message in refused(lambda: read_release(tmp_path / "person.json"))


def test_a_file_larger_than_ours_is_read(tmp_path: Path) -> None:
    """The longest history of the release has tens of megabytes."""
    data = dataset()
    data["sessions"][0]["messages"] = [{"role": "user", "content": "x" * 6_000_000}] * 3
    stream = read(tmp_path, data)
    assert sum(len(one.text) for one in stream.sessions[0].entries) > 18_000_000


def test_our_streams_make_the_round_trip(made: Path, tmp_path: Path) -> None:
    """Written in the release's shape and read again: the same messages, ids and labels."""
    stream = load_stream(made)
    hidden = {one.id: load_hidden(stream, one) for one in stream.targets}
    data, given = write_release(stream), write_labels(stream, hidden)
    found = read(tmp_path, data, given)
    assert [one.session_id for one in found.sessions] == [one.id for one in stream.tasks]
    for ours, theirs in zip(stream.tasks, found.sessions, strict=True):
        said = [one.content for one in ours.session.messages]
        assert [one.text.split(": ", 1)[1] for one in theirs.entries] == said
        assert [one.kind for one in theirs.entries] == ["user", "assistant", "user"]
    assert set(found.labels) == set(hidden)
    for name, parts in hidden.items():
        assert found.labels[name] == tuple(
            Label(one.task_id, one.snippets) for one in parts.relevance.relevant
        )
    assert found.labels["t0004"]


def test_what_a_component_gets_has_nothing_hidden(made: Path) -> None:
    """The data set is sessions alone, and may say day and project where asked to."""
    stream = load_stream(made)
    plain, headed = write_release(stream), write_release(stream, headed=True)
    assert set(plain) == {"participant", "sessions"}
    assert {key for one in plain["sessions"] for key in one} == {"session_id", "messages"}
    said = plain["sessions"][0]["messages"][1]["content"]
    assert said.startswith("wrote reports/0001.md:")
    assert headed["sessions"][0]["messages"][1]["content"] == f"[2025-01-07, Meadow] {said}"
