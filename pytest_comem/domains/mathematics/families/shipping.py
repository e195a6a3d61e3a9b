"""Writes the families: ``python -m pytest_comem.domains.mathematics.families.shipping``.

Whoever changes a definition, a theorem or a blueprint runs it, pins the commit that it prints in
``shipped.COMMIT``, runs it again, and certifies the families.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_comem.domains.family_files import family_files, ship
from pytest_comem.domains.mathematics.families.building import built_families
from pytest_comem.domains.mathematics.families.projecting import registry_bytes, shipped_commit
from pytest_comem.domains.mathematics.projects import REGISTRY_FILE, read_project
from pytest_comem.domains.mathematics.shipped import project_root


def shipped_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file that is made, by its path under ``fixtures/comembench``.

    The definitions of the library, which are written by hand, are read where they lie.
    """
    yield f"mathematics/{REGISTRY_FILE}", registry_bytes()
    root = project_root()
    for built in built_families(read_project(root, shipped_commit(root))):
        yield from family_files(built.family, built.oracles, built.plans)


if __name__ == "__main__":
    ship(shipped_files())
    print(shipped_commit(project_root()))
