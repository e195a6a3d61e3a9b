"""ContextWeave's scores by memory system and model, beside the runs without recall.

The run of a task without recall is made once per model and shared by all systems, and every
outcome carries what it came to. So "no recall" is a row of its own per model, over the tasks that
any system has a verdict on. A task with a benchmark defect is left out for every system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from pytest_comem.core.outcomes import Attribution, Outcome, Usage, plus
from pytest_comem.metrics.contextweave_counts import CONTEXTWEAVE
from pytest_comem.metrics.sample import EpisodeCounts, Sample
from pytest_comem.metrics.suites import Cluster, Unit

#: What the runs without recall are called.
NO_RECALL: Final = "no recall"
#: How tasks are divided: name, and the label that says so. A task has several activities.
DIVISIONS: Final[Mapping[str, str]] = {
    "participant": "participant",
    "activity": "activities",
    "distance": "distance",
    "project": "project",
    "main workflow": "main",
}
#: Order of the distances; others come by name.
_DISTANCES: Final = ("none", "1", "2-3", "4-10", "more than 10")
#: Memory system and model.
RowName: TypeAlias = tuple[str, str]
_Strata: TypeAlias = Mapping[str, Mapping[str, Sample]]


@final
@dataclass(frozen=True, slots=True)
class _Task:
    """One task's play: how it is divided, what it counts for, and the same without recall."""

    strata: tuple[tuple[str, str], ...]
    unit: Unit
    alone: Unit | None

    @property
    def place(self) -> tuple[Cluster, int]:
        """What is the same task, in the same repeat, on every system."""
        return (self.unit.cluster, self.unit.repeat)


@final
@dataclass(slots=True)
class _Row:
    """What has been counted of one memory system with one model.

    :param unscored: why tasks have no verdict, by label, where it is not the benchmark's defect.
    """

    reference: bool
    tasks: dict[tuple[Cluster, int], _Task] = field(default_factory=dict)
    unscored: dict[str, str] = field(default_factory=dict)
    usage: dict[str, Usage] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class TaskRow:
    """A memory system with a model, or the runs without recall.

    :param reference: the system sees hidden annotations.
    :param overall: of all scored tasks.
    :param strata: by division (:data:`DIVISIONS`) and part, in order; a task counts under each of
        its activities, and under no project where it has none.
    :param scored: number of plays with a verdict, repeats included.
    """

    reference: bool
    overall: Sample
    strata: _Strata
    scored: int


@final
class TaskSheet:
    """ContextWeave's outcomes of a run, counted one by one."""

    def __init__(self, outcomes: Iterable[Outcome] = ()) -> None:
        self._rows: dict[RowName, _Row] = {}
        self._defective: dict[Cluster, str] = {}
        self.judges: dict[str, None] = {}
        #: How often each task is played.
        self.repeats = 1
        for outcome in outcomes:
            self.add(outcome)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, outcome: Outcome) -> None:
        """Count one outcome of the suite.

        :raises KeyError, TypeError, ValueError: where it lacks a label or measure.
        """
        name = (outcome.system.name, outcome.model)
        row = self._rows.setdefault(name, _Row(outcome.system.reference))
        self.judges.setdefault(outcome.judge)
        self.repeats = max(self.repeats, outcome.repeat + 1)
        for phase, usage in outcome.usage.items():
            row.usage[phase] = plus(row.usage.get(phase, Usage()), usage)
        if outcome.verdict is not None:
            (unit,) = CONTEXTWEAVE.units([outcome])
            task = _Task(tuple(_strata_of(outcome)), unit, CONTEXTWEAVE.alone(outcome))
            row.tasks.setdefault(task.place, task)
            return
        failure = outcome.failure
        if failure is not None and failure.attribution is Attribution.BENCHMARK:
            self._defective.setdefault(CONTEXTWEAVE.cluster_of(outcome), failure.message)
        else:
            row.unscored[outcome.step.label] = outcome.reason

    def arrange(self, systems: Sequence[str], models: Sequence[str] = ()) -> None:
        """Put memory systems and their models into this order; other models come last, by name."""
        places = {model: place for place, model in enumerate(models)}

        def place(name: RowName) -> tuple[int, int, str]:
            return systems.index(name[0]), places.get(name[1], len(places)), name[1]

        self._rows = {name: self._rows[name] for name in sorted(self._rows, key=place)}

    @property
    def quarantined(self) -> Mapping[str, str]:
        """The tasks with a benchmark defect, with what it is: scored for nobody."""
        found = {f"{who}/{task}": why for (who, task), why in self._defective.items()}
        return dict(sorted(found.items()))

    def usage(self) -> dict[RowName, Mapping[str, Usage]]:
        """Return what each row cost, by phase."""
        return {name: row.usage for name, row in self._rows.items()}

    def rows(self) -> dict[RowName, TaskRow]:
        """Return the rows of the memory systems, in order of appearance."""
        return {
            name: _task_row(self._tasks(name), row.reference) for name, row in self._rows.items()
        }

    def without_recall(self) -> dict[str, TaskRow]:
        """Return the row without recall of every model, in order of appearance."""
        found: dict[str, dict[tuple[Cluster, int], _Task]] = {}
        for name in self._rows:
            tasks = found.setdefault(name[1], {})
            for task in self._tasks(name):
                if task.alone is not None:
                    tasks.setdefault(task.place, _Task(task.strata, task.alone, None))
        return {model: _task_row(list(tasks.values()), False) for model, tasks in found.items()}

    def uneven(self) -> Iterator[tuple[RowName, int, int]]:
        """Yield the rows that lack tasks which the row without recall has, with both numbers."""
        for model, alone in self.without_recall().items():
            for name in self._rows:
                if name[1] == model and (scored := len(self._tasks(name))) < alone.scored:
                    yield name, scored, alone.scored

    def unscored(self) -> dict[RowName, Mapping[str, str]]:
        """Return why tasks have no verdict, by row and label; defects are told by themselves."""
        return {name: row.unscored for name, row in self._rows.items() if row.unscored}

    def _tasks(self, name: RowName) -> list[_Task]:
        tasks = self._rows[name].tasks.values()
        return [task for task in tasks if task.unit.cluster not in self._defective]


def _strata_of(outcome: Outcome) -> Iterator[tuple[str, str]]:
    for division, label in DIVISIONS.items():
        value = outcome.labels.get(label, "")
        parts = value.split(",") if label == "activities" else [value]
        yield from ((division, part.strip()) for part in parts if part.strip())


def _task_row(tasks: Sequence[_Task], reference: bool) -> TaskRow:
    parts: dict[str, dict[str, list[_Task]]] = {division: {} for division in DIVISIONS}
    for task in tasks:
        for division, part in task.strata:
            parts[division].setdefault(part, []).append(task)
    return TaskRow(
        reference,
        _sample(tasks),
        {
            division: {part: _sample(found[part]) for part in sorted(found, key=_place)}
            for division, found in parts.items()
        },
        len(tasks),
    )


def _place(part: str) -> tuple[int, str]:
    place = _DISTANCES.index(part) if part in _DISTANCES else len(_DISTANCES)
    return place, part


def _sample(tasks: Iterable[_Task]) -> Sample:
    counted = EpisodeCounts(CONTEXTWEAVE)
    for task in tasks:
        counted.count(task.unit)
    return counted.sample()
