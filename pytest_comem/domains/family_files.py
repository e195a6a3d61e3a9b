"""Families as files, for whoever ships them: one form for every domain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from pytest_comem.locations import fixture_path
from pytest_comem.records.base import Record
from pytest_comem.workflows.hidden import Oracles, PollutionPlans
from pytest_comem.workflows.hidden_files import HIDDEN, ORACLES_FILE, POLLUTION_FILE
from pytest_comem.workflows.loading import FAMILY_FILE
from pytest_comem.workflows.schema import Family
from pytest_comem.writing import write_files


def family_files(
    family: Family, oracles: Oracles, plans: PollutionPlans
) -> Iterator[tuple[str, bytes]]:
    """Yield a family's three files, by their paths under ``fixtures/comembench``."""
    place = f"families/{family.family_id}"
    yield f"{place}/{FAMILY_FILE}", _as_file(family)
    yield f"{place}/{HIDDEN}/{ORACLES_FILE}", _as_file(oracles)
    yield f"{place}/{HIDDEN}/{POLLUTION_FILE}", _as_file(plans)


def ship(files: Iterable[tuple[str, bytes]]) -> None:
    """Write files into the shipped fixtures, one by one as they are made."""
    for name, raw in files:
        write_files({fixture_path("comembench", *name.split("/")): [raw.decode()]})


def _as_file(record: Record) -> bytes:
    document = record.model_dump(mode="json", exclude_defaults=True)
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()
