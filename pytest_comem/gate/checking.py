"""Rules held against what there is, before anything is played: suites, metrics, systems, steps."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from pytest_comem.core.steps import Step
from pytest_comem.engine.nodeids import label_in
from pytest_comem.gate.rules import (
    Bound,
    MetricRule,
    Name,
    NoNew,
    Pin,
    Rule,
    Scope,
    Written,
    needs_baseline,
)
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics
from pytest_comem.suggest import did_you_mean

_PARTS: Final = ("proportion", "fraction", "product")
#: Of scores.
_HIGHEST: Final = 100
#: Characters of a wrong name that a message repeats.
_LONGEST: Final = 60


@final
@dataclass(frozen=True, slots=True)
class Known:
    """What rules may name.

    :param domains: names of the domains by suite.
    :param systems: labels of the memory systems.
    :param labels: labels of every step there is, by a label without the repeat.
    :param partly: the data is only a part of a benchmark's, so that other steps exist.
    """

    domains: Mapping[str, Collection[str]]
    systems: Sequence[str]
    labels: Mapping[str, Sequence[str]]
    partly: bool = False


def labels_of(steps: Iterable[Step]) -> dict[str, list[str]]:
    """Return the labels of *steps*: each by itself, and all repeats by the label without one."""
    found: dict[str, list[str]] = {}
    for step in steps:
        for label in dict.fromkeys((step.label, replace(step, repeat=None).label)):
            found.setdefault(label, []).append(step.label)
    return found


def check_rule(rule: Rule, known: Known, *, baseline: bool) -> None:
    """Check every name and number of *rule*.

    :param baseline: whether there is one.
    :raises RuleError: naming the rule, the column and the nearest names.
    """
    written = rule.written
    if needs_baseline(rule) and not baseline:
        raise written.error(
            rule.bound.column if isinstance(rule, MetricRule) else 0,
            "there is no baseline to hold the run against; name one "
            "(--comem-baseline FILE, or baseline of tool.comem.gate)",
        )
    if isinstance(rule, Pin):
        _check_pin(rule, known)
        return
    _check_scope(rule.scope, known, written)
    if isinstance(rule, MetricRule):
        metrics = suite_metrics(_text(rule.scope.suite))
        _require(rule.metric, list(metrics.metrics), f"metric of {metrics.suite}", written)
        _check_bound(rule.bound, metrics, rule)
    if isinstance(rule, NoNew):
        metrics = suite_metrics(_text(rule.scope.suite))
        what = f"class of failures of {metrics.suite}"
        _require(rule.failure, metrics.failure_classes, what, written)


def steps_pinned(rule: Pin, known: Known) -> Sequence[str]:
    """Return the labels of the steps that *rule* pins: one, or all of its repeats."""
    label = label_in(rule.node_id.text, tuple(known.systems))
    return known.labels.get(label or "", ())


def _check_scope(scope: Scope, known: Known, written: Written) -> None:
    if scope.suite is not None:
        _require(scope.suite, list(known.domains), "suite of this run", written)
    if scope.system is not None:
        _require(scope.system, known.systems, "memory system of this run", written)
    if scope.domain is not None:
        domains = known.domains[_text(scope.suite)]
        _require(scope.domain, domains, f"domain of {_text(scope.suite)}'s data", written)


def _check_bound(bound: Bound, metrics: SuiteMetrics, rule: MetricRule) -> None:
    kind = metrics.metrics[rule.metric.text].kind
    size = abs(bound.value)
    if bound.value < 0 and not bound.relative and kind != "mean":
        raise rule.written.error(bound.column, f"{rule.metric.text} is never below 0")
    if kind not in _PARTS:
        if bound.percent:
            raise rule.written.error(bound.column, f"{rule.metric.text} is no percentage")
        if kind == "score" and size > _HIGHEST:
            raise rule.written.error(
                bound.column, f"{rule.metric.text} is between 0 and {_HIGHEST}, and not {size:g}"
            )
        return
    if size > (100 if bound.percent else 1):
        told = f"{size:g} is {size if bound.percent else 100 * size:g} %"
        instead = "" if bound.percent else f"; write {size:g}% or a fraction, such as 0.30"
        raise rule.written.error(
            bound.column, f"{rule.metric.text} is between 0 and 100 %, and {told}{instead}"
        )


def _check_pin(rule: Pin, known: Known) -> None:
    if steps_pinned(rule, known):
        return
    place, bracket, rest = rule.node_id.text.partition("[")
    label, column = rest.removesuffix("]"), rule.node_id.column + len(place) + len(bracket)
    if label_in(rule.node_id.text, tuple(known.systems)) is None:
        systems = ", ".join(known.systems)
        raise rule.written.error(
            column, f"the step is of none of this run's memory systems ({systems})"
        )
    if not known.partly:
        raise rule.written.error(
            column, f"no step of the suite is called so; {_nearest(label, known.labels)}"
        )


def _nearest(label: str, labels: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(label, list(labels), n=2)
    return f"did you mean {' or '.join(near)}?" if near else "copy it from pytest's output"


def _require(name: Name, known: Collection[str], what: str, written: Written) -> None:
    if name.text not in known:
        nearest = did_you_mean(name.text, known) if known else "there is none."
        raise written.error(name.column, f"{_cut(name.text)!r} is no {what}; {nearest}")


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."


def _text(name: Name | None) -> str:
    assert name is not None
    return name.text
