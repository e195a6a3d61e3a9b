"""Writes corpus and families: ``python -m pytest_comem.domains.retrieval.families.shipping``.

Whoever changes the world, its wording or a blueprint runs it, pins the new hash in
``shipped.CORPUS_SHA256``, and certifies the families.
"""

from __future__ import annotations

from collections.abc import Iterator

from pytest_comem.domains.family_files import family_files, ship
from pytest_comem.domains.retrieval.documents import corpus_bytes
from pytest_comem.domains.retrieval.families.building import Workbench
from pytest_comem.domains.retrieval.shipped import CORPUS_FILE


def shipped_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of this domain, by its path under ``fixtures/comembench``."""
    bench = Workbench()
    yield f"retrieval/{CORPUS_FILE}", corpus_bytes(bench.written.documents)
    for built in bench.families():
        yield from family_files(built.family, built.oracles, built.plans)


if __name__ == "__main__":
    ship(shipped_files())
