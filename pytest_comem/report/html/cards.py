"""The scorecards: metrics with intervals, counts, costs, and failures by kind of step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.metrics.comembench import workflow_rows
from pytest_comem.metrics.contextweave import NO_RECALL, TaskSheet
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import SuiteMetrics
from pytest_comem.metrics.workflow_plays import WORKFLOWS, WorkflowSheet, handoff_of
from pytest_comem.report.html.planes import planes_of
from pytest_comem.report.html.steps import usage_row
from pytest_comem.report.html.table import Table, plain
from pytest_comem.report.office_rows import STRATUM_RESAMPLES

#: Reasons why steps are unscored that are told of one card.
_MOST_REASONS: Final = 8
#: Labels that failures are broken down by, with what to call them.
BREAKDOWNS: Final = {
    "attack_type": "attack type",
    "operator": "pollution operator",
    "topology": "topology",
    "participant": "participant",
    "activities": "activity",
    "distance": "distance",
    "project": "project",
}
#: What a suite's rows are divided by, where it is not the domain alone.
_DIVIDED: Final = {
    WORKFLOWS: "By domain, topology and operator",
    OFFICE: "Without recall, and by kind of task",
}


def suites_of(table: Table) -> list[dict[str, Any]]:
    """Return what each suite's metrics are."""
    found = []
    for name in table.suites:
        metrics = table.metrics(name)
        infos = metrics.metrics.values() if metrics else ()
        found.append(
            {
                "name": name,
                "metrics": [
                    {
                        "name": info.name,
                        "title": info.title,
                        "higher": info.higher_is_better,
                        "kind": info.kind,
                        "unit": info.unit,
                        "digits": info.digits,
                        "signed": info.signed,
                        "diagnostic": info.diagnostic,
                    }
                    for info in infos
                ],
                "classes": list(metrics.failure_classes) if metrics else [],
                "cluster": metrics.cluster if metrics else "",
                "planes": planes_of(name, _handoff(table, name)),
                "divided": _DIVIDED.get(name, "By domain"),
            }
        )
    return found


def cards_of(table: Table) -> list[dict[str, Any]]:
    """Return a card for every run and row."""
    found = []
    for run, number, row in table.places():
        outcomes = table.outcomes(run, row)
        metrics = table.metrics(row.suite)
        system = outcomes[0].system
        found.append(
            {
                "run": run,
                "row": number,
                "version": system.version,
                "reference": system.reference,
                "topK": system.top_k,
                "steps": len(outcomes),
                "scored": sum(each.verdict is not None for each in outcomes),
                "passed": sum(each.passed for each in outcomes),
                "unscored": _reasons(outcomes),
                "notices": sorted({each.notice for each in outcomes if each.notice}),
                "scopes": _scopes(outcomes, metrics) if metrics else [],
                "usage": [usage_row(*one) for one in _by_phase(outcomes).items()],
            }
        )
    return found


def breakdowns_of(table: Table) -> list[dict[str, Any]]:
    """Return how many steps of each kind failed, for every label there is a breakdown by."""
    found = []
    for label, title in BREAKDOWNS.items():
        counted = {
            (run, number): _failed_by(label, table.outcomes(run, row))
            for run, number, row in table.places()
        }
        kinds = sorted({kind for counts in counted.values() for kind in counts})
        if kinds:
            cells = [
                [run, row, [counts.get(kind) for kind in kinds]]
                for (run, row), counts in counted.items()
            ]
            found.append({"label": label, "title": title, "kinds": kinds, "cells": cells})
    return found


def _failed_by(label: str, outcomes: Sequence[Outcome]) -> dict[str, list[int]]:
    """Return failed and scored steps by the value of *label*."""
    counts: dict[str, list[int]] = {}
    for outcome in outcomes:
        if outcome.verdict is None:
            continue
        # A workflow has several topologies.
        for kind in filter(None, outcome.labels.get(label, "").split(",")):
            count = counts.setdefault(kind, [0, 0])
            count[0] += not outcome.passed
            count[1] += 1
    return counts


def _handoff(table: Table, suite: str) -> str:
    """Return who delivers inputs where the first run has workflows; empty elsewhere."""
    if suite != WORKFLOWS:
        return ""
    run, _, row = next(place for place in table.places() if place[2].suite == suite)
    return handoff_of(table.outcomes(run, row)[0])


def _reasons(outcomes: Sequence[Outcome]) -> list[list[Any]]:
    """Return why steps are unscored, the most frequent first, with their numbers."""
    kinds = Counter(
        f"{each.failure.attribution}/{each.failure.type}" if each.failure else "unknown"
        for each in outcomes
        if each.verdict is None
    )
    return [list(one) for one in kinds.most_common(_MOST_REASONS)]


def _scopes(outcomes: Sequence[Outcome], metrics: SuiteMetrics) -> list[dict[str, Any]]:
    """Return the metrics of all steps, of each domain, and the mean of the domains."""
    sample = Sample.of(outcomes, metrics)
    domains = list(dict.fromkeys(each.step.domain for each in outcomes))
    found = [_scope("all steps", "all", sample.scored, measure(sample))]
    if len(domains) > 1:
        for domain in domains:
            part = sample.only(domain=domain)
            found.append(_scope(domain, "domain", part.scored, measure(part)))
    if len(domains) > 1 and metrics.by_domain_mean:
        means = measure(sample, by_domain_mean=True)
        found.append(_scope("mean of domains", "mean", sample.scored, means))
    if metrics.suite == WORKFLOWS:
        found.extend(_strata(outcomes))
    if metrics.suite == OFFICE:
        found.extend(_of_tasks(outcomes))
    return found


def _strata(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the metrics of a row's workflows by topology and operator."""
    for row in workflow_rows(WorkflowSheet(outcomes)).values():
        for kind in ("topology", "operator"):
            for name, figures in row.strata()[kind].items():
                instances = round(figures.sample.behind("VNCR")[1])
                found = measure(figures.sample)
                yield _scope(f"{kind}: {name}", kind, instances, found)


def _of_tasks(outcomes: Sequence[Outcome]) -> Iterator[dict[str, Any]]:
    """Yield the metrics of the same tasks without recall, and those of the row's strata."""
    sheet = TaskSheet(outcomes)
    for row in sheet.without_recall().values():
        yield _scope(NO_RECALL, "alone", row.scored, measure(row.overall))
    for row in sheet.rows().values():
        for kind, parts in row.strata.items():
            for name, sample in parts.items() if len(parts) > 1 else ():
                tasks = round(sample.behind("Workspace")[1])
                measured = measure(sample, resamples=STRATUM_RESAMPLES)
                yield _scope(f"{kind}: {name}", kind, tasks, measured)


def _scope(name: str, kind: str, scored: int, found: dict[str, Measured]) -> dict[str, Any]:
    return {
        "name": name,
        "kind": kind,
        "scored": scored,
        "metrics": {
            metric: [plain(one.value), plain(one.low), plain(one.high), one.of, one.method]
            for metric, one in found.items()
        },
    }


def _by_phase(outcomes: Sequence[Outcome]) -> dict[str, Usage]:
    phases: dict[str, Usage] = {}
    for outcome in outcomes:
        for phase, usage in outcome.usage.items():
            phases[phase] = plus(phases.get(phase, Usage()), usage)
    return phases
