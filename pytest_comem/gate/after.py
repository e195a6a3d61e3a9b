"""A gate judged on a run that was written down."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_comem.baseline.standing import Baseline
from pytest_comem.engine.nodeids import label_in
from pytest_comem.engine.runs import RecordedRun, incomparable
from pytest_comem.errors import SettingsError
from pytest_comem.gate.checking import Known, check_rule, labels_of
from pytest_comem.gate.configuration import ON, GateConfiguration
from pytest_comem.gate.judging import judge
from pytest_comem.gate.played import recorded
from pytest_comem.gate.results import GateResult


def judge_recorded(
    run: RecordedRun, gate: GateConfiguration, against: RecordedRun | None
) -> GateResult:
    """Return what *gate* comes to on *run*.

    :param against: the baseline, or ``None``.
    :raises SettingsError: where a rule names what there is not, there is no rule, or the run cannot
        be compared with the baseline.
    """
    if not gate.rules:
        raise SettingsError(
            f"there is no rule; name one (--rule 'gatemem.MGS >= 0.30'), or leave --rule out and "
            f"write rules into [tool.comem.gate], as for --comem-gate {ON}"
        )
    if against is not None and (found := incomparable(against, run)):
        differing = "".join(f"\n  {line}" for line in found)
        raise SettingsError(f"{run.path} cannot be compared with {against.path}:{differing}")
    known = _known(run)
    for rule in gate.rules:
        check_rule(rule, known, baseline=against is not None)
    baseline = None if against is None else Baseline(against, _repeats(run))
    return judge(gate.rules, recorded(run), known, baseline, gate.inconclusive)


def _repeats(run: RecordedRun) -> int:
    return 1 + max((outcome.repeat for outcome in run.outcomes), default=0)


def _known(run: RecordedRun) -> Known:
    """Return what the run has: what never ran is known by its label alone."""
    named = run.manifest.get("systems")
    systems = list(dict.fromkeys([*(system for _, system, _ in run.rows), *(_texts(named))]))
    labels = {name: list(found) for name, found in labels_of(o.step for o in run.outcomes).items()}
    for node_id in run.unscored:
        label = label_in(node_id, tuple(systems))
        if label is not None:
            labels.setdefault(label, [label])
    domains: dict[str, dict[str, None]] = {}
    for suite in _texts(run.manifest.get("data")):
        domains.setdefault(suite, {})
    for outcome in run.outcomes:
        domains.setdefault(outcome.step.suite, {}).setdefault(outcome.step.domain)
    return Known({suite: list(found) for suite, found in domains.items()}, systems, labels)


def _texts(found: object) -> list[str]:
    return [str(name) for name in found] if isinstance(found, Mapping) else []
