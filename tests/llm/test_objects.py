"""How JSON objects are found in what a model says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_comem.llm.objects import LONGEST, objects_in

SCALARS = st.none() | st.booleans() | st.integers() | st.text()
OBJECTS = st.dictionaries(st.text(), SCALARS | st.dictionaries(st.text(), SCALARS))


@pytest.mark.parametrize(
    "said",
    [
        '{"a": 1}',
        'Here you are:\n```json\n{"a": 1}\n```\nAnything else?',
        'As {you} asked, {"a": 1}',
        '{"a": 1} or {"b": 2}',
        '{"a": 0, "a": 1}',
        '<think>Maybe {"a": 2}?</think>\n{"a": 1}',
        '{"b": ...} or rather {"a": 1}',
    ],
)
def test_the_first_object_is_found_in_what_stands_around_it(said: str) -> None:
    """Fences, explanations, thoughts and broken objects do no harm."""
    assert next(objects_in(said)) == {"a": 1}


@pytest.mark.parametrize(
    "said",
    [
        *("", "no", "null", '["a"]', '{"a": 1', "{'a': 1}", '<think>{"a": 1}'),
        *('{"a": Infinity}', '{"a": 1e999}', '{"a": {"b": 1}, "c": NaN} {"a": 1}'),
        '{"a": [{"b": 1}], "c": "cut o',
    ],
)
def test_what_is_no_object_is_not_repaired(said: str) -> None:
    """Half an object, a list or a value that JSON does not have is none."""
    assert list(objects_in(said)) == []


def test_objects_within_an_object_are_its_own() -> None:
    """What is inside a wrapper is never taken for the reply."""
    assert list(objects_in('{"x": {"a": 1}} {"b": 2}')) == [{"x": {"a": 1}}, {"b": 2}]


@pytest.mark.parametrize("said", ["{" * LONGEST, '{"a":' * LONGEST, '{"a": ' + "9" * LONGEST])
def test_hostile_replies_yield_nothing(said: str) -> None:
    """Neither depth nor length nor a number of many digits raises an error."""
    assert list(objects_in(said)) == []


def test_only_so_much_of_a_reply_is_looked_at() -> None:
    """An object beyond the bounds is not found: neither far behind, nor behind many braces."""
    assert list(objects_in(" " * LONGEST + '{"a": 1}')) == []
    assert list(objects_in("{ " * 20 + '{"a": 1}')) == []
    assert list(objects_in("{ " * 19 + '{"a": 1}')) == [{"a": 1}]


@given(OBJECTS, st.text(st.characters(exclude_characters="{<")))
def test_every_object_is_found_as_it_is(value: dict[str, object], around: str) -> None:
    """What is read is what was written, whatever plain text stands around it."""
    assert list(objects_in(f"{around}{json.dumps(value)}{around}")) == [value]
