"""What one row of a run counts for, summed by cluster: what intervals are computed from.

``episode`` stands here for whatever a suite draws as a whole, such as CoMemBench's families.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Self, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.suites import Array, Cluster, SuiteMetrics, Unit

#: What is drawn as a whole.
Episode: TypeAlias = Cluster
#: What makes two runs' outcomes the same step: suite, domain, episode, step and repeat.
StepKey: TypeAlias = tuple[str, str, str, str, int]


def step_key(outcome: Outcome) -> StepKey:
    """Return what a step is called whichever system and model it was played on."""
    step = outcome.step
    return (step.suite, step.domain, step.episode, step.id, outcome.repeat)


@final
class EpisodeCounts:
    """Running sums by episode and repeat: small, however many steps there are.

    :param recorded: number of steps added.
    :param scored: number of those with a verdict.
    """

    def __init__(self, metrics: SuiteMetrics) -> None:
        self.metrics = metrics
        self.sums: dict[tuple[Episode, int], list[float]] = {}
        self.recorded = 0
        self.scored = 0

    def add(self, outcome: Outcome) -> None:
        """Add one step, of a suite whose units are steps.

        An unscored one counts nowhere but in :attr:`recorded`.
        """
        self.recorded += 1
        if outcome.verdict is None:
            return
        self.scored += 1
        for unit in self.metrics.units([outcome]):
            self.count(unit)

    def add_all(self, outcomes: Sequence[Outcome]) -> None:
        """Add the steps of one row, which units may join."""
        self.recorded += len(outcomes)
        self.scored += sum(outcome.verdict is not None for outcome in outcomes)
        for unit in self.metrics.units(outcomes):
            self.count(unit)

    def count(self, unit: Unit) -> None:
        """Add what a unit counts for, and no step."""
        place = (unit.cluster, unit.repeat)
        known, row = self.sums.get(place), unit.numbers
        self.sums[place] = [a + b for a, b in zip(known, row, strict=True)] if known else list(row)

    def sample(self) -> Sample:
        """Return what has been added so far."""
        return Sample(self)


@final
class Sample:
    """One row of a run (a system with a model) on one suite.

    Nothing in it depends on the order of the outcomes.
    """

    def __init__(self, counted: EpisodeCounts, outcomes: Sequence[Outcome] = ()) -> None:
        self.metrics = counted.metrics
        self._sums = dict(counted.sums)
        self._outcomes = outcomes
        #: Number of steps, with or without a verdict.
        self.steps = counted.recorded
        #: Number of steps with a verdict.
        self.scored = counted.scored

    @classmethod
    def of(cls, outcomes: Iterable[Outcome], metrics: SuiteMetrics) -> Self:
        """Return the sample of one row's outcomes; those of other suites are left out.

        Of several outcomes of one step the first counts.

        :raises ValueError: where they are of several systems or models.
        """
        steps: dict[Hashable, Outcome] = {}
        for outcome in outcomes:
            if outcome.step.suite == metrics.suite:
                steps.setdefault(step_key(outcome), outcome)
        rows = {(outcome.system.name, outcome.model) for outcome in steps.values()}
        if len(rows) > 1:
            raise ValueError(f"a sample is of one system and model, not of {sorted(rows)}")
        counted = EpisodeCounts(metrics)
        counted.add_all(tuple(steps.values()))
        return cls(counted, tuple(steps.values()))

    @cached_property
    def episodes(self) -> tuple[Episode, ...]:
        """Every episode with something to count, by domain and name."""
        return tuple(sorted({episode for episode, _ in self._sums}))

    @cached_property
    def repeats(self) -> tuple[int, ...]:
        """Numbers of the repeats with a scored step, in order."""
        return tuple(sorted({repeat for _, repeat in self._sums}))

    @property
    def domains(self) -> tuple[str, ...]:
        """Every domain with a scored step, by name."""
        return tuple(sorted({domain for domain, _ in self.episodes}))

    @cached_property
    def counts(self) -> Array:
        """The sums, [repeats, episodes, columns]; an episode absent in a repeat is zeros."""
        import numpy as np

        nothing = [0.0] * self.metrics.columns
        rows = [
            [self._sums.get((episode, repeat), nothing) for episode in self.episodes]
            for repeat in self.repeats
        ]
        shape = (len(self.repeats), len(self.episodes), self.metrics.columns)
        return np.array(rows, dtype=np.float64).reshape(shape)

    def only(self, *, domain: str | None = None, label: tuple[str, str] | None = None) -> Sample:
        """Return the steps of a domain, with a label, or both.

        :param label: name and value, such as ``("attack_type", "direct_probe")``.
        :raises ValueError: where the sample was summed without keeping its outcomes.
        """
        if len(self._outcomes) < self.steps:
            raise ValueError("a sample made of sums alone cannot be divided")
        return Sample.of(
            (
                outcome
                for outcome in self._outcomes
                if (domain is None or outcome.step.domain == domain)
                and (label is None or outcome.labels.get(label[0]) == label[1])
            ),
            self.metrics,
        )

    def of_domain(self, domain: str) -> Sample:
        """Return the episodes of one domain, without the outcomes that were summed."""
        counted = EpisodeCounts(self.metrics)
        counted.sums = {key: row for key, row in self._sums.items() if key[0][0] == domain}
        return Sample(counted)

    def of_repeat(self, repeat: int) -> Sample:
        """Return one repeat of all episodes, without the outcomes that were summed."""
        counted = EpisodeCounts(self.metrics)
        counted.sums = {key: row for key, row in self._sums.items() if key[1] == repeat}
        return Sample(counted)

    def values(self) -> dict[str, float]:
        """Return every metric that has enough behind it: the mean over the repeats."""
        import numpy as np

        found = self.metrics.values(self.counts.sum(axis=1))
        return {
            name: float(np.mean(values[~np.isnan(values)]))
            for name, values in found.items()
            if not np.isnan(values).all() and self._is_supported(name)
        }

    def behind(self, metric: str) -> tuple[float, float]:
        """Return a quotient's numerator and denominator, summed over all repeats."""
        columns = self.metrics.numerators(metric)
        if columns is None:
            raise ValueError(f"{metric} is no quotient")
        count, of = (float(self.counts[..., column].sum()) for column in columns)
        return count, of

    def _is_supported(self, metric: str) -> bool:
        """Whether a repeat has as many units, on average, as the metric needs."""
        least, columns = self.metrics.metrics[metric].least, self.metrics.numerators(metric)
        if least <= 1 or columns is None:
            return True
        units = self.counts[..., columns[1]].sum(axis=1)
        return bool(units[units > 0].mean() >= least)

    def domain_means(self) -> dict[str, float]:
        """Return the mean of every metric over the domains that have it."""
        by_domain = [self.of_domain(domain).values() for domain in self.domains]
        found: dict[str, float] = {}
        for name in self.metrics.metrics:
            known = [values[name] for values in by_domain if name in values]
            if known:
                found[name] = sum(known) / len(known)
        return found
