"""What ContextWeave's paper says of memory components, to be seen beside a run's figures.

Its tasks are other people's and were done by language models, so that the figures show an order of
magnitude and nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.errors import DataError
from pytest_comem.locations import fixture_path

#: The memory system here that does what a component of the paper does.
_SYSTEMS: Final[Mapping[str, str]] = {
    "no-recall": "none",
    "mem0": "mem0",
    "memos": "memos",
    "supermemory": "supermemory",
    "memorybank": "memorybank",
    "langmem": "langmem",
    "a-mem": "a-mem",
}
#: What a column of the file's tables is here; the others are not shown.
_COLUMNS: Final[Mapping[str, str]] = {
    "workspace_score": "Workspace",
    "preference_score": "Preference",
    "with_recall_win_rate": "Win",
    "recall_workspace": "Workspace",
    "workspace_delta": "dWorkspace",
    "preference_delta": "dPreference",
    "win_rate": "Win",
}
#: Diagnostics that are told of one component, and by what they are to be multiplied.
_DIAGNOSTICS: Final[Mapping[str, tuple[str, float]]] = {
    "relevance_llm": ("RelevanceRating", 1),
    "mean_similarity": ("Similarity", 100),
    "embedding_recall": ("Recall", 100),
    "precision": ("Precision", 100),
    "exploration_delta": ("dExploration", 1),
    "execution_rate_delta_pp": ("dExecutionRate", 1),
    "hallucination_robustness_llm": ("RobustnessRating", 1),
}
#: And of which components, by their name in the file.
_TOLD: Final[Mapping[str, str]] = {
    "a_mem": "a-mem",
    "memos": "memos",
    "supermemory": "supermemory",
    "mem0": "mem0",
}
#: Metrics in the order they are shown; the paper says nothing of others.
PAPER_METRICS: Final = (
    *("Workspace", "Preference", "Win", "dWorkspace", "dPreference"),
    *("Similarity", "Precision", "Recall", "dExploration", "dExecutionRate", "PSR", "MITR"),
    *("RelevanceRating", "RobustnessRating"),
)
#: The component of the paper's table of models.
_WITH_MODELS: Final = "mem0"


@final
@dataclass(frozen=True, slots=True)
class OfficePaperRow:
    """A memory component of the paper, or one with another model.

    :param component: as the paper calls it.
    :param system: the memory system here that does the same.
    :param model: where the paper compares models; else empty.
    :param values: by metric, as far as the paper says: points, percent, counts, ratings.
    """

    component: str
    system: str
    model: str
    values: Mapping[str, float]

    @property
    def told(self) -> str:
        """The row's name in words."""
        model = f" with {self.model}" if self.model else ""
        return f"{self.component}{model} (paper; {self.system} here)"


@final
@dataclass(frozen=True, slots=True)
class OfficePaper:
    """The paper's rows with what has to be said beside them.

    :param notes: a sentence each.
    """

    rows: tuple[OfficePaperRow, ...]
    notes: tuple[str, ...]


def office_paper(tasks: int, path: Path | None = None) -> OfficePaper | None:
    """Return the paper's rows for a run of that many scored tasks; ``None`` for a run of none.

    :param path: the file of figures; the one that is shipped when not given.
    :raises DataError: where it has not the form described in ``fixtures/reference``.
    """
    if not tasks:
        return None
    file = path or fixture_path("reference", "contextweave.json")
    try:
        value = json.loads(file.read_bytes())
        rows = (*_components(value), *_models(value["table2_models_with_mem0"]))
        source, core = str(value["source"]), int(value["protocol"]["core_tasks"])
    except OSError as error:
        raise DataError(f"cannot be read: {error.strerror}", file=str(file)) from None
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise DataError(
            f"not figures of a paper ({type(error).__name__}: {error})", file=str(file)
        ) from None
    note = (
        f"This run is not comparable with the paper: of its own tasks it scored {tasks:,}, and "
        f"the paper's {core:,} are other people's work, done by language models."
    )
    return OfficePaper(rows, (f"paper: {source}", note))


def _components(value: Mapping[str, Any]) -> Iterator[OfficePaperRow]:
    table = value["table1_memory_components"]
    for component, numbers in table["rows"].items():
        found = _values(table["columns"], numbers)
        for metric, name in (("PSR", "problem_solvability_rate"), ("MITR", _INDUCED)):
            if component in table[name]:
                found[metric] = float(table[name][component])
        for key, about in _TOLD.items():
            if about == component:
                found |= _diagnostics(table.get(key, {}))
        yield OfficePaperRow(component, _SYSTEMS[component], "", found)


_INDUCED: Final = "memory_induced_task_rate"


def _models(table: Mapping[str, Any]) -> Iterator[OfficePaperRow]:
    for model, numbers in table["rows"].items():
        values = _values(table["columns"], numbers)
        yield OfficePaperRow(_WITH_MODELS, _SYSTEMS[_WITH_MODELS], str(model), values)


def _values(columns: Sequence[str], numbers: Sequence[float | None]) -> dict[str, float]:
    return {
        _COLUMNS[column]: float(number)
        for column, number in zip(columns, numbers, strict=True)
        if column in _COLUMNS and number is not None
    }


def _diagnostics(told: Mapping[str, Any]) -> dict[str, float]:
    return {
        metric: round(factor * float(told[name]), 2)
        for name, (metric, factor) in _DIAGNOSTICS.items()
        if name in told
    }
