"""Writes the families: ``python -m pytest_comem.domains.tools.families.shipping``.

Whoever changes a blueprint or its material runs it and certifies the families.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_comem.domains.family_files import family_files, ship
from pytest_comem.domains.tools.families.building import families


def shipped_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of this domain, by its path under ``fixtures/comembench``."""
    for built in families():
        yield from family_files(built.family, built.oracles, built.plans)


if __name__ == "__main__":
    ship(shipped_files())
