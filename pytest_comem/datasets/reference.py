"""What papers report about methods, shipped to be seen beside a run's figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path

_COLUMNS: Final = ("method", "backbone", "domain", "u", "a", "f", "mgs")
#: The metrics' names as suites have them.
_METRICS: Final = ("U", "A", "F", "MGS")


@final
@dataclass(frozen=True, slots=True)
class ReferenceRow:
    """One line of a paper's table.

    :param method: as the paper calls it.
    :param backbone: the model that answered.
    :param domain: in lower case.
    :param values: percent by metric.
    """

    method: str
    backbone: str
    domain: str
    values: Mapping[str, float]


@final
@dataclass(frozen=True, slots=True)
class Reference:
    """A paper's figures with what they were made under.

    :param title: of the paper.
    :param arxiv: its number.
    :param data: revision of the data.
    :param checkpoints: number of steps behind a method's rows.
    :param judge: who judged.
    :param scoring: how actions counted.
    :param systems: the memory system here that does what a method does, by method.
    """

    title: str
    arxiv: str
    data: str
    checkpoints: int
    judge: str
    scoring: str
    systems: Mapping[str, str]
    rows: tuple[ReferenceRow, ...]

    @property
    def backbones(self) -> tuple[str, ...]:
        """The models, in the paper's order."""
        return tuple(dict.fromkeys(row.backbone for row in self.rows))

    def domain_means(self, backbone: str, domains: Sequence[str]) -> dict[str, dict[str, float]]:
        """Return each method's metrics with one model: their means over *domains*.

        Methods that the paper does not have in all of these domains are left out.
        """
        found: dict[str, dict[str, float]] = {}
        for method in self.systems:
            rows = {
                row.domain: row.values
                for row in self.rows
                if (row.method, row.backbone) == (method, backbone)
            }
            if domains and all(domain in rows for domain in domains):
                found[method] = {
                    name: sum(rows[domain][name] for domain in domains) / len(domains)
                    for name in _METRICS
                }
        return found


def load_reference(suite: str, path: Path | None = None) -> Reference:
    """Return what the paper of a suite reports.

    :param path: the file; the one that is shipped when not given.
    :raises DataError: where it has not the form described in ``fixtures/reference``.
    """
    file = path or fixture_path("reference", f"{suite}.json")
    try:
        value = json.loads(file.read_bytes())
        source, protocol = value["source"], value["protocol"]
        if tuple(value["columns"]) != _COLUMNS:
            raise ValueError(f"the columns are not {', '.join(_COLUMNS)}")
        systems = {str(method): str(system) for method, system in value["systems"].items()}
        return Reference(
            title=str(source["title"]),
            arxiv=str(source["arxiv"]),
            data=str(protocol["data"]),
            checkpoints=int(protocol["checkpoints"]),
            judge=str(protocol["judge"]),
            scoring=str(protocol["scoring"]),
            systems=systems,
            rows=tuple(_row(row, systems) for row in value["rows"]),
        )
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"not figures of a paper ({type(error).__name__}: {error})", file=str(file)
        ) from None


def _row(row: Sequence[Any], systems: Mapping[str, str]) -> ReferenceRow:
    method, backbone, domain, *numbers = row
    if method not in systems:
        raise ValueError(f"method {method!r} is not among the systems")
    values = dict(zip(_METRICS, map(float, numbers), strict=True))
    if not all(0 <= value <= 100 for value in values.values()):
        raise ValueError(f"{row} is not percent")
    return ReferenceRow(str(method), str(backbone), str(domain), values)
