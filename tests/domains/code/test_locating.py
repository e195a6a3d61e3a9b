"""Where a fault may lie, by runs and by words."""

from __future__ import annotations

import pytest
from code_play import GOLD_NAMES, GOLD_RANGES, RANGES, TREE, runner

from pytest_comem.domains.code.interpreter import interpreter_for
from pytest_comem.domains.code.locating import (
    NAMED,
    by_spectrum,
    by_words,
    hypotheses,
    is_library,
    near_tests,
)
from pytest_comem.domains.code.running import Tree


def test_a_named_function_comes_first() -> None:
    """Then those that share words with the issue."""
    found = by_words(TREE, ["pocket.within"], "The upper bound", ["within(5, 1, 5)"])
    assert (found[0]["file"], found[0]["function"]) == ("pocket/ranges.py", "within")
    assert (found[0]["start"], found[0]["end"]) == (4, 8)
    assert by_words(TREE, [], "", []) == []


def test_functions_that_are_executed_come_from_the_library() -> None:
    """At most so many; tests are no suspects."""
    script = "from pocket import clipped\nassert clipped(3, 1, 3) == 4\n"
    found = by_spectrum(runner(), TREE, script, ["tests/test_ranges.py::test_inside"])
    assert {one["function"] for one in found} == {"within", "clipped"}
    many = "".join(f"def f{n}():\n    return bound\n\n" for n in range(30))
    assert len(by_words(Tree({"m.py": many.encode()}), [], "bound", [])) == NAMED


def test_library_and_tests() -> None:
    """By their paths."""
    assert is_library("pocket/ranges.py")
    others = ("tests/test_a.py", "tests/helper.py", "conftest.py", "setup.py", "README.md")
    assert not any(map(is_library, others))
    assert near_tests(TREE, GOLD_RANGES) == ["tests/test_ranges.py"]
    assert near_tests(TREE, GOLD_NAMES) == ["tests/test_names.py"]
    assert near_tests(TREE, "") == ["tests/test_names.py", "tests/test_ranges.py"]


def test_hypotheses_follow_from_the_code() -> None:
    """Of the region alone; none of what is no Python."""
    assert "a comparison that is off at its bound" in hypotheses(RANGES, 4, 8)
    assert "an exception of the wrong type" not in hypotheses(RANGES, 11, 15)
    assert hypotheses("def (", 1, 2) == []


@pytest.mark.parametrize("kind", ["bubblewrap", "none"])
def test_the_interpreter_has_pytest_and_nothing_else(kind: str) -> None:
    """No directory of installed packages is shown as a whole."""
    found = interpreter_for(kind)
    assert "-S" in found.command
    assert found.libraries
    shown = [host for host in found.read_only.values() if host.name == "site-packages"]
    assert not shown
    assert interpreter_for("docker").read_only == {}
