"""What CoMemBench's paper says of memory mechanisms, to be seen beside a run's figures.

The paper quotes a few figures a domain, of other families and with workers that are language
models, so that they show an order of magnitude and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path
from pytest_comem.metrics.comembench import SHARES

#: The memory system here that does what a mechanism of the paper does.
_SYSTEMS: Final[Mapping[str, str]] = {
    "local-only": "none",
    "full-context": "full-context",
    "shared-flat-rag": "rag",
    "a-mem": "a-mem",
    "plugmem": "plugmem",
}
_TOKENS: Final = "tokens_per_task_k"
#: What stands for the domain of figures that are not told by domain.
UNDIVIDED: Final = "not by domain"


@final
@dataclass(frozen=True, slots=True)
class WorkflowPaperRow:
    """A memory mechanism of the paper in one domain.

    :param mechanism: as the paper calls it.
    :param system: the memory system here that does the same.
    :param domain: one of the benchmark's, or :data:`UNDIVIDED`.
    :param values: percent by metric, as far as the paper says.
    :param tokens: of a task; ``None`` where it does not say.
    """

    mechanism: str
    system: str
    domain: str
    values: Mapping[str, float]
    tokens: float | None = None


@final
@dataclass(frozen=True, slots=True)
class WorkflowPaper:
    """The paper's rows with what has to be said beside them.

    :param notes: a sentence each.
    """

    rows: tuple[WorkflowPaperRow, ...]
    notes: tuple[str, ...]


def workflow_paper(domains: Iterable[str], path: Path | None = None) -> WorkflowPaper | None:
    """Return the paper's rows for a run over *domains*; ``None`` for a run over none.

    :param path: the file of figures; the one that is shipped when not given.
    :raises DataError: where it has not the form described in ``fixtures/reference``.
    """
    wanted = sorted(set(domains))
    if not wanted:
        return None
    file = path or fixture_path("reference", "comembench.json")
    try:
        value = json.loads(file.read_bytes())
        mechanisms = dict(value["memory_mechanisms"])
        source = str(value["source"])
        rows = [
            WorkflowPaperRow(name, _SYSTEMS[name], domain, _shares(figures))
            for domain in wanted
            for name, figures in mechanisms.get(domain, {}).items()
        ]
        rows += [
            WorkflowPaperRow(name, _SYSTEMS[name], UNDIVIDED, {}, 1000 * float(thousands))
            for name, thousands in mechanisms[_TOKENS].items()
        ]
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"not figures of a paper ({type(error).__name__}: {error})", file=str(file)
        ) from None
    return WorkflowPaper(tuple(rows), (f"paper: {source}", *_NOTES))


_NOTES: Final = (
    "This run is not comparable with the paper: its families are this project's own, and the "
    "paper's workers were language models; tokens offline are words.",
)


def _shares(figures: Mapping[str, Any]) -> dict[str, float]:
    found = {str(name): float(number) for name, number in figures.items()}
    if not set(found) <= set(SHARES) or not all(0 <= each <= 100 for each in found.values()):
        raise ValueError(f"{figures} is not percent of {', '.join(SHARES)}")
    return found
