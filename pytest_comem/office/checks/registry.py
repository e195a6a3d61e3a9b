"""All kinds of checks by name: validated at loading, decided in play."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import ValidationError

from pytest_comem.errors import BenchmarkDefect, DataError
from pytest_comem.office.base import Found
from pytest_comem.office.checks import commands, databases, files, tables, texts, written
from pytest_comem.office.checks.base import FailedError, Kind, Scene, shown
from pytest_comem.records.base import Record
from pytest_comem.records.strict_json import clipped
from pytest_comem.sandbox.reading import UnreadableError
from pytest_comem.streams.hidden import Test
from pytest_comem.suggest import did_you_mean

#: Every kind by name.
KINDS: Final[Mapping[str, Kind[Any]]] = {
    **files.KINDS,
    **texts.KINDS,
    **written.KINDS,
    **tables.KINDS,
    **databases.KINDS,
    **commands.KINDS,
}


def problem_of(test: Test) -> str:
    """Return what is wrong with a test's kind or arguments, in one clause; empty where nothing."""
    read = _read(test)
    return read if isinstance(read, str) else ""


def validate(test: Test, file: str, where: str) -> None:
    """Check a test's kind and arguments.

    :param file: as it should be shown to the user, and
    :param where: the place of the test in it.
    :raises DataError: where the kind is unknown, or an argument is wrong or unknown.
    """
    problem = problem_of(test)
    if problem:
        raise DataError(problem, file=file, field=where)


def decide(test: Test, scene: Scene) -> Found:
    """Return what a test comes to in a workspace, whatever lies in it.

    :raises BenchmarkDefect: where the test itself is wrong.
    :raises InfrastructureError: where a command's sandbox broke.
    """
    read = _read(test)
    if isinstance(read, str):
        raise BenchmarkDefect(f"a check of kind {test.kind}: {read}")
    try:
        found: Found = KINDS[test.kind].decide(read, scene)
    except FailedError as error:
        return Found(False, error.reason, error.evidence)
    except UnreadableError as error:
        file = getattr(read, "file", "")
        return Found(False, f"{shown(file)} cannot be read: {shown(error)}")
    return found


def _read(test: Test) -> Record | str:
    kind = KINDS.get(test.kind)
    if kind is None:
        return f"the kind {test.kind!r} is unknown; {did_you_mean(test.kind, list(KINDS))}"
    try:
        arguments: Record = kind.arguments.model_validate_json(json.dumps(test.arguments))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        return f"{test.kind}: {clipped(field)}: {clipped(str(first['msg']).lower())}"
    problem = kind.problem(arguments)
    return f"{test.kind}: {problem}" if problem else arguments
