"""Which repository a workflow works on, and where its files come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol, final

from pydantic import JsonValue

from pytest_comem.domains.code.repositories import repository
from pytest_comem.domains.code.running import Tree
from pytest_comem.errors import DataError
from pytest_comem.workflows.schema import Family

_FIELDS: Final = ("repository", "base_commit", "issue")


@final
@dataclass(frozen=True, slots=True)
class Assignment:
    """What a workflow is about, as its execution contract says.

    :param repository: ``owner/name``.
    :param base_commit: that the issue is reported on.
    :param issue: id of the instance.
    """

    repository: str
    base_commit: str
    issue: str

    def as_json(self) -> dict[str, JsonValue]:
        """Return the assignment as a family's environment holds it."""
        return {field: getattr(self, field) for field in _FIELDS}


def assignment_of(family: Family) -> Assignment:
    """Return what a family is about.

    :raises DataError: where its environment does not say.
    """
    asked = family.execution.environment
    found = [asked.get(field) for field in _FIELDS]
    texts = [each for each in found if isinstance(each, str) and each]
    if len(texts) != len(_FIELDS):
        problem = f"has to name {', '.join(_FIELDS)}"
        shown = f"family {family.family_id}"
        raise DataError(problem, file=shown, field="execution.environment")
    return Assignment(*texts)


class Trees(Protocol):
    """Where repositories' files come from."""

    def tree(self, repository: str, commit: str) -> Tree:
        """Return all files of a commit.

        :raises ComemError: where there is no such repository or commit.
        """


@final
class ShippedTrees:
    """The repositories that this package ships."""

    def tree(self, repository: str, commit: str) -> Tree:
        """Return all files of a commit."""
        return _tree(repository, commit)


@lru_cache(maxsize=64)
def _tree(name: str, commit: str) -> Tree:
    return Tree(dict(repository(name).tree(commit)))
