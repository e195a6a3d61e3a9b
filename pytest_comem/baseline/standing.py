"""What a baseline knows of each step, and what it makes of a test's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun, Row
from pytest_comem.metrics.quarantine import without_defective
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics

#: Rows that a reason names.
_NAMED: Final = 3
#: What is one step in any run: its domain, episode and id.
StepId: TypeAlias = tuple[str, str, str]


@final
@dataclass(slots=True)
class Standing:
    """What came of one step in one run, over its repeats.

    :param scored: draws that have a verdict.
    :param passed: those that passed.
    :param classes: how often it failed in which way.
    """

    scored: int = 0
    passed: int = 0
    classes: dict[str, int] = field(default_factory=dict)

    @property
    def failed(self) -> int:
        """Draws that failed."""
        return self.scored - self.passed


@final
@dataclass(frozen=True, slots=True)
class Expectation:
    """What is expected of one test of a step.

    :param standing: what the baseline knows of the step.
    :param drawn: the row has repeats, there or here, so that one draw is no evidence.
    """

    standing: Standing
    drawn: bool

    @property
    def fails(self) -> bool:
        """Whether a failure of the test is an expected one."""
        return self.standing.passed == 0 or self.drawn

    @property
    def reason(self) -> str:
        """Why a failure is expected, as pytest shows it."""
        passed, scored = self.standing.passed, self.standing.scored
        if not self.drawn:
            return "failed in the baseline" if passed == 0 else "passed in the baseline"
        if passed == 0:
            return f"failed {scored} of {scored} times in the baseline"
        return f"passed {passed} of {scored} times in the baseline"


def row_of(outcome: Outcome) -> Row:
    """Return the row of results that *outcome* belongs to."""
    return (outcome.step.suite, outcome.system.name, outcome.model)


def step_id(outcome: Outcome) -> StepId:
    """Return what the step is called in any run, system, model and repeat."""
    return (outcome.step.domain, outcome.step.episode, outcome.step.id)


def standings(outcomes: Iterable[Outcome], metrics: SuiteMetrics) -> dict[StepId, Standing]:
    """Return what came of each step of one row; steps without a verdict have no draw."""
    found: dict[StepId, Standing] = {}
    for outcome in outcomes:
        standing = found.setdefault(step_id(outcome), Standing())
        if outcome.verdict is None:
            continue
        standing.scored += 1
        standing.passed += outcome.passed
        if (kind := metrics.failure_class(outcome)) is not None:
            standing.classes[kind] = standing.classes.get(kind, 0) + 1
    return found


@final
class Baseline:
    """A run that others are held against.

    :param run: as it was read.
    :param repeats: how often the run that is held against it plays each step.
    """

    def __init__(self, run: RecordedRun, repeats: int = 1) -> None:
        self.run = run
        #: Its outcomes by row; those of families in quarantine have no verdict.
        self.rows_of = without_defective(run.rows)
        self._repeats = repeats
        self._steps: Mapping[Row, dict[StepId, Standing]] = {
            row: standings(outcomes, suite_metrics(row[0]))
            for row, outcomes in self.rows_of.items()
        }

    def __contains__(self, row: object) -> bool:
        return row in self._steps

    @property
    def rows(self) -> list[Row]:
        """The rows of results it knows, in order of appearance."""
        return list(self._steps)

    @property
    def lacks(self) -> str:
        """What is said of a row that it does not know; names the first that it does."""
        named = [f"{system} with {model}" for _, system, model in self._steps]
        told = ", ".join(named[:_NAMED]) + (", ..." if len(named) > _NAMED else "")
        return f"the baseline has no row of it, only of {told}"

    def steps(self, row: Row) -> Mapping[StepId, Standing]:
        """Return what it knows of a row's steps; nothing of a row it does not know."""
        return self._steps.get(row, {})

    def expectation(self, outcome: Outcome) -> Expectation | None:
        """Return what is expected of the test of *outcome*'s step.

        ``None`` where the baseline does not know: such a test counts by itself.
        """
        row = row_of(outcome)
        standing = self.steps(row).get(step_id(outcome))
        if standing is None or standing.scored == 0:
            return None
        return Expectation(standing, self.drawn(row))

    def drawn(self, row: Row) -> bool:
        """Whether the row has repeats, here or there."""
        there = max((standing.scored for standing in self.steps(row).values()), default=0)
        return max(self._repeats, there) > 1
