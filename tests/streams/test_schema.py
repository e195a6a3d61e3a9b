"""The schema: a public side that knows nothing of the hidden one, and closed, frozen values."""

from __future__ import annotations

import ast
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from pytest_comem.streams import hidden, plans, schema
from pytest_comem.streams.hidden_files import HiddenTask
from pytest_comem.streams.loading import Stream, StreamTask

#: Modules that may see what is hidden; every other one is public.
HIDDEN = {"hidden", "hidden_files", "release_labels", "json_schemas"}
FOLDER = Path(str(schema.__file__)).parent
PUBLIC = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in HIDDEN)


def reachable(start: Any, seen: set[Any] | None = None) -> set[Any]:
    """Return every type that an annotation leads to, through containers and fields."""
    seen = set() if seen is None else seen
    if start in seen:
        return seen
    seen.add(start)
    inner: Iterator[Any] = iter(typing.get_args(start))
    if isinstance(start, type) and hasattr(start, "__annotations__"):
        inner = iter(typing.get_type_hints(start).values())
    for each in inner:
        if isinstance(each, type) or typing.get_args(each):
            reachable(each, seen)
    return seen


def of_hidden(found: set[Any]) -> set[Any]:
    """Return the types of the hidden module among others."""
    return {each for each in found if getattr(each, "__module__", "") == hidden.__name__}


def test_no_hidden_type_is_reachable_from_a_stream() -> None:
    """From nothing that is loaded in public does a field lead to a rubric, reference or label."""
    found = reachable(Stream)
    assert {StreamTask, schema.Task, schema.Session, plans.Plan, plans.Slot} <= found
    assert not of_hidden(found)


def test_hidden_types_are_found_where_they_are() -> None:
    """The search above sees a rubric that is within reach."""
    assert {hidden.Rubric, hidden.Relevance, hidden.Check} <= of_hidden(reachable(HiddenTask))


@pytest.mark.parametrize("module", PUBLIC)
def test_public_modules_do_not_import_hidden_ones(module: str) -> None:
    """By their source, at any depth, whichever way it is written."""
    tree = ast.parse((FOLDER / f"{module}.py").read_text(encoding="utf-8"))
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imported |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
        elif isinstance(node, ast.Import):
            imported |= {one.name for one in node.names}
    assert not imported & {f"pytest_comem.streams.{name}" for name in HIDDEN}


def test_the_list_of_hidden_modules_is_of_modules() -> None:
    """A module that is renamed does not become public by it."""
    assert {path.stem for path in FOLDER.glob("*.py")} >= HIDDEN


def models(module: Any) -> list[type[BaseModel]]:
    """Return the records that a module defines."""
    return [
        each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, BaseModel)
        and each.__module__ == module.__name__
    ]


def test_no_public_record_has_a_field_of_the_hidden_side() -> None:
    """No rubric, reference or label can be written into a public file."""
    records = [*models(schema), *models(plans)]
    assert {schema.Task, schema.Session, plans.Plan} <= set(records)
    fields = {name for record in records for name in record.model_fields}
    assert not fields & {"rubric", "checks", "reference", "relevant", "relevance", "choices"}
    with pytest.raises(ValidationError, match="checks"):
        schema.Workspace.model_validate({"files": {}, "checks": []})


def test_values_are_frozen() -> None:
    """A field cannot be set after loading."""
    workspace = schema.Workspace(files={})
    with pytest.raises(ValidationError, match="frozen"):
        workspace.files = {"a": "b"}
