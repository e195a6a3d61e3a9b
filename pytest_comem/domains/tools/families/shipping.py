"""Writes the families: ``python -m pytest_comem.domains.tools.families.shipping``.

Whoever changes a blueprint or its material runs it and certifies the families.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from pytest_comem.domains.tools.families.building import families
from pytest_comem.locations import fixture_path
from pytest_comem.workflows.hidden_files import HIDDEN, ORACLES_FILE, POLLUTION_FILE
from pytest_comem.workflows.loading import FAMILY_FILE
from pytest_comem.workflows.schema import Record


def shipped_files() -> Iterator[tuple[str, bytes]]:
    """Yield every file of this domain, by its path under ``fixtures/comembench``."""
    for built in families():
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
