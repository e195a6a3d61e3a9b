"""The repositories and the hidden instances that families of this domain are made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import final

from pytest_comem.domains.code.instances import Instance, load_instances
from pytest_comem.domains.code.sources import Assignment, ShippedTrees, Trees
from pytest_comem.errors import DataError
from pytest_comem.suggest import did_you_mean


@final
@dataclass(frozen=True, slots=True)
class Material:
    """What workers see, and what evaluators know beside it.

    :param instances: by their id.
    """

    trees: Trees
    instances: Mapping[str, Instance]

    def instance(self, assignment: Assignment) -> Instance:
        """Return the instance of an assignment.

        :raises DataError: where there is none, or it is about another repository or commit.
        """
        found = self.instances.get(assignment.issue)
        if found is None:
            hint = did_you_mean(assignment.issue[:200], list(self.instances))
            problem = f"there is no instance {assignment.issue[:200]!r}; {hint}"
            raise DataError(problem, file="hidden/instances.jsonl", field="instance_id")
        if (found.repo, found.base_commit) != (assignment.repository, assignment.base_commit):
            problem = f"{found.instance_id} is about {found.repo} at {found.base_commit}"
            raise DataError(problem, file="hidden/instances.jsonl", field="base_commit")
        return found


@cache
def shipped_material() -> Material:
    """Return what this package ships, read once a process."""
    return Material(ShippedTrees(), load_instances())
