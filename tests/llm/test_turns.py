"""Turns of a model that works with tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.llm.turns import ToolCall, tool_call_of


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, None),
        ({"tool": None, "arguments": {"a": 1}}, None),
        ({"tool": " t "}, ToolCall("t", {})),
        ({"tool": "t", "arguments": None}, ToolCall("t", {})),
        ({"tool": "t", "arguments": {"a": [1]}}, ToolCall("t", {"a": [1]})),
    ],
)
def test_a_call_is_read_as_it_stands(fields: Mapping[str, Any], expected: object) -> None:
    """Without a tool there is none."""
    assert tool_call_of(fields) == expected


@pytest.mark.parametrize(
    "fields", [{"tool": 1}, {"tool": " "}, {"tool": "t", "arguments": []}, {"tool": ["t"]}]
)
def test_a_call_of_another_form_is_refused(fields: Mapping[str, Any]) -> None:
    """Nothing is guessed."""
    with pytest.raises(UnreadableReply):
        tool_call_of(fields)


def test_a_call_is_shown_again_as_it_was_made() -> None:
    """In letters of all scripts."""
    call = ToolCall("t", {"text": "naïve"})
    assert tool_call_of(json.loads(call.text)) == call
    assert "naïve" in call.text
