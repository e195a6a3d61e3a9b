"""Predictions files: both layouts, and errors that name their place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_comem.core.replies import Reply
from pytest_comem.datasets.gatemem_predictions import Prediction, read_predictions
from pytest_comem.errors import DataError


def read(tmp_path: Path, *rows: dict[str, Any]) -> list[Prediction]:
    """Write *rows* as a predictions file and read it."""
    path = tmp_path / "predictions.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(read_predictions(path))


def context_of(tmp_path: Path, **output: Any) -> str | None:
    """Return the context of one row with this output."""
    return read(tmp_path, {"checkpoint_id": "c", "output": output})[0].context


def test_both_layouts_give_the_same_reply(tmp_path: Path) -> None:
    """Action, answer and structured answer may stand at the top level or under output."""
    reply = {"action": " Answer", "answer": "9%", "answer_structured": {"b": [1, None]}}
    top, nested = read(
        tmp_path, {"checkpoint_id": "c1", **reply}, {"checkpoint_id": "c2", "output": reply}
    )
    assert top.reply == nested.reply == Reply(" Answer", "9%", {"b": [1, None]})
    assert (top.checkpoint_id, nested.checkpoint_id) == ("c1", "c2")
    assert (top.line, nested.line) == (1, 2)


def test_output_wins_where_it_has_the_key(tmp_path: Path) -> None:
    """Of two answers the one under output counts, even if it is null; the rest is kept."""
    (row,) = read(
        tmp_path,
        {
            "checkpoint_id": "c",
            "action": "answer",
            "answer": "top",
            "answer_structured": 1,
            "output": {"action": "refuse", "answer": None},
        },
    )
    assert row.reply == Reply("refuse", "", 1)


@pytest.mark.parametrize("value", [None, True, 0, 1.5, "é", [], {"a": {"b": []}}])
def test_a_structured_answer_is_any_json_value(tmp_path: Path, value: Any) -> None:
    """Whatever JSON value is given comes through unchanged."""
    (row,) = read(tmp_path, {"checkpoint_id": "c", "answer_structured": value})
    assert row.reply.structured == value


@pytest.mark.parametrize("output", [{}, {"action": None, "answer": None}])
def test_a_missing_action_is_empty_and_never_answer(
    tmp_path: Path, output: dict[str, None]
) -> None:
    """Absent and null fields are empty."""
    (row,) = read(tmp_path, {"checkpoint_id": "c", "output": output})
    assert row.reply == Reply("", "", None)


def test_an_unknown_action_is_kept_as_it_is(tmp_path: Path) -> None:
    """The reader does not interpret actions."""
    (row,) = read(tmp_path, {"checkpoint_id": "c", "action": "Ask_Back\n"})
    assert row.reply.action == "Ask_Back\n"


def test_the_context_is_read_from_each_of_its_places(tmp_path: Path) -> None:
    """The audited prompt, the memory block and retrieved passages each are a context."""
    audit = {"prompt_context": {"text": "in the prompt"}}
    assert context_of(tmp_path, memory_audit=audit) == "in the prompt"
    assert context_of(tmp_path, prompt_memory_block="a block") == "a block"
    passages = [{"text": "one", "score": 0.5}, "two", {"id": 3}, None]
    assert context_of(tmp_path, retrieved_memory=passages) == "one\ntwo"


def test_the_context_is_everything_once(tmp_path: Path) -> None:
    """Several places are joined; a passage that is there already as whole lines is not doubled."""
    context = context_of(
        tmp_path,
        memory_audit={"prompt_context": {"text": "one\ntwo"}},
        prompt_memory_block="two",
        retrieved_memory=["one", "tw", "three", "three"],
    )
    assert context == "one\ntwo\ntw\nthree"


def test_no_context_and_an_empty_one_differ(tmp_path: Path) -> None:
    """A row that says nothing about its context has none; a memory that found nothing has one."""
    assert context_of(tmp_path, action="answer") is None
    nothing: dict[str, Any] = {"memory_audit": {}, "prompt_memory_block": None}
    assert context_of(tmp_path, **nothing, retrieved_memory=None) is None
    assert context_of(tmp_path, prompt_memory_block="") == ""
    assert context_of(tmp_path, retrieved_memory=[]) == ""
    (row,) = read(tmp_path, {"checkpoint_id": "c", "action": "x", "prompt_memory_block": "top"})
    assert row.context is None


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"nonsense", r":2: not a JSON object"),
        (b'{"checkpoint_id": "c", "action', r":2: the line is cut off"),
        (b'{"checkpoint_id": "c", "answer": "\xff"}', r":2: not UTF-8: byte 0xff"),
        (b'{"action": "answer"}', r":2: field checkpoint_id: field required"),
        (b'{"checkpoint_id": 7, "action": "answer"}', r":2: field checkpoint_id:"),
        (b'{"checkpoint_id": "", "action": "answer"}', r":2: field checkpoint_id:"),
        (b'{"checkpoint_id": "c", "output": {"answer": 4}}', r":2: field output\.answer:"),
        (b'{"checkpoint_id": "c", "output": "yes"}', r":2: field output:"),
        (b'{"checkpoint_id": "c"}', r":2: field output: the row has neither"),
        (b'{"checkpoint_id": "c", "prediction": {}}', r":2: field output: the row has neither"),
        (b"[1]", r":2: "),
        (
            b'{"checkpoint_id": "c", "output": {"retrieved_memory": ["a", 5]}}',
            r":2: field output\.retrieved_memory\.1:",
        ),
    ],
)
def test_a_malformed_row_is_named(tmp_path: Path, line: bytes, message: str) -> None:
    """The error says file, line and field."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(b'{"checkpoint_id": "a", "action": "answer"}\n' + line)
    with pytest.raises(DataError, match=rf"p\.jsonl{message}"):
        list(read_predictions(path))


def test_empty_lines_do_not_count_and_an_empty_file_is_an_error(tmp_path: Path) -> None:
    """White space between rows is nothing; a file of nothing holds no predictions."""
    path = tmp_path / "p.jsonl"
    path.write_text('\n{"checkpoint_id": "a", "action": "x"}\n  \n')
    assert [row.line for row in read_predictions(path)] == [2]
    path.write_text("\n \n")
    with pytest.raises(DataError, match="holds no predictions"):
        list(read_predictions(path))
    with pytest.raises(DataError, match="cannot be read: No such file"):
        list(read_predictions(tmp_path / "absent"))
