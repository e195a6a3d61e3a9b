"""What a run means to play, in the form that a baseline and a gate are held against."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from pytest_comem.core.outcomes import Attribution, Failure
from pytest_comem.core.steps import model_labels
from pytest_comem.engine.runs import RecordedRun
from pytest_comem.gate.checking import Known, labels_of

if TYPE_CHECKING:
    from pytest_comem.materials import Materials

#: What the run is called beside a baseline's path.
_THIS_RUN: Final = "this run"


def as_run(materials: Materials) -> RecordedRun:
    """Return a run as if it had been recorded already, with one step of each suite.

    It has no outcome where nothing is to be played.
    """
    failure = Failure(Attribution.INFRASTRUCTURE, "harness", "not asked yet")
    firsts = [
        suite.unscored(steps[0], materials.systems[steps[0].system], failure)
        for parameter, suite in materials.suites.items()
        if (steps := materials.steps[parameter])
    ]
    data = {suite.name: suite.describe() for suite in materials.suites.values()}
    return RecordedRun(Path(_THIS_RUN), {"data": data}, tuple(firsts))


def known_of(materials: Materials) -> Known:
    """Return what rules may name in a run: of all its shards, so that they hold on each."""
    suites = list(materials.suites.values())
    systems = list(materials.systems.values())
    steps = [step for suite in suites for system in systems for step in suite.steps(system)]
    domains: dict[str, dict[str, None]] = {suite.name: {} for suite in suites}
    for step in steps:
        domains[step.suite].setdefault(step.domain)
    return Known(
        {suite: list(found) for suite, found in domains.items()},
        list(materials.systems),
        labels_of(steps),
        partly=bool(materials.settings.limit or materials.settings.domains),
    )


def models_by_label(materials: Materials) -> dict[str, str]:
    """Return the names of a run's models by their labels in steps."""
    labels = model_labels(materials.settings.models, list(materials.systems))
    return {label: name for name, label in labels.items()}
