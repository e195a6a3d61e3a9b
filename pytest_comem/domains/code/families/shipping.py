"""Writes the families: ``python -m pytest_comem.domains.code.families.shipping``.

Whoever changes a repository, an instance, a blueprint or the worker's scripts runs it, and
certifies the families. It runs code in a sandbox, and takes a minute or two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from pytest_comem.domains.code.families.building import Workbench
from pytest_comem.domains.family_files import family_files, ship


def shipped_files(slugs: Collection[str] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield every file of this domain's families, by its path under ``fixtures/comembench``.

    :param slugs: of the families that are wanted; all where none are given.
    """
    for built in Workbench().families(slugs):
        yield from family_files(built.family, built.oracles, built.plans)


if __name__ == "__main__":
    ship(shipped_files())
