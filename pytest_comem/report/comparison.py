"""Runs compared row by row: the figures behind every form of ``comem compare``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.engine.runs import RecordedRun, Row, incomparable
from pytest_comem.errors import SettingsError
from pytest_comem.metrics.paired import Difference, Flip, McNemar, compare
from pytest_comem.metrics.quarantine import without_defective
from pytest_comem.metrics.sample import StepKey, step_key
from pytest_comem.metrics.suites import MetricInfo, suite_metrics
from pytest_comem.report.pairing import Name, Pairing, pair_rows, pair_within
from pytest_comem.report.spending import Spent, spent_in_both

#: Where a run is, and its outcomes by row.
_Recorded: TypeAlias = tuple[Path, Mapping[Row, Sequence[Outcome]]]
#: A difference counts as one where its corrected p is below this.
SIGNIFICANT: Final = 0.05
#: What flips are grouped by: the domain, and labels of steps.
GROUPINGS: Final[Mapping[str, str]] = {
    "attack_type": "attack type",
    "operator": "pollution operator",
    "topology": "topology",
    "participant": "participant",
    "activities": "activity",
    "distance": "distance",
    "project": "project",
    "domain": "domain",
}
#: Labels that say what kind of step it is, the most telling first.
_KINDS: Final = ("attack_type", "operator", "condition", "category", "activities")


@final
@dataclass(frozen=True, slots=True)
class Side:
    """One of the two rows.

    :param run: the run it is of.
    :param system: the memory system.
    :param model: who answered.
    :param reference: the system sees hidden annotations.
    :param steps: number of steps recorded.
    :param unscored: why steps have no verdict, by label.
    """

    run: Path
    system: str
    model: str
    reference: bool
    steps: int
    unscored: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.system} with {self.model}"


@final
@dataclass(frozen=True, slots=True)
class Compared:
    """Two rows of one suite.

    :param common: number of steps scored in both; all figures are of these.
    :param episodes: number of episodes these steps are of.
    :param clusters: number of what is drawn as a whole: GateMem's episodes, CoMemBench's families,
        ContextWeave's tasks.
    :param differences: by metric, in the suite's order.
    :param flips: steps with another result, lost ones first.
    :param only_before: labels of the steps scored in the first row only.
    """

    suite: str
    before: Side
    after: Side
    common: int
    episodes: int
    clusters: int
    differences: Mapping[str, Difference]
    metrics: Mapping[str, MetricInfo]
    flips: tuple[Flip, ...]
    mcnemar: McNemar
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    spent: tuple[Spent, ...]

    @property
    def lost(self) -> tuple[Flip, ...]:
        """Steps that pass in the first row and fail in the second."""
        return tuple(flip for flip in self.flips if flip.before)

    @property
    def gained(self) -> tuple[Flip, ...]:
        """Steps that fail in the first row and pass in the second."""
        return tuple(flip for flip in self.flips if flip.after)

    def verdict(self, metric: str) -> str:
        """Return ``better`` or ``worse`` where a difference is significant, else nothing."""
        found, higher = self.differences[metric], self.metrics[metric].higher_is_better
        if not found.p_holm < SIGNIFICANT or not found.difference or higher is None:
            return ""
        return "better" if (found.difference > 0) is higher else "worse"


@final
@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that was compared.

    :param runs: as they were named.
    :param rows: each pair of rows.
    :param notes: what could not be compared, a line each.
    """

    runs: tuple[Path, ...]
    rows: tuple[Compared, ...]
    notes: tuple[str, ...]


def compare_runs(runs: Sequence[RecordedRun], wanted: Sequence[str] = ()) -> Comparison:
    """Compare each run with the first; of a single run, each row with the first.

    :param wanted: rows as the user named them, see :func:`pytest_comem.report.pairing.pair_rows`.
    :raises SettingsError: where data or scoring differ, saying everything that does; where it is
        not clear which rows belong together; where two rows have no scored step in common.
    """
    first, others = runs[0], runs[1:]
    _refuse_others(first, others)
    rows: list[Compared] = []
    notes: list[str] = []
    for second in others or [first]:
        before, after = without_defective(first.rows), without_defective(second.rows)
        for suite in (name for name in first.suites if name in second.suites):
            found = (
                pair_rows(first, second, suite, wanted)
                if others
                else pair_within(first, suite, wanted)
            )
            notes.extend(found.alone)
            sides = ((first.path, before), (second.path, after))
            rows.extend(_compare_rows(sides, suite, found))
    if not rows:
        raise SettingsError(f"{first.path} holds no outcome to compare")
    notes.extend(
        f"{run.path} was not finished"
        for run in runs
        if "finished" in run.manifest and not run.finished
    )
    notes.extend(
        f"{run.path} was ended early: {run.finished['ended']}"
        for run in runs
        if run.finished.get("ended")
    )
    return Comparison(tuple(run.path for run in runs), tuple(rows), tuple(dict.fromkeys(notes)))


