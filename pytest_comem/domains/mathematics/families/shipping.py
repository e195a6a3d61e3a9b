"""Writes the families: ``python -m pytest_comem.domains.mathematics.families.shipping``.

Whoever changes a definition, a theorem or a blueprint runs it, pins the commit that it prints in
``shipped.COMMIT``, runs it again, and certifies the families.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pytest_comem.domains.mathematics.families.building import built_families
from pytest_comem.domains.mathematics.families.projecting import registry_bytes, shipped_commit
from pytest_comem.domains.mathematics.projects import REGISTRY_FILE, read_project
from pytest_comem.domains.mathematics.shipped import project_root
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden_files import HIDDEN, ORACLES_FILE, POLLUTION_FILE
from pytest_comem.workflows.loading import FAMILY_FILE
from pytest_comem.workflows.schema import Record


def shipped_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file that is made, by its path under ``fixtures/comembench``.

    The definitions of the library, which are written by hand, are read where they lie.
    """
    yield f"mathematics/{REGISTRY_FILE}", registry_bytes()
    root = project_root()
    for built in built_families(read_project(root, shipped_commit(root))):
        place = f"families/{built.family.family_id}"
        yield f"{place}/{FAMILY_FILE}", _as_file(built.family)
        yield f"{place}/{HIDDEN}/{ORACLES_FILE}", _as_file(built.oracles)
        yield f"{place}/{HIDDEN}/{POLLUTION_FILE}", _as_file(built.plans)


def _as_file(record: Record) -> bytes:
    document = record.model_dump(mode="json", exclude_defaults=True)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def write_files(root: Path) -> None:
    """Write every file below a directory; the registry first, as the commit follows from it."""
    for name, raw in shipped_files():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)


if __name__ == "__main__":
    write_files(fixture_path("comembench"))
    print(shipped_commit(project_root()))
