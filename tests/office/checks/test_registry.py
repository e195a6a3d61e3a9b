"""Kinds and arguments of checks are looked at when a rubric is loaded."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_comem.errors import DataError
from pytest_comem.office.checks.registry import KINDS, problem_of, validate
from pytest_comem.streams.hidden import Test as OneTest

WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("contain", {"file": "a"}, "did you mean contains"),
    ("contains", {"file": "a"}, "give one of all, any_of, none"),
    ("contains", {"file": "a", "all": []}, "all"),
    ("contains", {"file": "a", "all": ["x"], "regex": True}, "regex"),
    ("contains", {"file": 3, "all": ["x"]}, "file"),
    ("contains", {"all": ["x"]}, "file"),
    ("headings", {"file": "a"}, "give equal, include, first or last"),
    ("line", {"file": "a", "lead": "x"}, "either equal or one_of"),
    ("line", {"file": "a", "lead": "x", "equal": "a", "one_of": ["b"]}, "either equal or one_of"),
    ("date_style", {"file": "a", "style": "ISO"}, "style"),
    ("number_style", {"file": "a", "style": "12,34"}, "no number style"),
    ("number_near", {"file": "a", "near": "x", "equals": "1"}, "equals"),
    ("columns", {"file": "a", "equal": ["x"], "encoding": "rot13"}, "encoding"),
    ("columns", {"file": "a", "equal": ["x"], "delimiter": "::"}, "delimiter"),
    ("value", {"file": "a", "key": {}, "column": "x", "equals": 1}, "key"),
    ("value", {"file": "a", "key": {"a": [1]}, "column": "x", "equals": 1}, "key"),
    ("rows", {"file": "a", "count": 1.5}, "count"),
    ("formula", {"file": "a", "sheet": "S", "cells": ["B0"]}, "no cell"),
    ("sql", {"file": "a", "statement": "DELETE FROM t", "equals": []}, "no SELECT"),
    ("sql", {"file": "a", "statement": "SELECT '", "equals": []}, "no whole statement"),
    ("command", {"command": "true", "add": {"../x": "y"}}, "not inside"),
    ("command", {"command": "true", "seconds": 0}, "seconds"),
]


@pytest.mark.parametrize(("kind", "arguments", "problem"), WRONG)
def test_wrong_tests_are_errors_of_the_data(
    kind: str, arguments: dict[str, Any], problem: str
) -> None:
    """Naming the file, the place in it, the kind and the argument."""
    test = OneTest(kind=kind, arguments=arguments)
    with pytest.raises(DataError, match=r"rubric\.json: field checks\.0: ") as caught:
        validate(test, "rubric.json", "checks.0")
    assert problem in str(caught.value)
    assert kind in str(caught.value)


def test_every_kind_of_the_design_is_there() -> None:
    """Those that rubrics may name, and no other."""
    assert set(KINDS) == {
        *("exists", "absent", "unchanged", "contains", "headings", "name", "date_style"),
        *("number_style", "line", "columns", "value", "number_near", "rows", "formula"),
        *("sheets", "sql", "command"),
    }


def test_right_tests_have_no_problem() -> None:
    """Whole numbers stand for fractions, one pattern for a list of them."""
    arguments: dict[str, Any] = {
        "file": ["a", "b"],
        "key": {"x": 1},
        "column": "y",
        "equals": 2,
        "tolerance": 1,
    }
    assert problem_of(OneTest(kind="value", arguments=arguments)) == ""
