"""Which steps, rows and runs a page shows: what is beside what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import safe
from pytest_comem.engine.runs import RecordedRun, incomparable
from pytest_comem.errors import ComemError, SettingsError
from pytest_comem.metrics.quarantine import defects_told, without_defective
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics
from pytest_comem.report.pairing import Name, names_in, pair_rows

#: Runs that can be compared share a world; then suite, domain, episode, step and repeat.
StepId: TypeAlias = tuple[int, str, str, str, str, int]
#: World, suite, domain and name of an episode.
EpisodeId: TypeAlias = tuple[int, str, str, str]


@final
@dataclass(frozen=True, slots=True)
class Row:
    """What stands in one line for every run: a memory system with a model, or what replaced it.

    :param suite: name of the suite.
    :param names: system and model by number of the run; a run that has none is not in it.
    """

    suite: str
    names: dict[int, Name]


@final
@dataclass(slots=True)
class Case:
    """One step on one row: an outcome for each run that has it, by number of the run."""

    step: int
    row: int
    outcomes: dict[int, Outcome] = field(default_factory=dict)


@final
class Table:
    """All runs of a page, put beside each other.

    :param notes: what could not be put beside each other and why, a line each.
    """

    def __init__(self, runs: Sequence[RecordedRun]) -> None:
        self.runs = runs
        #: Of each run, the outcomes by row; those of what is in quarantine have no verdict.
        self._rows_of = [without_defective(run.rows) for run in runs]
        self.notes: list[str] = []
        self.worlds = [0, *(self._world(number) for number in range(1, len(runs)))]
        self.rows = list(self._rows())
        self.steps: dict[StepId, Outcome] = {}
        self.episodes: dict[EpisodeId, int] = {}
        self.cases: list[Case] = []
        self._fill()
        self.notes.extend(self._quarantined())

    def metrics(self, suite: str) -> SuiteMetrics | None:
        """Return a suite's metrics, or ``None`` where there are none."""
        try:
            return suite_metrics(suite)
        except SettingsError:
            return None

    @property
    def suites(self) -> list[str]:
        """Names of all suites, in order of appearance."""
        return list(dict.fromkeys(row.suite for row in self.rows))

    def outcomes(self, run: int, row: Row) -> Sequence[Outcome]:
        """Return what *run* has in *row*."""
        return self._rows_of[run][row.suite, *row.names[run]]

    def places(self) -> Iterator[tuple[int, int, Row]]:
        """Yield every run and row that has outcomes: number of the run, of the row, and the row."""
        for number, row in enumerate(self.rows):
            for run in sorted(row.names):
                yield run, number, row

    def id_of(self, run: int, outcome: Outcome) -> StepId:
        """Return what makes outcomes of several runs and rows the same step."""
        step = outcome.step
        world = self.worlds[run]
        return (world, step.suite, step.domain, step.episode, step.id, outcome.repeat)

    def _quarantined(self) -> Iterator[str]:
        for number, run in enumerate(self.runs, 1):
            for told in defects_told(run.outcomes):
                yield f"Run {number}: {told}" if len(self.runs) > 1 else f"T{told[1:]}"

    def _world(self, run: int) -> int:
        lines = incomparable(self.runs[0], self.runs[run])
        if lines:
            self.notes.append("Runs that cannot be compared: " + "; ".join(lines))
        return run if lines else 0

    def _rows(self) -> Iterator[Row]:
        first: dict[tuple[str, Name], Row] = {}
        later: list[Row] = []
        for number, run in enumerate(self.runs):
            for suite in run.suites:
                partners = self._partners(number, suite) if number else {}
                for name in names_in(run, suite):
                    row = first.get((suite, partners[name])) if name in partners else None
                    if row is not None:
                        row.names[number] = name
                    elif number:
                        later.append(Row(suite, {number: name}))
                    else:
                        first[suite, name] = Row(suite, {0: name})
        yield from first.values()
        yield from later

    def _partners(self, run: int, suite: str) -> dict[Name, Name]:
        """Return which row of the first run each row of *run* stands beside."""
        if self.worlds[run] or suite not in self.runs[0].suites:
            return {}
        try:
            pairing = pair_rows(self.runs[0], self.runs[run], suite)
        except ComemError as error:
            self.notes.append(str(error).removeprefix("--row: "))
            return {}
        return {after: before for before, after in pairing.pairs}

    def _fill(self) -> None:
        cases: dict[tuple[int, int], Case] = {}
        numbers: dict[StepId, int] = {}
        for run, number, row in self.places():
            for outcome in self.outcomes(run, row):
                step = self.id_of(run, outcome)
                place = numbers.setdefault(step, len(numbers))
                self.steps.setdefault(step, outcome)
                self.episodes.setdefault(step[:4], len(self.episodes))
                case = cases.setdefault((place, number), Case(place, number))
                case.outcomes[run] = outcome
        self.cases = [cases[key] for key in sorted(cases)]


def head_of(outcome: Outcome) -> str:
    """Return what the labels of an outcome's row begin with."""
    names = (
        (outcome.step.system, outcome.step.model) if outcome.step.model else (outcome.step.system,)
    )
    return "-".join(map(safe, names))


def plain(value: Any) -> Any:
    """Return *value* as JSON can hold it: a number that is none becomes nothing."""
    if isinstance(value, float):
        return None if value != value or abs(value) == float("inf") else round(value, 6)
    return value
