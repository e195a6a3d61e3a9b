"""The shipped project: where it is, the hash that pins it, and what a family says of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pydantic import JsonValue

from pytest_comem.domains.mathematics.projects import Project, read_project
from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.schema import Family

#: Commit of the shipped project.
COMMIT: Final = "4e5187cd1d688c6addeece10c4e82af0162d0491882667270b1831d0bdbf48f2"


def project_root() -> Path:
    """Return the directory of the shipped project."""
    return fixture_path("comembench", "mathematics")


def environment(
    commit: str, module: str, axioms: Mapping[str, Sequence[str]]
) -> dict[str, JsonValue]:
    """Return what a family says of its project.

    :param axioms: that proofs may rest on, by each prover that the family can be played with.
    """
    allowed: dict[str, JsonValue] = {prover: list(names) for prover, names in axioms.items()}
    return {"project_commit": commit, "module": module, "axioms": allowed}


def project_of(family: Family, root: Path) -> Project:
    """Return the project that a family was made for, checked by its hash.

    :raises DataError: where the family names none, or one that is not there or has another hash.
    """
    commit = family.execution.environment.get("project_commit")
    if not isinstance(commit, str):
        raise DataError(
            "names no commit of a project",
            file=f"family {family.family_id}",
            field="execution.environment.project_commit",
        )
    return read_project(root, commit)


def allowed_axioms(family: Family, prover: str) -> frozenset[str] | None:
    """Return the axioms that a family's proofs may rest on; ``None`` for a prover it lacks."""
    axioms = family.execution.environment.get("axioms")
    names = axioms.get(prover) if isinstance(axioms, dict) else None
    if not isinstance(names, list):
        return None
    return frozenset(name for name in names if isinstance(name, str))


def module_of(family: Family) -> str:
    """Return the module of the project that a family is about, or nothing."""
    module = family.execution.environment.get("module")
    return module if isinstance(module, str) else ""
