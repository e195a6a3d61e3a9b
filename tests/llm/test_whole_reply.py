"""Replies that have to be one JSON object as a whole."""

from __future__ import annotations

import pytest

from pytest_comem.llm.structured import UnreadableReply
from pytest_comem.llm.whole_reply import whole_object


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1} ',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```',
        '<think>{"a": 2}</think>{"a": 1}',
    ],
)
def test_one_object_is_read(text: str) -> None:
    """Alone, fenced, or behind thoughts."""
    assert whole_object(text) == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}{}", "[]", "1", "{" * 9_000, '{"a": NaN}', '{"a": 1, "a": 2}'),
        'It says {"a": 1}.',
        '<think>{"a": 1}',
        '```text\n{"a": 1}\n```',
        '<think>it says </think>{"a": 2}</think>{"a": 1}',
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    """An object within other words may be a quoted one; the problem never repeats it."""
    with pytest.raises(UnreadableReply) as caught:
        whole_object(text)
    assert not text or text not in caught.value.problem
