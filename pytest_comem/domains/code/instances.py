"""The shipped instances: issues of the repositories, in the shape of SWE-bench.

One JSON object a line. Fields, as SWE-bench names and means them:

==========================  ======================================================================
``instance_id``             ``owner__name-NUMBER``; the number is the issue's
``repo``                    ``owner/name``
``base_commit``             hash of the commit that the patches are made for
``environment_setup_commit``  first commit of the same version
``patch``                   gold: unified diff of the code, never of a test
``test_patch``              unified diff of tests alone
``problem_statement``       the issue
``hints_text``              what was said below the issue before the fix; may be empty
``created_at``              of the issue, ISO 8601 in UTC
``version``                 of the library at *base_commit*, ``major.minor``
``FAIL_TO_PASS``            node ids that fail with *test_patch* alone, and pass with both patches
``PASS_TO_PASS``            node ids that pass before and after
==========================  ======================================================================

An issue is a title, prose, and one or two blocks fenced as ``python``: lines after ``>>>``, the
first an import, each followed by what is expected as the interpreter would print it, an exception
by ``Traceback (most recent call last):`` and its last line. What comes instead is fenced as
``text`` after ``Actual:``.
"""

from __future__ import annotations

import json
import re
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Self, final

from pydantic import Field, StringConstraints, ValidationError, model_validator

from pytest_comem.domains.code.repositories import Hash, RepositoryName, code_root
from pytest_comem.errors import DataError
from pytest_comem.records.base import Record
from pytest_comem.records.strict_json import clipped
from pytest_comem.workflows.hidden_files import HIDDEN

INSTANCES_FILE: Final = "instances.jsonl"
#: Largest file of instances that is read, in bytes.
MAX_BYTES: Final = 16 * 1024 * 1024
#: What whoever works on an instance may know; all else is hidden from a worker.
PUBLIC: Final = (
    *("instance_id", "repo", "base_commit", "problem_statement", "created_at", "version"),
)
_TARGET: Final = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S+)", re.MULTILINE)

Text = Annotated[str, StringConstraints(min_length=1, max_length=100_000)]
NodeId = Annotated[
    str, StringConstraints(max_length=300, pattern=r"^tests/[A-Za-z0-9_/]+\.py::[!-~]+$")
]
NodeIds = Annotated[tuple[NodeId, ...], Field(min_length=1, max_length=1_000)]


@final
class Instance(Record):
    """One issue with its fix; see the module for the fields."""

    instance_id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]+__[a-z0-9_-]+-[0-9]+$")]
    repo: RepositoryName
    base_commit: Hash
    environment_setup_commit: Hash
    patch: Text
    test_patch: Text
    problem_statement: Text
    hints_text: Annotated[str, StringConstraints(max_length=100_000)]
    created_at: str
    version: Annotated[str, StringConstraints(pattern=r"^[0-9]+\.[0-9]+$")]
    FAIL_TO_PASS: NodeIds
    PASS_TO_PASS: NodeIds

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        owner, _, name = self.repo.partition("/")
        if self.instance_id.rpartition("-")[0] != f"{owner}__{name}":
            raise ValueError(f"instance_id does not begin with {owner}__{name}-")
        both = {*self.FAIL_TO_PASS} & {*self.PASS_TO_PASS}
        if both:
            raise ValueError(f"FAIL_TO_PASS and PASS_TO_PASS both hold {sorted(both)[0]}")
        if not _is_utc(self.created_at):
            raise ValueError("created_at is not an ISO 8601 moment in UTC")
        if any(path.startswith("tests/") for path in touched(self.patch)):
            raise ValueError("patch touches tests; they belong into test_patch")
        if not all(path.startswith("tests/") for path in touched(self.test_patch)):
            raise ValueError("test_patch touches more than tests")
        return self


def public(instance: Instance) -> dict[str, str]:
    """Return what a worker may know of an instance."""
    return {name: getattr(instance, name) for name in PUBLIC}


def touched(diff: str) -> tuple[str, ...]:
    """Return the paths that a unified diff names, sorted; none where it is no diff."""
    return tuple(sorted({*_TARGET.findall(diff)} - {"/dev/null"}))


def load_instances(path: Path | None = None) -> dict[str, Instance]:
    """Return all instances by their id, in the file's order.

    :param path: another file than the shipped one.
    :raises DataError: naming file, line and field where something is not right.
    """
    path = path or code_root() / HIDDEN / INSTANCES_FILE
    found: dict[str, Instance] = {}
    for number, line in enumerate(_raw(path).split(b"\n"), 1):
        if not line.strip():
            continue
        instance = _instance(line, path.name, number)
        if instance.instance_id in found:
            problem = f"{instance.instance_id} is there twice"
            raise DataError(problem, file=path.name, line=number, field="instance_id")
        found[instance.instance_id] = instance
    return found


def _raw(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=path.name) from None
    if len(raw) > MAX_BYTES:
        raise DataError(f"larger than {MAX_BYTES:,} bytes", file=path.name)
    return raw


def _instance(line: bytes, file: str, number: int) -> Instance:
    try:
        json.loads(line, object_pairs_hook=_unique)
        return Instance.model_validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = clipped(".".join(str(part) for part in first["loc"]))
        problem = clipped(str(first["msg"]))
        raise DataError(problem, file=file, line=number, field=field or None) from None
    except (ValueError, RecursionError) as error:
        problem = f"not JSON: {clipped(str(error))}"
        raise DataError(problem, file=file, line=number) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a field is there twice in one object")
    return found


def _is_utc(text: str) -> bool:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return False
    offset = moment.utcoffset()
    return offset is not None and not offset
