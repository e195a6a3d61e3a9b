"""A rule that counts steps which have become worse, held against one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, final

from pytest_comem.baseline.changes import failures, in_class
from pytest_comem.baseline.evidence import LEVEL, Draws, grown
from pytest_comem.baseline.standing import Baseline, StepId, standings
from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import Row
from pytest_comem.gate.results import Result, Ruling
from pytest_comem.gate.rules import NoNew, Regressions
from pytest_comem.metrics.suites import suite_metrics

#: Steps that a reason names.
_NAMED: Final = 1


def counted(
    rule: NoNew | Regressions,
    row: Row,
    outcomes: Sequence[Outcome],
    baseline: Baseline,
    doubt: str,
) -> Counting | Ruling:
    """Return *rule* on *row*; where the baseline has no such row, that it cannot be judged.

    :param outcomes: of the row, in the rule's domain.
    :param doubt: why too few steps are scored to pass; empty where there are enough.
    """
    if row not in baseline:
        return Ruling(
            rule.written.text,
            row[1],
            row[2],
            Result.INCONCLUSIVE,
            baseline.lacks,
        )
    metrics = suite_metrics(row[0])
    there, now = baseline.steps(row), standings(outcomes, metrics)
    if isinstance(rule, NoNew):
        steps = in_class(there, now, rule.failure.text)
        return Counting(rule, row, steps, 0.0, baseline.drawn(row), doubt)
    steps = failures(there, now)
    compared = sum(1 for each in steps.values() if each.of_before and each.of_after)
    most = rule.most * compared if rule.share else rule.most
    return Counting(rule, row, steps, most, baseline.drawn(row), doubt)


@final
class Counting:
    """One rule on one row.

    :param steps: how often what is counted was seen of each step, before and now.
    :param most: steps that may have become worse.
    :param drawn: the row has repeats, before or now.
    :param doubt: why too few steps are scored to pass; empty where there are enough.
    """

    def __init__(
        self,
        rule: NoNew | Regressions,
        row: Row,
        steps: Mapping[StepId, Draws],
        most: float,
        drawn: bool,
        doubt: str,
    ) -> None:
        self._rule = rule
        self._row = row
        self._steps = steps
        self._most = most
        self._drawn = drawn
        self._doubt = doubt

    @property
    def uncertain(self) -> bool:
        """Whether draws decide, which may be unlucky; without repeats the steps are what they are.

        A step that the baseline does not know counts by itself.
        """
        return self._drawn and not self._certain

    def is_wrong(self, confidence: float) -> bool:
        """Whether too many steps have become worse by evidence at *confidence*."""
        return len(self._found(1 - confidence)) > self._most

    def ruling(self, fails: bool, tests: int) -> Ruling:
        """Return the ruling.

        :param fails: whether the rule fails after the correction for all rules.
        :param tests: how many rules were corrected for.
        """
        if self._certain or fails:
            return self._ruled(Result.FAIL, self._told())
        if self._doubt:
            return self._ruled(Result.INCONCLUSIVE, self._doubt)
        if self._drawn:
            if self.is_wrong(1 - LEVEL):
                return self._ruled(
                    Result.INCONCLUSIVE, f"{self._told()}, but not surely among {tests} rules"
                )
            if undecidable := [key for key, each in self._steps.items() if _too_few(each)]:
                return self._ruled(
                    Result.INCONCLUSIVE,
                    f"{_told_of(undecidable)}, with too few draws to tell; play more repeats",
                )
        return self._ruled(Result.PASS, self._told() or "none")

    @cached_property
    def _certain(self) -> bool:
        """Whether it fails whatever chance does."""
        if isinstance(self._rule, NoNew) and self._unknown:
            return True
        return not self._drawn and len(self._found(LEVEL)) > self._most

    @property
    def _unknown(self) -> list[StepId]:
        """The steps that the baseline does not know and that have what is not to be new."""
        return [key for key, each in self._steps.items() if not each.of_before and each.after]

    def _found(self, level: float) -> list[StepId]:
        return sorted(grown(self._steps, level, drawn=self._drawn))

    def _all(self) -> list[StepId]:
        unknown = self._unknown if isinstance(self._rule, NoNew) else []
        return sorted({*self._found(LEVEL), *unknown})

    def _told(self) -> str:
        return _told_of(self._all())

    def _ruled(self, result: Result, reason: str) -> Ruling:
        return Ruling(
            self._rule.written.text,
            self._row[1],
            self._row[2],
            result,
            reason,
            value=float(len(self._all())),
            bound=self._most,
            unit="steps",
        )


def _too_few(each: Draws) -> bool:
    return each.turned and not each.decidable


def _told_of(steps: Sequence[StepId]) -> str:
    """Return the first of *steps* by name, and how many more there are."""
    named = ", ".join(step for _, _, step in steps[:_NAMED])
    more = len(steps) - _NAMED
    return f"{named} and {more:,} more" if more > 0 else named
