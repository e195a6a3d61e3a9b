"""The operations as a model's tools."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_comem.office.operations import OPERATIONS
from pytest_comem.office.toolbox import function_tools, refusal, specs

ROWS = {"path": "a.xlsx", "sheet": "S"}


def test_every_operation_is_a_tool() -> None:
    """In a fixed order, as JSON; some can be left out."""
    assert [info.name for info in specs()] == list(OPERATIONS)
    assert [info.name for info in specs(["write", "read"])] == ["read", "write"]
    tools = json.loads(json.dumps(function_tools()))
    assert {tool["type"] for tool in tools} == {"function"}
    assert all(tool["function"]["parameters"]["type"] == "object" for tool in tools)
    assert all(tool["function"]["description"] for tool in tools)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read", {"path": "a"}),
        ("write_sheet", {**ROWS, "rows": [["a", 1, 1.5, True, None], []]}),
        ("set_cells", {**ROWS, "cells": {"B2": 1, "B3": None}}),
        ("write_document", {"path": "a", "blocks": [{"kind": "table", "rows": [["a"]]}]}),
        ("query", {"tables": [{"name": "a", "path": "b", "sheet": "c"}], "statement": "d"}),
        ("shell", {"command": "ls"}),
    ],
)
def test_what_an_operation_takes_is_let_through(name: str, arguments: Any) -> None:
    """Optional members may be left out."""
    assert refusal(name, arguments) is None


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("raed", {}, "did you mean read"),
        (None, {}, "there is no operation"),
        ("read", "a.md", "have to be an object with path"),
        ("read", {}, "there is no path; it takes path"),
        ("read", {"path": 3}, "path has to be string, not int"),
        ("read", {"path": "a", "mode": "r"}, "takes no 'mode'"),
        ("read", {1: "a", "path": "a"}, "takes no '1'"),
        ("write_sheet", {**ROWS, "rows": [["a"], "b"]}, "rows[1] has to be array"),
        ("write_sheet", {**ROWS, "rows": [["a", {}]]}, "rows[0][1] has to be string or number"),
        ("set_cells", {**ROWS, "cells": {"B2": []}}, "cells.B2 has to be"),
        ("write_document", {"path": "a", "blocks": [{}]}, "blocks[0] needs kind"),
        ("write_document", {"path": "a", "blocks": [{"kind": "x"}]}, "one of heading, paragraph"),
        (
            "write_document",
            {"path": "a", "blocks": [{"kind": "heading", "level": True}]},
            "blocks[0].level has to be integer",
        ),
        ("query", {"tables": [{"name": "a"}], "statement": "b"}, "tables[0] needs path"),
    ],
)
def test_a_refusal_says_where_and_what(name: Any, arguments: Any, said: str) -> None:
    """So that a model can put it right."""
    assert said in str(refusal(name, arguments))
