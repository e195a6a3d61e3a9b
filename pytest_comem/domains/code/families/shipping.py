"""Writes the families: ``python -m pytest_comem.domains.code.families.shipping``.

Whoever changes a repository, an instance, a blueprint or the worker's scripts runs it, and
certifies the families. It runs code in a sandbox, and takes a minute or two.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path

from pytest_comem.domains.code.families.building import Built, Workbench
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden_files import HIDDEN, ORACLES_FILE, POLLUTION_FILE
from pytest_comem.workflows.loading import FAMILY_FILE
from pytest_comem.workflows.schema import Record


def shipped_files(slugs: Collection[str] = ()) -> Iterator[tuple[str, bytes]]:
    """Yield every file of this domain's families, by its path under ``fixtures/comembench``.

    :param slugs: of the families that are wanted; all where none are given.
    """
    for built in Workbench().families(slugs):
        yield from family_files(built)


def family_files(built: Built) -> Iterator[tuple[str, bytes]]:
    """Yield the files of one family, likewise."""
    place = f"families/{built.family.family_id}"
    yield f"{place}/{FAMILY_FILE}", _as_file(built.family)
    yield f"{place}/{HIDDEN}/{ORACLES_FILE}", _as_file(built.oracles)
    yield f"{place}/{HIDDEN}/{POLLUTION_FILE}", _as_file(built.plans)


def _as_file(record: Record) -> bytes:
    document = record.model_dump(mode="json", exclude_defaults=True)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def write_files(root: Path) -> None:
    """Write every file below a directory."""
    for name, raw in shipped_files():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(raw)


if __name__ == "__main__":
    write_files(fixture_path("comembench"))
