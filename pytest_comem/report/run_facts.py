"""Everything that a run's report says, as plain values: what its JSON and CSV are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.engine.runs import RecordedRun, Row
from pytest_comem.metrics.comembench import SHARES, WorkflowFigures, workflow_rows
from pytest_comem.metrics.contextweave import TaskSheet
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.intervals import Measured, measure
from pytest_comem.metrics.quarantine import defects, without_defective
from pytest_comem.metrics.sample import Sample
from pytest_comem.metrics.suites import SuiteMetrics, suite_metrics
from pytest_comem.metrics.workflow_plays import WORKFLOWS, WorkflowSheet, handoff_of
from pytest_comem.report.comparison_json import paper_as_json
from pytest_comem.report.metric_facts import measured
from pytest_comem.report.office_facts import add_tasks
from pytest_comem.report.paper import PaperRows
from pytest_comem.report.run_blocks import gate_of
from pytest_comem.report.trade_off import TradeOff, sharing_metric, sharing_plane, trade_offs
from pytest_comem.report.workflow_blocks import excluded_families


def run_facts(run: RecordedRun, paper: PaperRows | None = None) -> dict[str, Any]:
    """Return a run as JSON can hold it; what is not defined is ``None``.

    :param paper: rows of a paper to be shown as well.
    """
    rows = without_defective(run.rows)
    gate = gate_of(run)
    return {
        "run": str(run.path),
        "finished": bool(run.finished),
        "ended": run.finished.get("ended"),
        "suites": [
            _suite(suite, {row: found for row, found in rows.items() if row[0] == suite})
            for suite in run.suites
        ],
        "unscored": run.unscored,
        "quarantined": defects(run.outcomes),
        "excluded": excluded_families(run.manifest),
        "gate": gate and gate.as_json(),
        **({"paper": paper_as_json(paper)} if paper else {}),
    }


def _suite(suite: str, rows: Mapping[Row, Sequence[Outcome]]) -> dict[str, Any]:
    metrics = suite_metrics(suite)
    first = next(iter(rows.values()))[0]
    found: dict[str, Any] = {
        "name": suite,
        "data": first.data,
        "judge": first.judge,
        "scoring": first.scoring,
        "cluster": metrics.cluster,
        "metrics": {name: asdict(info) for name, info in metrics.metrics.items()},
        "rows": [_row(row, outcomes, metrics) for row, outcomes in rows.items()],
    }
    if suite == WORKFLOWS:
        _add_workflows(found, rows, handoff_of(first))
    if suite == OFFICE:
        add_tasks(found, TaskSheet(each for outcomes in rows.values() for each in outcomes))
    return found


def _row(row: Row, outcomes: Sequence[Outcome], metrics: SuiteMetrics) -> dict[str, Any]:
    sample = Sample.of(outcomes, metrics)
    names = sorted({each.step.domain for each in outcomes if each.verdict is not None})
    parts = {name: sample.only(domain=name) for name in names}
    means = (
        measure(sample, by_domain_mean=True)
        if metrics.by_domain_mean and len(sample.domains) > 1
        else {}
    )
    return {
        "system": row[1],
        "model": row[2],
        "reference": outcomes[0].system.reference,
        "steps": len(outcomes),
        "scored": sample.scored,
        "passed": sum(each.passed for each in outcomes),
        "metrics": measured(measure(sample), sample),
        "domains": {
            name: measured(measure(part), part) for name, part in parts.items() if part.episodes
        },
        **({"domain_mean": measured(means)} if means else {}),
        "failures": [
            {
                "step": each.step.label,
                "class": metrics.failure_class(each) or "failed",
                "reason": each.reason,
            }
            for each in outcomes
            if each.verdict is not None and not each.passed
        ],
        "usage": {phase: asdict(usage) for phase, usage in _usage(outcomes).items()},
    }


def _usage(outcomes: Sequence[Outcome]) -> dict[str, Usage]:
    found: dict[str, Usage] = {}
    for outcome in outcomes:
        for phase, usage in outcome.usage.items():
            found[phase] = plus(found.get(phase, Usage()), usage)
    return found


def _add_workflows(
    suite: dict[str, Any], rows: Mapping[Row, Sequence[Outcome]], handoff: str
) -> None:
    """Add to CoMemBench's rows their strata, tokens, places in the trade-off and broken plays."""
    figures = workflow_rows(WorkflowSheet(each for found in rows.values() for each in found))
    places = trade_offs(
        [(system, measure(one.overall.sample)) for (system, _), one in figures.items()],
        sharing_plane(handoff),
    )
    suite["handoff"] = handoff
    for (name, one), place in zip(figures.items(), places, strict=True):
        row = next(each for each in suite["rows"] if (each["system"], each["model"]) == name)
        row["strata"] = {
            kind: {stratum: _stratum(part) for stratum, part in parts.items()}
            for kind, parts in one.strata().items()
        }
        row["tokens"] = asdict(one.overall.tokens)
        row["trade_off"] = _place(place, handoff)
        row["broken"] = dict(one.overall.broken)


def _stratum(figures: WorkflowFigures) -> dict[str, Any]:
    found = measure(figures.sample)
    return {name: dict(_share(name, figures, found.get(name))) for name in SHARES}


def _share(
    name: str, figures: WorkflowFigures, found: Measured | None
) -> Iterator[tuple[str, float | None]]:
    ratio = figures.ratio(name)
    yield from (("value", ratio.value), ("count", ratio.count), ("of", ratio.of))
    yield from (("low", found and found.low), ("high", found and found.high))


def _place(place: TradeOff, handoff: str) -> dict[str, Any]:
    return {
        "sharing_metric": sharing_metric(handoff),
        "sharing": place.across and asdict(place.across),
        "isolation": place.up and asdict(place.up),
        "ahead": place.ahead,
    }
