"""The schema: strict values, and a public side that knows nothing of the hidden one."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError
from workflow_play import DATA

from pytest_comem.workflows import hidden, loading, schema
from pytest_comem.workflows.schema import Family
from pytest_comem.workflows.views import NodeView

PUBLIC = ("schema", "artifacts", "views", "loading", "audit", "graph", "topology", "places")


def reachable(start: Any, seen: set[Any] | None = None) -> set[Any]:
    """Return every type that an annotation leads to, through containers and fields."""
    seen = set() if seen is None else seen
    if start in seen:
        return seen
    seen.add(start)
    inner: Iterator[Any] = iter(typing.get_args(start))
    if isinstance(start, type) and issubclass(start, BaseModel):
        inner = iter(typing.get_type_hints(start).values())
    for each in inner:
        if isinstance(each, type) or typing.get_args(each):
            reachable(each, seen)
    return seen


@pytest.mark.parametrize("root", [NodeView, Family])
def test_no_hidden_type_is_reachable(root: type[BaseModel]) -> None:
    """Neither from a worker's view nor from a family does any field lead to the hidden side."""
    found = reachable(root)
    assert schema.HandoffContract in found
    assert not {each for each in found if getattr(each, "__module__", "") == hidden.__name__}


def test_hidden_types_are_found_where_they_are() -> None:
    """The search above sees an oracle that is within reach."""
    assert hidden.Oracle in reachable(hidden.Oracles)
    assert hidden.Pollution in reachable(hidden.Instance)


@pytest.mark.parametrize("module", PUBLIC)
def test_public_modules_do_not_import_hidden_ones(module: str) -> None:
    """By their source, at any depth."""
    folder = Path(str(schema.__file__)).parent
    imported = set()
    for node in ast.walk(ast.parse((folder / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            imported.add((node.module or "").removeprefix("pytest_comem.workflows."))
    ours = {path.stem for path in folder.glob("*.py")}
    assert imported & ours <= set(PUBLIC)


def test_values_are_frozen_and_closed() -> None:
    """A field cannot be set, and one that the schema lacks is refused."""
    family = loading.load_family(DATA / "sum-proof")
    with pytest.raises(ValidationError, match="frozen"):
        family.terminal = "statement"
    text = family.model_dump_json()
    assert Family.model_validate_json(text) == family
    with pytest.raises(ValidationError, match="oracle"):
        Family.model_validate_json(text.replace('"title"', '"oracle":1,"title"', 1))
