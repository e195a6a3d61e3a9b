"""Entries and traces: the words of the past, shared by sessions, memories and readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_comem.office.operations import OPERATIONS
from pytest_comem.streams.entries import entries_of
from pytest_comem.streams.loading import load_stream
from pytest_comem.streams.schema import Message, Session
from pytest_comem.streams.traces import changed, renamed, said_of


def test_every_message_is_an_entry_with_day_and_project(made: Path) -> None:
    """In order, with an id that is unique in the stream, and who said it."""
    stream = load_stream(made)
    told = [
        entry
        for one in stream.tasks
        for entry in entries_of(stream.participant, one.task, one.session)
    ]
    assert len({entry.id for entry in told}) == len(told) == 15
    first = told[0]
    assert first.id == "t0001.m01"
    assert first.text.startswith("[2025-01-07, Meadow] Ada Stone: Write the status of Meadow")
    assert (first.speaker.id, first.speaker.role) == ("ada", "reporter")
    assert (first.timestamp, first.kind) == ("2025-01-07T09:00", "user")
    assert told[1].text.startswith("[2025-01-07, Meadow] assistant: wrote reports/0001.md:\n#")
    assert told[1].speaker.id == "assistant"


def test_general_work_has_a_day_alone(made: Path) -> None:
    """No project is named; what came back from a tool was heard by the assistant."""
    stream = load_stream(made)
    task = stream.tasks[0].task.model_copy(update={"project": None})
    session = Session(session_id="s", messages=(Message(role="tool", content="12 rows"),))
    (entry,) = entries_of(stream.participant, task, session)
    assert entry.text == "[2025-01-07] result: 12 rows"
    assert entry.speaker.id == "assistant"


ARGUMENTS: dict[str, Any] = {
    "path": "a/b.md",
    "text": "T",
    "old": "O",
    "new": "N",
    "to": "c.md",
    "sheet": "S",
    "rows": [["x", 1], [None, 2.5]],
    "cells": {"B2": 3},
    "blocks": [{"kind": "heading", "level": 2, "text": "H"}, {"kind": "bullet", "text": "I"}],
    "tables": [{"name": "t", "path": "d.csv", "delimiter": ";", "encoding": "cp1252"}],
    "statement": "select 1",
    "command": "ls -l",
    "request": "north: rooms",
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_words(name: str) -> None:
    """Every required argument is in them, and not as a Python value."""
    takes = OPERATIONS[name].parameters["properties"]
    said = said_of(name, {key: ARGUMENTS[key] for key in takes})
    assert not said.startswith(f"{name}: {{")
    wanted = {"rows": "x | 1\n | 2.5", "cells": "B2 = 3", "blocks": "## H\n- I"}
    wanted |= {"tables": 'd.csv (delimiter ";", encoding cp1252)'}
    for key in takes:
        assert wanted.get(key, str(ARGUMENTS[key])) in said


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("write", {}),
        ("write_sheet", {"path": "a", "sheet": "b", "rows": 3}),
        ("write_document", {"path": "a", "blocks": [{"kind": "heading", "level": "x"}]}),
        ("query", {"tables": [1], "statement": "s"}),
        ("nonsense", {"a": object}),
        ("set_cells", {"cells": [], "sheet": "", "path": ""}),
    ],
)
def test_odd_calls_are_shown_as_they_are(name: str, arguments: dict[str, Any]) -> None:
    """A model may give anything as arguments, and the trajectory still says it."""
    assert said_of(name, arguments).startswith(f"{name}: ")


def test_a_participants_own_changes() -> None:
    """Both the old and the new are quoted."""
    assert changed("a.md", "1/2", "2025-02-01") == 'I changed a.md: "1/2" is now "2025-02-01".'
    assert renamed("a.md", "b.md") == "I renamed a.md to b.md."
