"""A run as a gate sees it, while pytest still goes on or read back from its directory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from pytest_comem.baseline.standing import row_of
from pytest_comem.core.outcomes import Outcome
from pytest_comem.core.steps import Step, model_labels, safe
from pytest_comem.engine.nodeids import label_in
from pytest_comem.engine.runs import RecordedRun, Row
from pytest_comem.metrics.quarantine import without_defective


@final
@dataclass(frozen=True)
class Played:
    """What was meant to be scored, and what came of it.

    :param outcomes: of every step that was recorded, by row, in any order.
    :param planned: how many steps were meant to be scored, by row and domain.
    :param references: rows of systems that see hidden annotations, which rules leave out.
    :param whole: false where nobody knows which steps never ran.
    """

    outcomes: Mapping[Row, Sequence[Outcome]]
    planned: Mapping[Row, Mapping[str, int]]
    references: frozenset[Row] = frozenset()
    whole: bool = True
    _cut: dict[tuple[Row, str | None], list[Outcome]] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> list[Row]:
        """Every row, in order of the plan."""
        return list(dict.fromkeys([*self.planned, *self.outcomes]))

    @cached_property
    def by_label(self) -> dict[str, Outcome]:
        """The outcomes by the label of their step."""
        return {each.step.label: each for found in self.outcomes.values() for each in found}

    def of(self, row: Row, domain: str | None = None) -> list[Outcome]:
        """Return the outcomes of a row, in one domain or all."""
        if (row, domain) not in self._cut:
            self._cut[row, domain] = [
                each
                for each in self.outcomes.get(row, ())
                if domain is None or each.step.domain == domain
            ]
        return self._cut[row, domain]

    def unscored(self, row: Row, domain: str | None = None) -> tuple[int, int]:
        """Return how many of the planned steps have no verdict, and how many were planned."""
        counts = self.planned.get(row, {})
        planned = sum(counts.values()) if domain is None else counts.get(domain, 0)
        found = self.of(row, domain)
        scored = sum(each.verdict is not None for each in found)
        planned = max(planned, len(found))
        return planned - scored, planned

    @property
    def scored(self) -> int:
        """Steps that have a verdict."""
        return sum(each.verdict is not None for found in self.outcomes.values() for each in found)


def played(
    outcomes: Iterable[Outcome],
    steps: Iterable[Step],
    models: Mapping[str, str],
    references: Iterable[str],
) -> Played:
    """Return a run that is ending.

    :param steps: those meant to be scored, in playing order.
    :param models: names of the models by their labels in steps.
    :param references: labels of systems that see hidden annotations.
    """
    planned: dict[Row, Counter[str]] = {}
    for step in steps:
        row = (step.suite, step.system, models.get(step.model, step.model))
        planned.setdefault(row, Counter())[step.domain] += 1
    seeing = frozenset(references)
    return Played(
        _by_row(outcomes),
        planned,
        frozenset(row for row in planned if row[1] in seeing),
    )


def recorded(run: RecordedRun) -> Played:
    """Return a run that was written down: steps that never ran stand in its manifest."""
    rows = _by_row(run.outcomes)
    planned = {row: Counter(each.step.domain for each in found) for row, found in rows.items()}
    labels = {each.step.label for each in run.outcomes}
    heads = _heads(run)
    for node_id in run.unscored:
        label = label_in(node_id, tuple({system for _, system, _ in heads.values()}))
        if label is None or label in labels:
            continue
        for head, row in sorted(heads.items(), key=lambda one: -len(one[0])):
            if label.startswith(head):
                counts = planned.setdefault(row, Counter())
                counts[_domain(label[len(head) :], counts)] += 1
                break
    return Played(
        rows,
        planned,
        frozenset(row for row, found in rows.items() if found[0].system.reference),
        whole=bool(run.finished) or not run.manifest,
    )


def _by_row(outcomes: Iterable[Outcome]) -> Mapping[Row, Sequence[Outcome]]:
    found: dict[Row, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(row_of(outcome), []).append(outcome)
    return without_defective(found)


def _heads(run: RecordedRun) -> dict[str, Row]:
    """Return the row of each beginning of a label, of rows of which nothing is recorded, too."""
    settings, systems = run.manifest.get("settings"), run.manifest.get("systems")
    found: dict[str, Row] = {}
    if isinstance(settings, Mapping) and isinstance(systems, Mapping):
        models = [str(name) for name in settings.get("models") or ()]
        data = run.manifest.get("data")
        suites = list(data) if isinstance(data, Mapping) else []
        for name, label in model_labels(models, list(systems)).items():
            for system in systems if len(suites) == 1 else ():
                found[_head(system, label)] = (suites[0], system, name)
    for outcome in run.outcomes:
        found[_head(outcome.step.system, outcome.step.model)] = row_of(outcome)
    return found


def _head(system: str, model: str) -> str:
    return "".join(f"{safe(part)}-" for part in (system, model) if part)


def _domain(rest: str, known: Iterable[str]) -> str:
    """Return the domain that the rest of a label begins with."""
    names = [name for name in known if rest.startswith(f"{safe(name)}-")]
    return max(names, key=len) if names else rest.partition("-")[0]
