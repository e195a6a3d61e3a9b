"""Patches that are found by trying, and releases of them."""

from __future__ import annotations

from typing import Any

import pytest
from code_play import FILES, GOLD_RANGES, KEPT, TREE, WRONG_RANGES, runner

from pytest_comem.domains.code.contents import patch_hash
from pytest_comem.domains.code.repairing import Found, released, repaired, version_of
from pytest_comem.domains.code.running import Tree

PLAN = {"file": "pocket/ranges.py", "start": 4, "end": 8, "lines": [8]}
SCRIPT = "from pocket import within\nassert within(3, 1, 3)\nassert not within(4, 1, 3)\n"


def found(plan: Any, script: str = SCRIPT, refused: frozenset[str] = frozenset()) -> Found:
    """Return what the tool finds."""
    return repaired(runner(), TREE, plan, script, KEPT, refused)


def test_the_planned_lines_are_repaired() -> None:
    """By the first change after which the script and all tests pass."""
    one = found(PLAN)
    assert one.patch == GOLD_RANGES
    assert one.operator == "comparison"
    assert one.tried >= 1


def test_a_change_that_breaks_a_test_is_none() -> None:
    """A script that asks for less is satisfied by nothing that fails a test."""
    one = found(PLAN, "from pocket import within\nassert within(3, 1, 3)\n")
    assert one.patch
    assert runner().suite(TREE, [one.patch]).status == 0


def test_another_region_is_left_alone() -> None:
    """Nothing is found where the fault does not lie."""
    assert found({**PLAN, "start": 11, "end": 15}).patch == ""


def test_what_was_refused_is_not_offered_again() -> None:
    """The next change that passes comes instead, if there is one."""
    again = found(PLAN, refused=frozenset({patch_hash(GOLD_RANGES)}))
    assert again.patch != GOLD_RANGES


@pytest.mark.parametrize(
    "plan",
    [
        None,
        [],
        {},
        {"file": 7},
        {**PLAN, "file": "../pocket/ranges.py"},
        {**PLAN, "file": "tests/test_ranges.py"},
        {**PLAN, "file": "/etc/passwd"},
        {**PLAN, "start": "4"},
        {**PLAN, "start": 9, "end": 4},
        {**PLAN, "start": -1},
    ],
)
def test_a_plan_of_any_shape_is_read(plan: Any) -> None:
    """What is none leads to no patch, and nothing is run."""
    assert found(plan) == Found()


def test_hanging_changes_are_passed_over() -> None:
    """A loop without an end is one more change that does not pass."""
    source = (
        "def steps(n):\n    done = 0\n    while n > 1:\n"
        "        n = n - 1\n        done = done + 1\n    return done\n"
    )
    tree = Tree({"loop.py": source.encode(), "tests/test_loop.py": b"def test_a():\n    pass\n"})
    plan = {"file": "loop.py", "start": 1, "end": 6, "lines": []}
    script = "from loop import steps\nassert steps(3) == 3\nassert steps(0) == 0\n"
    one = repaired(runner(), tree, plan, script, [], frozenset())
    assert runner().script(tree, [one.patch], script).status == 0


def test_a_release_raises_the_version_and_tells_the_issue() -> None:
    """In one patch, together with the candidate's change."""
    one = released(runner(), TREE, GOLD_RANGES, "acme__pocket-1", "Upper bounds")
    assert one.version == "0.1.1"
    paths = ["CHANGELOG.md", "pocket/__init__.py", "pocket/ranges.py"]
    after = runner().patched(TREE, one.patch, paths)
    assert version_of(str(after["pocket/__init__.py"])) == (0, 1, 1)
    assert "low <= value <= high" in str(after["pocket/ranges.py"])
    assert str(after["CHANGELOG.md"]).index("## 0.1.1") < str(after["CHANGELOG.md"]).index(
        "## 0.1.0"
    )
    assert "- Upper bounds (acme__pocket-1)" in str(after["CHANGELOG.md"])


def test_nothing_is_released_of_what_does_not_fit() -> None:
    """Neither of a patch that does not apply, nor without a version."""
    assert released(runner(), TREE, "no patch", "a-1", "T").patch == ""
    bare = Tree({"a.py": b"x = 1\n"})
    assert released(runner(), bare, WRONG_RANGES, "a-1", "T").patch == ""
    assert version_of(FILES["pocket/__init__.py"]) == (0, 1, 0)
    assert version_of("__version__ = 1") is None


def test_a_script_that_passes_already_asks_for_nothing() -> None:
    """Any change would do, and so none is offered."""
    assert found(PLAN, "assert True\n") == Found()
