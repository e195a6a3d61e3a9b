"""The same steps played several times: what their metrics are on average, and how steady."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import final

from pytest_comem.core.outcomes import Verdict
from pytest_comem.metrics.gatemem import Tally, mean_of_domains
from pytest_comem.metrics.statistics import Estimate, estimate


@final
class RepeatedTally:
    """One row of a scorecard: a tally a repeat.

    A metric is computed for each repeat, then averaged: a product like MGS of averaged counts would
    be another number.
    """

    def __init__(self) -> None:
        self._tallies: dict[int, Tally] = {}

    def add(self, repeat: int, category: str, verdict: Verdict) -> None:
        """Count one scored checkpoint of the repeat numbered *repeat*."""
        self.of(repeat).add(category, verdict)

    def of(self, repeat: int) -> Tally:
        """Return the tally of one repeat."""
        return self._tallies.setdefault(repeat, Tally())

    @property
    def repeats(self) -> tuple[int, ...]:
        """Numbers of the repeats with a scored checkpoint, in order."""
        return tuple(sorted(self._tallies))

    @property
    def scored(self) -> int:
        """Number of checkpoints counted, of all repeats."""
        return sum(tally.scored for tally in self._tallies.values())

    def estimate(self, metric: str) -> Estimate | None:
        """Return the mean over repeats of *metric*, a property of :class:`Tally`.

        A repeat without a checkpoint behind the metric does not count.
        """
        values = (getattr(self._tallies[repeat], metric) for repeat in self.repeats)
        return estimate([value for value in values if value is not None])


def estimate_of_domains(domains: Mapping[str, RepeatedTally], metric: str) -> Estimate | None:
    """Return the mean over repeats of the mean of *metric* over the domains that have it."""
    repeats = sorted({repeat for row in domains.values() for repeat in row.repeats})
    values = (
        mean_of_domains(
            {name: row.of(repeat) for name, row in domains.items() if repeat in row.repeats}, metric
        )
        for repeat in repeats
    )
    return estimate([value for value in values if value is not None])


@final
@dataclass(frozen=True, slots=True)
class AllPassed:
    """How many steps pass whenever they are asked.

    :param passed: steps that passed in every repeat.
    :param steps: steps that were scored in every repeat.
    :param left_out: steps that were recorded, but not scored in every repeat.
    """

    passed: int
    steps: int
    left_out: int


@final
class StepPasses:
    """How often each step was scored and passed."""

    def __init__(self) -> None:
        self._counts: dict[Hashable, tuple[int, int]] = {}

    def add(self, step: Hashable, verdict: Verdict | None) -> None:
        """Count one repeat of *step*."""
        scored, passed = self._counts.get(step, (0, 0))
        if verdict is not None:
            scored, passed = scored + 1, passed + verdict.passed
        self._counts[step] = (scored, passed)

    def in_all(self, repeats: int) -> AllPassed:
        """Return what holds for all of *repeats* repeats."""
        complete = [passed for scored, passed in self._counts.values() if scored == repeats]
        return AllPassed(
            passed=complete.count(repeats),
            steps=len(complete),
            left_out=len(self._counts) - len(complete),
        )