def grouped(flips: Iterable[Flip], by: str) -> dict[str, tuple[int, int]]:
    """Return how many steps were lost and gained in each group, by name of the group.

    :param by: one of :data:`GROUPINGS`; steps without such a label are left out.
    """
    found: dict[str, tuple[int, int]] = {}
    for flip in flips:
        for group in groups_of(flip, by):
            lost, gained = found.get(group, (0, 0))
            found[group] = (lost + flip.before, gained + flip.after)
    return dict(sorted(found.items()))


def groups_of(flip: Flip, by: str) -> list[str]:
    """Return the groups of a step: a workflow has several topologies, a task activities."""
    values = [flip.domain] if by == "domain" else flip.labels.get(by, "").split(",")
    return [value for value in values if value]


def kind_of(flip: Flip) -> str:
    """Return what kind of step it is: attack type, operator, condition, category or activities."""
    return next((found for by in _KINDS if (found := flip.labels.get(by, ""))), "")


def _refuse_others(first: RecordedRun, others: Sequence[RecordedRun]) -> None:
    found = [line for other in others for line in incomparable(first, other)]
    if found:
        raise SettingsError("\n  ".join(["the runs cannot be compared:", *dict.fromkeys(found)]))


def _compare_rows(
    sides: tuple[_Recorded, _Recorded], suite: str, pairing: Pairing
) -> Iterable[Compared]:
    (path, first), (other, second) = sides
    for before, after in pairing.pairs:
        yield compare_rows(
            suite,
            (path, before, first[suite, *before]),
            (other, after, second[suite, *after]),
        )


def compare_rows(
    suite: str,
    before: tuple[Path, Name, Sequence[Outcome]],
    after: tuple[Path, Name, Sequence[Outcome]],
) -> Compared:
    """Compare two rows of a suite, each with its run and its name.

    :raises SettingsError: where they have no scored step in common.
    """
    metrics = suite_metrics(suite)
    one, other = _scored(before[2]), _scored(after[2])
    common = sorted(one.keys() & other.keys())
    if not common:
        raise SettingsError(
            f"no step of {suite} is scored both in {before[0]} ({' with '.join(before[1])}) and in "
            f"{after[0]} ({' with '.join(after[1])})"
        )
    found = compare(before[2], after[2], metrics)
    return Compared(
        suite=suite,
        before=_side(*before),
        after=_side(*after),
        common=len(common),
        episodes=len({key[:3] for key in common}),
        clusters=len({metrics.cluster_of(one[key]) for key in common}),
        differences={
            name: found.differences[name] for name in metrics.metrics if name in found.differences
        },
        metrics=metrics.metrics,
        flips=tuple(sorted(found.flips, key=_place)),
        mcnemar=found.mcnemar,
        only_before=tuple(sorted(found.only_before)),
        only_after=tuple(sorted(found.only_after)),
        spent=spent_in_both([one[key] for key in common], [other[key] for key in common]),
    )


def _place(flip: Flip) -> tuple[bool, str, str, str]:
    return (flip.after, kind_of(flip), flip.domain, flip.label)


def _scored(outcomes: Iterable[Outcome]) -> dict[StepKey, Outcome]:
    return {step_key(each): each for each in outcomes if each.verdict is not None}


def _side(run: Path, name: Name, outcomes: Sequence[Outcome]) -> Side:
    return Side(
        run=run,
        system=name[0],
        model=name[1],
        reference=any(each.system.reference for each in outcomes),
        steps=len(outcomes),
        unscored={each.step.label: each.reason for each in outcomes if each.verdict is None},
    )
