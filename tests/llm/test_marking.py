"""Marks around texts from outside in a prompt."""

from __future__ import annotations

from pytest_comem.llm.marking import clipped, marked, marker_of


def test_a_mark_occurs_in_none_of_the_texts() -> None:
    """Also where a text holds the mark that it would have had otherwise."""
    first = marker_of("text")
    texts = ["text"]
    for _ in range(5):
        # A text that knows the marks of all its beginnings.
        texts.append(texts[-1] + marker_of(texts[-1]))
        assert marker_of(texts[-1]) not in texts[-1]
    assert marker_of("text") == first
    assert marker_of("text", "other") not in (first, marker_of("other"))


def test_a_block_ends_where_its_mark_says() -> None:
    """Whatever stands in it."""
    evil = marked("memory", "x")
    lines = marked("memory", evil).splitlines()
    assert "\n".join(lines[1:-1]) == evil
    marker = lines[0].split()[3]
    assert lines[-1] == f"--- end memory {marker} ---"
    assert marker not in evil


def test_what_is_cut_is_said() -> None:
    """And a text that fits stays as it is."""
    assert clipped("abc", 3) == "abc"
    assert clipped("abcdef", 2) == "ab ... (4 characters left out)"
