"""Unified diffs, and functions by their lines."""

from __future__ import annotations

import pytest
from code_play import FILES, GOLD_RANGES, RANGES, TREE, runner

from pytest_comem.domains.code.diffs import Change, changes, unified
from pytest_comem.domains.code.regions import Region, enclosing, functions, same_function


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\n", "a\nc\n"),
        ("a\nb", "a\nb\n"),
        ("a\n", "a\nb"),
        ("", "a\n"),
        ("a\x0cb\n\x85\n", "a\x0cc\n\x85\n"),
        ("a\r\nb\r\n", "a\r\nc\r\n"),
        ("--- x\n+++ y\n", "--- x\n+++ z\n"),
    ],
)
def test_a_patch_leads_from_one_text_to_the_other(before: str, after: str) -> None:
    """To the last byte, also without a line feed at the end or with odd line ends."""
    from pytest_comem.domains.code.running import Tree

    tree = Tree({"pocket/x.txt": before.encode()})
    patch = unified({"pocket/x.txt": before}, {"pocket/x.txt": after})
    assert runner().patched(tree, patch, ["pocket/x.txt"]) == {"pocket/x.txt": after}


def test_new_files_and_unchanged_ones() -> None:
    """A file that was not there is new; one that is the same is not named."""
    patch = unified({"a": "x\n", "b": "x\n"}, {"a": "x\n", "b": "y\n", "c": "z\n"})
    assert [one.path for one in changes(patch)] == ["b", "c"]
    assert unified({"a": "x\n"}, {"a": "x\n"}) == ""


def test_what_a_patch_changes_is_read() -> None:
    """Removed lines, and for an insertion the line before it."""
    assert changes(GOLD_RANGES) == [
        Change("pocket/ranges.py", frozenset({8}), ("    return low <= value <= high",))
    ]
    inserted = RANGES.replace("    if within", "    low = low\n    if within")
    (found,) = changes(unified({"r": RANGES}, {"r": inserted}))
    assert found.lines == {12}
    removed = "--- a/q\n+++ b/q\n@@ -1,2 +1 @@\n a\n--- b\n"
    assert changes(removed) == [Change("q", frozenset({2}), ())]


@pytest.mark.parametrize("text", ["", "x", "@@ -1 +1 @@", "--- a\n", "+++ b/x\n@@ -x +1 @@\n+\n"])
def test_what_is_no_patch_changes_nothing(text: str) -> None:
    """Of any text."""
    assert not any(one.lines for one in changes(text))


def test_functions_have_their_lines() -> None:
    """Methods with their class, decorators with their function, the innermost one of a line."""
    source = "class A:\n    @property\n    def b(self):\n        def c():\n            pass\n"
    assert functions(source) == [Region("A.b", 2, 5), Region("A.b.c", 4, 5)]
    assert enclosing(source, 5) == Region("A.b.c", 4, 5)
    assert enclosing(source, 2) == Region("A.b", 2, 5)
    assert enclosing(source, 1) is None
    assert functions("def (") == []
    assert [one.name for one in functions(FILES["pocket/ranges.py"])] == ["within", "clipped"]
    assert TREE.text("none") == ""


def test_names_of_functions() -> None:
    """A method may be named without its class, another one not."""
    assert same_function("A.b", "b")
    assert same_function("A.b", "A.b")
    assert not same_function("A.b", "ab")
    assert not same_function("", "")
