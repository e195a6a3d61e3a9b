"""Families from their directories: the public side, which never opens ``hidden/``.

A family is a directory with ``family.json``; a corpus is a directory of families.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_comem.errors import DataError
from pytest_comem.records.strict_json import read_record
from pytest_comem.workflows.audit import Problem, problems_of
from pytest_comem.workflows.places import place_of_field
from pytest_comem.workflows.schema import Family

FAMILY_FILE: Final = "family.json"
#: Most directories that are looked at as one corpus.
MAX_FAMILIES: Final = 10_000


def load_family(directory: Path) -> Family:
    """Return the family of a directory, audited.

    :raises DataError: where its file is not right, or its graph is not (the first problem, and how
        many more there are).
    """
    family = read_family(directory)
    problems = problems_of(family)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise as_error(problems[0], family, shown_family_file(directory), more)
    return family


def read_family(directory: Path) -> Family:
    """Return the family of a directory by its schema alone, for an audit to say what is wrong.

    :raises DataError: where the file does not have the schema's form.
    """
    return read_record(
        directory / FAMILY_FILE, Family, shown_family_file(directory), place_of_field
    )


def shown_family_file(directory: Path) -> str:
    """Return how messages name a family's file: its directory's name, and the file's."""
    return f"{directory.absolute().name}/{FAMILY_FILE}"


def load_corpus(root: Path) -> tuple[Family, ...]:
    """Return the families of a directory of families, ordered by their ids.

    :raises DataError: where one is not right, two have the same id, or there is none.
    """
    found: dict[str, tuple[Family, Path]] = {}
    for directory in family_directories(root):
        family = load_family(directory)
        if family.family_id in found:
            other = shown_family_file(found[family.family_id][1])
            raise DataError(
                f"family {family.family_id}: {other} has the same id; ids are unique",
                file=shown_family_file(directory),
                field="family_id",
            )
        found[family.family_id] = family, directory
    return tuple(found[family_id][0] for family_id in sorted(found))


def family_directories(root: Path) -> tuple[Path, ...]:
    """Return the directories that hold a family, ordered by name.

    :raises DataError: where there is none, or there are more than anybody means.
    """
    if (root / FAMILY_FILE).is_file():
        return (root,)
    try:
        entries = [path for path in root.iterdir() if (path / FAMILY_FILE).is_file()]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise DataError(f"cannot be read: {reason}", file=str(root)) from None
    if not entries:
        problem = f"no family is here; a family is a directory with {FAMILY_FILE}"
        raise DataError(problem, file=str(root))
    if len(entries) > MAX_FAMILIES:
        raise DataError(f"more than {MAX_FAMILIES:,} families", file=str(root))
    return tuple(sorted(entries))


def as_error(problem: Problem, family: Family, shown_as: str, more: str = "") -> DataError:
    """Return a problem of a family's graph as the error that its loader raises."""
    node = f", node {problem.node}" if problem.node else ""
    place = f"family {family.family_id}{node}"
    return DataError(f"{place}: {problem.text}{more}", file=shown_as, field=problem.field)
