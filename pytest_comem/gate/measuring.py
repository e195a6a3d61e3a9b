"""A rule about a metric, held against one row."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias, final

from pytest_comem.baseline.standing import Baseline
from pytest_comem.engine.runs import Row
from pytest_comem.gate.played import Played
from pytest_comem.gate.results import MORE, POINTS, Result, Ruling
from pytest_comem.gate.rules import MetricRule
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.paired import Difference, compare
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.statistics import CONFIDENCE
from pytest_comem.metrics.suites import PLAIN, suite_metrics

#: Percent below which two numbers are equal: what sums of fractions may be off by.
_EQUAL: Final = 1e-9
#: A row in one domain, or in all.
_Part: TypeAlias = tuple[Row, str | None]


class Interval(NamedTuple):
    """A value with its limits, in the unit of the metric."""

    value: float
    low: float
    high: float


@final
class Intervals:
    """The intervals of a run's metrics, each computed once: they come for all metrics together."""

    def __init__(self, run: Played, baseline: Baseline | None) -> None:
        self._run = run
        self._baseline = baseline
        self._samples: dict[_Part, Sample] = {}
        self._measured: dict[tuple[_Part, float], Mapping[str, Measured]] = {}
        self._compared: dict[tuple[_Part, float], Mapping[str, Difference]] = {}

    def lacks_before(self, row: Row) -> str:
        """Return that the baseline has not the row; empty where it has."""
        assert self._baseline is not None
        return "" if row in self._baseline else self._baseline.lacks

    def measured(self, row: Row, domain: str | None, confidence: float) -> Mapping[str, Measured]:
        """Return every metric of a row, in one domain or all."""
        part = (row, domain)
        if (part, confidence) not in self._measured:
            if part not in self._samples:
                metrics = suite_metrics(row[0])
                self._samples[part] = Sample.of(self._run.of(row, domain), metrics)
            found = measure(self._samples[part], confidence=confidence)
            self._measured[part, confidence] = found
        return self._measured[part, confidence]

    def compared(self, row: Row, domain: str | None, confidence: float) -> Mapping[str, Difference]:
        """Return every metric's difference to the baseline; none where it has not the row."""
        part = (row, domain)
        if (part, confidence) not in self._compared:
            known = {} if self._baseline is None else self._baseline.rows_of
            before = [
                each for each in known.get(row, ()) if domain is None or each.step.domain == domain
            ]
            now, metrics = self._run.of(row, domain), suite_metrics(row[0])
            paired = compare(before, now, metrics, confidence=confidence)
            self._compared[part, confidence] = paired.differences
        return self._compared[part, confidence]


@final
class Measuring:
    """One rule on one row; intervals are computed when they are needed.

    :param intervals: of the run.
    :param doubt: why too few steps are scored for any result; empty where there are enough.
    """

    def __init__(self, rule: MetricRule, row: Row, intervals: Intervals, doubt: str) -> None:
        self._rule = rule
        self._row = row
        self._info = suite_metrics(row[0]).metrics[rule.metric.text]
        self._intervals = intervals
        self._doubt = doubt or self._missing_baseline()
        self._sign = 1 if rule.at_least else -1

    @property
    def uncertain(self) -> bool:
        """Whether an interval decides."""
        return not self._doubt and self._interval is not None and not self._at_end_of_scale

    def is_wrong(self, confidence: float) -> bool:
        """Whether the interval at *confidence* lies wholly on the wrong side of the bound."""
        found = self._interval_at(confidence)
        assert found is not None
        best = found.high if self._rule.at_least else found.low
        return self._sign * (best - self._bound) < -_EQUAL

    def ruling(self, fails: bool, tests: int) -> Ruling:
        """Return the ruling.

        :param fails: whether the rule fails after the correction for all rules.
        :param tests: how many rules were corrected for.
        """
        found = self._interval
        if self._doubt or found is None:
            return self._ruled(Result.INCONCLUSIVE, self._doubt or self._unsupported)
        if self._at_end_of_scale:
            holds = self._sign * (found.value - self._bound) >= -_EQUAL
            reason = "no step is against it" if holds else "a step is enough against it"
            return self._ruled(Result.PASS if holds else Result.FAIL, reason)
        if fails:
            return self._ruled(Result.FAIL, f"the interval lies {self._wrong_side} the bound")
        worst = found.low if self._rule.at_least else found.high
        if self._sign * (worst - self._bound) >= -_EQUAL:
            return self._ruled(Result.PASS, f"the interval lies {self._right_side} the bound")
        if self._rule.bound.relative and self._sign * found.value >= -_EQUAL:
            return self._ruled(Result.PASS, "no worse than the baseline on the same steps")
        if self.is_wrong(CONFIDENCE):
            return self._ruled(
                Result.INCONCLUSIVE,
                f"{self._wrong_side} the bound, but not surely among {tests} rules (Holm)",
            )
        return self._ruled(Result.INCONCLUSIVE, f"the interval holds the bound{self._detectable}")

    @property
    def _bound(self) -> float:
        """The bound in the unit of the interval."""
        bound = self._rule.bound
        plain = bound.percent or self._info.kind in PLAIN
        return bound.value if plain else 100 * bound.value

    @property
    def _at_end_of_scale(self) -> bool:
        """Whether no interval can lie on the right side, or none on the wrong one."""
        if self._rule.bound.relative or self._info.kind == "mean":
            return False
        return self._bound in (0.0, 100.0)

    @property
    def _wrong_side(self) -> str:
        return "below" if self._rule.at_least else "above"

    @property
    def _right_side(self) -> str:
        return "at or above" if self._rule.at_least else "at or below"

    @property
    def _unsupported(self) -> str:
        """Why there is no value."""
        if self._info.least > 1:
            return f"fewer than {self._info.least} {self._info.unit} stand behind it"
        return "no step stands behind it"

    @cached_property
    def _interval(self) -> Interval | None:
        return self._interval_at(CONFIDENCE)

    def _interval_at(self, confidence: float) -> Interval | None:
        if self._rule.bound.relative:
            found = self._difference(confidence)
            return found and Interval(found.difference, found.low, found.high)
        every = self._intervals.measured(self._row, self._domain, confidence)
        measured = every.get(self._rule.metric.text)
        return measured and Interval(measured.value, measured.low, measured.high)

    def _difference(self, confidence: float) -> Difference | None:
        every = self._intervals.compared(self._row, self._domain, confidence)
        return every.get(self._rule.metric.text)

    @property
    def _domain(self) -> str | None:
        return self._rule.scope.domain and self._rule.scope.domain.text

    @cached_property
    def _detectable(self) -> str:
        if not self._rule.bound.relative:
            return ""
        found = self._difference(CONFIDENCE)
        unit = self._info.unit if self._info.kind in PLAIN else "points"
        return f"; {found.detectable:.1f} {unit} would show" if found else ""

    def _missing_baseline(self) -> str:
        if not self._rule.bound.relative:
            return ""
        return self._intervals.lacks_before(self._row)

    def _ruled(self, result: Result, reason: str) -> Ruling:
        found = self._interval if not self._missing_baseline() else None
        unit = self._info.unit if self._info.kind in PLAIN else "%"
        if self._rule.bound.relative:
            unit = f"{MORE}{unit}" if self._info.kind in PLAIN else POINTS
        return Ruling(
            self._rule.written.text,
            self._row[1],
            self._row[2],
            result,
            reason,
            value=found and found.value,
            low=found and found.low,
            high=found and found.high,
            bound=self._bound,
            unit=unit,
        )
