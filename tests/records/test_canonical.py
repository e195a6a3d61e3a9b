"""Canonical JSON: one form a value, and the hash of that form."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_comem.records.canonical import canonical, digest, strings_of, texts_of

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_the_form_is_plain() -> None:
    """Sorted keys, no blanks, ASCII; the hash is SHA-256 of those bytes."""
    value = {"b": [1, 2.5, None], "a": "\u00e9\u2028"}
    written = b'{"a":"\\u00e9\\u2028","b":[1,2.5,null]}'
    assert canonical(value) == written
    assert digest(value) == hashlib.sha256(written).hexdigest()


@settings(deadline=None, max_examples=60)
@given(VALUES)
def test_reading_and_writing_gives_the_same_bytes(value: Any) -> None:
    """So a line of a trace has one form only."""
    assert canonical(json.loads(canonical(value))) == canonical(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("-inf")]}])
def test_numbers_are_finite(value: Any) -> None:
    """What JSON has no form for is refused."""
    with pytest.raises(ValueError):
        canonical(value)


def test_strings_include_names_of_fields_and_texts_do_not() -> None:
    """At any depth, in order."""
    value = {"a": ["b", {"c": "d"}], "e": 1}
    assert list(strings_of(value)) == ["a", "b", "c", "d", "e"]
    assert list(texts_of(value)) == ["b", "d"]
