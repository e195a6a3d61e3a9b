"""Rules judged on a run.

A metric has an interval. A rule about it

* fails where the interval lies wholly on the wrong side of its bound,
* passes where it lies on the right side,
* is inconclusive otherwise, and where too many steps are unscored.

At an end of the scale (``F <= 0%``, ``U >= 100%``) no interval can lie on the right side: there the
steps themselves decide, and one violation is enough.

A rule about the baseline is judged by the interval of the paired difference. It also passes where
the value is no worse than the baseline's on the same steps, whatever the interval: a change that
changes nothing, or improves, is no reason to stop. So ``>= baseline - 2%`` fails where the loss is
surely more than 2 points, passes where it is surely less or there is none, and is inconclusive
where a loss was measured and may be more.

Over all rules of a gate a run that is as good as its bounds fails in at most 5 % of cases: a rule
fails only at the confidence of Holm's step-down procedure ("A simple sequentially rejective
multiple test procedure", Scandinavian Journal of Statistics 6, 1979).
What passes is judged at 95 %.

Rules that count steps (``regressions``, ``no new``) decide by the steps, with repeats by evidence
(:mod:`pytest_comem.baseline.evidence`). A rule about unscored steps never fails: trouble around the
memory is no result of the memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, final

from pytest_comem.baseline.standing import Baseline, step_id
from pytest_comem.engine.runs import Row
from pytest_comem.gate.checking import Known, steps_pinned
from pytest_comem.gate.counting import Counting, counted
from pytest_comem.gate.measuring import Intervals, Measuring
from pytest_comem.gate.played import Played
from pytest_comem.gate.results import GateResult, Result, Ruling
from pytest_comem.gate.rules import (
    MetricRule,
    NoNew,
    Pin,
    Regressions,
    Rule,
    Scope,
    Unscored,
    needs_baseline,
)
from pytest_comem.settings import INCONCLUSIVE_AS

#: Part of the steps that may be unscored where no rule says otherwise.
UNSCORED: Final = 0.05
#: Chance of a failing rule in a run that is as good as its bounds.
ERROR: Final = 0.05


def judge(
    rules: Sequence[Rule],
    run: Played,
    known: Known,
    baseline: Baseline | None,
    inconclusive: str = INCONCLUSIVE_AS[0],
) -> GateResult:
    """Return what *rules*, which have been checked, come to on *run*.

    :param known: what there is to pin.
    :param inconclusive: what an inconclusive gate counts as.
    """
    found = list(_Judge(rules, run, known, baseline).rulings())
    return GateResult(tuple(found), run.scored, inconclusive)


@final
class _Judge:
    """All rules of one gate, on one run."""

    def __init__(
        self, rules: Sequence[Rule], run: Played, known: Known, baseline: Baseline | None
    ) -> None:
        self._rules = rules
        self._run = run
        self._known = known
        self._baseline = baseline
        self._intervals = Intervals(run, baseline)

    def rulings(self) -> Iterator[Ruling]:
        plan: list[Ruling | Measuring | Counting] = []
        for rule in self._rules:
            if isinstance(rule, Pin):
                plan.append(self._pin(rule))
            else:
                plan.extend(self._of_rows(rule))
        tests = [one for one in plan if not isinstance(one, Ruling) and one.uncertain]
        failing = step_down(tests)
        for one in plan:
            yield one if isinstance(one, Ruling) else one.ruling(id(one) in failing, len(tests))

    def _of_rows(
        self, rule: MetricRule | NoNew | Unscored | Regressions
    ) -> Iterator[Ruling | Measuring | Counting]:
        rows = [row for row in self._run.rows if self._concerns(rule.scope, row)]
        if not rows:
            yield Ruling(
                rule.written.text, "", "", Result.INCONCLUSIVE, "the run has no step of this"
            )
        for row in rows:
            domain = rule.scope.domain.text if rule.scope.domain else None
            doubt = self._doubt(row, domain)
            if not isinstance(rule, Unscored | NoNew) and needs_baseline(rule):
                doubt = doubt or self._unknown(row, domain)
            if isinstance(rule, Unscored):
                yield self._unscored(rule, row)
            elif isinstance(rule, MetricRule):
                yield Measuring(rule, row, self._intervals, doubt)
            else:
                assert self._baseline is not None
                yield counted(rule, row, self._run.of(row, domain), self._baseline, doubt)

    def _concerns(self, scope: Scope, row: Row) -> bool:
        suite, system, _ = row
        if scope.suite is not None and scope.suite.text != suite:
            return False
        if scope.system is not None:
            return scope.system.text == system
        return row not in self._run.references

    def _doubt(self, row: Row, domain: str | None) -> str:
        """Return why nothing can pass on so few scored steps; empty where enough are scored."""
        unscored, planned = self._run.unscored(row, domain)
        if unscored == planned:
            return "nothing was scored"
        if not self._run.whole:
            return "the run was not finished"
        if unscored > self._allowed(row) * planned:
            return f"{unscored:,} of {planned:,} steps are unscored"
        return ""

    def _unknown(self, row: Row, domain: str | None) -> str:
        """Return that the baseline has no verdict on too many steps; empty where it has."""
        if self._baseline is None or row not in self._baseline:
            return ""
        there = self._baseline.steps(row)
        now = {step_id(each) for each in self._run.of(row, domain) if each.verdict is not None}
        known = sum(step in there and there[step].scored > 0 for step in now)
        if len(now) - known > self._allowed(row) * len(now):
            return f"the baseline has a verdict on {known:,} of {len(now):,} steps only"
        return ""

    def _allowed(self, row: Row) -> float:
        limits = [
            rule.most
            for rule in self._rules
            if isinstance(rule, Unscored) and self._concerns(rule.scope, row)
        ]
        return min(limits, default=UNSCORED)

    def _unscored(self, rule: Unscored, row: Row) -> Ruling:
        unscored, planned = self._run.unscored(row)
        share = 100 * unscored / planned if planned else 100.0
        enough = unscored <= rule.most * planned and planned > 0 and self._run.whole
        reason = f"{unscored:,} of {planned:,} steps are unscored"
        if not self._run.whole:
            reason = "the run was not finished"
        return Ruling(
            rule.written.text,
            row[1],
            row[2],
            Result.PASS if enough and unscored < planned else Result.INCONCLUSIVE,
            reason,
            value=share,
            bound=100 * rule.most,
            unit="%",
        )

    def _pin(self, rule: Pin) -> Ruling:
        labels = steps_pinned(rule, self._known)
        found = [self._run.by_label.get(label) for label in labels]
        failed = [one for one in found if one is not None and one.verdict and not one.passed]
        system = next((one.system.name for one in found if one is not None), "")
        model = next((one.model for one in found if one is not None), "")
        if failed:
            times = f" in {len(failed)} of {len(found)} repeats" if len(found) > 1 else ""
            return Ruling(rule.written.text, system, model, Result.FAIL, f"it fails{times}")
        if not found or not any(found):
            result, reason = Result.INCONCLUSIVE, "the step is not in this run"
        elif all(one is not None and one.verdict for one in found):
            result, reason = Result.PASS, "it passes"
        else:
            result, reason = Result.INCONCLUSIVE, "the step is unscored"
        return Ruling(rule.written.text, system, model, result, reason)


def step_down(tests: Sequence[Measuring | Counting]) -> set[int]:
    """Return the identities of the tests that fail, by Holm's procedure on nested intervals."""
    failing: set[int] = set()
    while len(failing) < len(tests):
        confidence = 1 - ERROR / (len(tests) - len(failing))
        more = {id(test) for test in tests if id(test) not in failing and test.is_wrong(confidence)}
        if not more:
            break
        failing |= more
    return failing
