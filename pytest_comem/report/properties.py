"""What JUnit XML and the manifest say about steps and systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from sys import intern
from typing import Any, Final, final

import pytest

from pytest_comem.core.outcomes import Outcome, Usage, plus
from pytest_comem.core.printable import printable
from pytest_comem.memory.registry import SystemUnderTest
from pytest_comem.metrics.comembench import SHARES, workflow_rows
from pytest_comem.metrics.contextweave import NO_RECALL
from pytest_comem.metrics.contextweave_counts import OFFICE
from pytest_comem.metrics.gatemem import METRICS
from pytest_comem.metrics.sheet import Sheet
from pytest_comem.metrics.workflow_plays import WORKFLOWS

#: A cost that contains an unknown price.
UNKNOWN: Final = "unknown"
_OURS: Final = "comem."
#: Names of those that no two steps have in common.
_OWN: Final = frozenset({"comem.key", "comem.step"})


def of(outcome: Outcome) -> list[tuple[str, object]]:
    """Return a step's properties for ``user_properties``."""
    found: dict[str, object] = {
        "comem.suite": outcome.step.suite,
        "comem.system": outcome.system.name,
        "comem.model": outcome.model,
        "comem.judge": outcome.judge,
        "comem.domain": outcome.step.domain,
        "comem.episode": outcome.step.episode,
        "comem.step": outcome.step.id,
        "comem.key": outcome.key,
        **{f"comem.{name}": value for name, value in outcome.labels.items() if value},
    }
    if outcome.step.repeat is not None:
        # As the step's id counts them.
        found["comem.repeat"] = outcome.step.repeat + 1
    found.update(_of_calls(outcome))
    if outcome.system.reference:
        found["comem.reference"] = True
    if outcome.reply is not None:
        found["comem.action"] = str(outcome.reply.action)
    if outcome.failure is not None:
        found["comem.failure"] = f"{outcome.failure.attribution}/{outcome.failure.type}"
    if outcome.notice is not None:
        found["comem.notice"] = outcome.notice
    if outcome.verdict is not None:
        for name, value in outcome.verdict.measures.items():
            if value is not None:
                found[f"comem.{name}"] = value
    return list(found.items())


def keep_where_they_count(report: pytest.TestReport) -> None:
    """Take ours off the report of a set-up that passed; those that follow have them.

    JUnit XML is written from the last one, and under pytest-xdist every one of them travels.
    """
    if report.when == "setup" and report.passed:
        report.user_properties = [
            one for one in report.user_properties if not one[0].startswith(_OURS)
        ]


@final
class SharedProperties:
    """Properties that many reports have, kept once.

    A report that comes from another process brings copies of its own of everything, and pytest
    keeps all reports to the end.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], tuple[str, object]] = {}

    def share(self, report: pytest.TestReport) -> None:
        """Replace ours on *report* by those that an earlier one had."""
        report.user_properties = [self._one(*each) for each in report.user_properties]

    def _one(self, name: str, value: object) -> tuple[str, object]:
        if not isinstance(value, str) or name in _OWN or not name.startswith(_OURS):
            return (intern(name), value)
        return self._known.setdefault((name, value), (intern(name), value))


def _of_calls(outcome: Outcome) -> dict[str, object]:
    """Return what the step's model calls came to; nothing where it made none."""
    total = Usage()
    for usage in outcome.usage.values():
        total = plus(total, usage)
    if not total.calls:
        return {}
    return {
        "comem.calls": total.calls,
        "comem.tokens": total.tokens,
        # US dollars.
        "comem.cost": UNKNOWN if total.cost is None else round(total.cost, 10),
        "comem.retries": total.retries,
    }


def of_sheet(sheet: Sheet) -> list[tuple[str, str]]:
    """Return a run's properties: each row's metrics in percent, and how many steps it scored."""
    found: list[tuple[str, str]] = []
    for (system, model), row in sorted(sheet, key=lambda one: one[0]):
        # A name stands in an attribute, which pytest does not clean of what XML has no form for.
        name = printable(f"comem.{system}.{model}")
        for metric in METRICS:
            if (value := row.overall.estimate(metric)) is not None:
                found.append((f"{name}.{metric}", f"{value.mean:.4f}"))
        found.append((f"{name}.scored", str(row.overall.scored)))
        found.append((f"{name}.unscored", str(row.unscored)))
    return [*found, *_of_workflows(sheet), *_of_tasks(sheet)]


def _of_workflows(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Yield CoMemBench's metrics with their denominators, percent, and mean tokens."""
    for (system, model), row in sorted(workflow_rows(sheet.workflows).items()):
        name = printable(f"comem.{WORKFLOWS}.{system}.{model}")
        for metric in SHARES:
            ratio = row.overall.ratio(metric)
            if ratio.value is not None:
                yield (f"{name}.{metric}", f"{ratio.value:.4f}")
            yield (f"{name}.{metric}.of", str(ratio.of))
        if (tokens := row.overall.tokens.mean) is not None:
            yield (f"{name}.tokens", f"{tokens:.4f}")
        yield (f"{name}.broken", str(len(row.overall.broken)))
    if sheet.workflows.quarantined:
        yield (f"comem.{WORKFLOWS}.quarantined", printable(" ".join(sheet.workflows.quarantined)))


def _of_tasks(sheet: Sheet) -> Iterator[tuple[str, str]]:
    """Yield ContextWeave's metrics, also those of the runs without recall, and scored tasks."""
    alone = {(NO_RECALL, model): row for model, row in sheet.tasks.without_recall().items()}
    for (system, model), row in sorted({**alone, **sheet.tasks.rows()}.items()):
        name = printable(f"comem.{OFFICE}.{system}.{model}")
        for metric, value in row.overall.values().items():
            yield (f"{name}.{metric}", f"{value:.4f}")
        yield (f"{name}.scored", str(row.scored))
    if sheet.tasks.quarantined:
        yield (f"comem.{OFFICE}.quarantined", printable(" ".join(sheet.tasks.quarantined)))


def of_system(system: SystemUnderTest) -> dict[str, Any]:
    """Return what the manifest says about a memory system."""
    capabilities = system.capabilities
    return {
        **asdict(system.info),
        "capabilities": asdict(capabilities),
        "options": dict(system.options),
        "embedder": system.workshop.embedder.name if capabilities.needs_embedder else None,
        "model": system.workshop.endpoint.chat_model if capabilities.needs_model else None,
    }
