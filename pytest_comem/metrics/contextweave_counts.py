"""ContextWeave's tasks as rows of numbers, for statistics over tasks.

A task is drawn as a whole, with its run without recall and all its repeats, and participants are
strata: intervals are over the tasks that these participants might have been given instead, and say
nothing of other participants.

Every metric is of the tasks that have what it needs: a task without an item of preference is in no
mean of preferences, and one whose problems nobody counted in no share of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, final

from pytest_comem.core.outcomes import Outcome
from pytest_comem.metrics.contextweave_infos import METRICS
from pytest_comem.metrics.suites import Array, Cluster, MetricInfo, Unit

#: Name of the suite.
OFFICE: Final = "contextweave"
#: Columns of the sums.
_NAMES: Final = (
    *("tasks", "workspace", "preferences", "preference", "duels", "wins"),
    *("workspace_pairs", "workspace_with", "workspace_without"),
    *("preference_pairs", "preference_with", "preference_without"),
    *("similarities", "similarity", "precisions", "precision", "recalls", "recall"),
    *("trajectories", "exploration", "exploration_alone"),
    *("execution", "calls", "execution_alone", "calls_alone"),
    *("problems_alone", "problems_solvable", "problems_left", "problems_left_solvable"),
    *("blamed", "induced"),
    *("relevance_ratings", "relevance", "familiarity_ratings", "familiarity"),
    *("robustness_ratings", "robustness", "recalls_counted", "recalled_tokens"),
)
_AT: Final = {name: place for place, name in enumerate(_NAMES)}
#: Columns by metric, of shares: numerator, denominator.
_SHARES: Final = {
    "Workspace": ("workspace", "tasks"),
    "Preference": ("preference", "preferences"),
    "Win": ("wins", "duels"),
    "Similarity": ("similarity", "similarities"),
    "Precision": ("precision", "precisions"),
    "Recall": ("recall", "recalls"),
    "PSR": ("problems_solvable", "problems_alone"),
    "RSP": ("problems_left_solvable", "problems_left"),
    "MITR": ("induced", "blamed"),
}
_MEANS: Final = {
    "RelevanceRating": ("relevance", "relevance_ratings"),
    "FamiliarityRating": ("familiarity", "familiarity_ratings"),
    "RobustnessRating": ("robustness", "robustness_ratings"),
    "RecallTokens": ("recalled_tokens", "recalls_counted"),
}
#: With recall, without it, by how many tasks the difference is divided, and times what.
_GAINS: Final = {
    "dWorkspace": ("workspace_with", "workspace_without", "workspace_pairs", 100.0),
    "dPreference": ("preference_with", "preference_without", "preference_pairs", 100.0),
    "dExploration": ("exploration", "exploration_alone", "trajectories", 1.0),
}
#: Measures from 0 to 1 with their two columns, and those of a judge, from 1 to 5.
_RELEVANCE: Final = {
    "relevance_similarity": ("similarity", "similarities"),
    "relevance_precision": ("precision", "precisions"),
    "relevance_recall": ("recall", "recalls"),
}
_RATED: Final = {
    "relevance_rating": ("relevance", "relevance_ratings"),
    "familiarity_rating": ("familiarity", "familiarity_ratings"),
    "robustness_rating": ("robustness", "robustness_ratings"),
}
_PROBLEMS: Final = (
    ("problems_solvable", "problems_alone"),
    ("problems_left_solvable", "problems_left"),
)
_ACTIONS: Final = ("exploration", "execution", "other")
#: Measures of the run without recall, and of which they are the same there.
_ALONE: Final = {
    name: f"{name}_alone" for name in ("workspace", "preference", *_ACTIONS)
}  # fmt: skip


@final
class ContextWeaveMetrics:
    """ContextWeave's metrics in the form of :class:`pytest_comem.metrics.suites.SuiteMetrics`."""

    suite: Final = OFFICE
    cluster: Final = "task"
    by_domain_mean: Final = False
    episode_labels: Final = ("participant",)
    columns: Final = len(_NAMES)
    failure_classes: Final = ("misled", "unhelped", "incomplete")
    metrics: Final[Mapping[str, MetricInfo]] = {info.name: info for info in METRICS}

    def cluster_of(self, outcome: Outcome) -> Cluster:
        """Return a task's participant and the task."""
        return (outcome.labels["participant"], outcome.step.id)

    def units(self, outcomes: Iterable[Outcome]) -> Iterator[Unit]:
        """Yield a unit for each scored task.

        :raises KeyError, TypeError, ValueError: where an outcome lacks a label or measure, or a
            measure is out of its range.
        """
        for outcome in outcomes:
            if outcome.verdict is not None:
                yield self._unit(outcome, outcome.verdict.measures)

    def alone(self, outcome: Outcome) -> Unit | None:
        """Return what the same task counts for without recall; ``None`` where it is unscored.

        :raises KeyError, TypeError, ValueError: as :meth:`units`.
        """
        if outcome.verdict is None or outcome.verdict.measures.get("workspace_alone") is None:
            return None
        measures = outcome.verdict.measures
        alone = {name: measures.get(at) for name, at in _ALONE.items()}
        return self._unit(outcome, {**alone, "recalled_tokens": 0.0})

    def _unit(self, outcome: Outcome, measures: Mapping[str, bool | float | None]) -> Unit:
        cluster = self.cluster_of(outcome)
        return Unit(cluster, outcome.repeat, cluster, _row(measures))

    def values(self, sums: Array) -> dict[str, Array]:
        """Return every metric of sums: points, percent, and means in their own unit."""
        import numpy as np

        def of(name: str) -> Array:
            return sums[..., _AT[name]]

        # Where nothing stands behind a metric, 0 / 0 is the NaN that is wanted.
        with np.errstate(divide="ignore", invalid="ignore"):
            found = {
                name: 100.0 * of(count) / of(whole) for name, (count, whole) in _SHARES.items()
            }
            found |= {name: of(count) / of(whole) for name, (count, whole) in _MEANS.items()}
            for name, (there, here, tasks, times) in _GAINS.items():
                found[name] = times * (of(there) - of(here)) / of(tasks)
            found["dExecutionRate"] = 100.0 * (
                of("execution") / of("calls") - of("execution_alone") / of("calls_alone")
            )
        return {name: found[name] for name in self.metrics}

    def failure_class(self, outcome: Outcome) -> str | None:
        """Return in which way a scored task failed.

        Recall led it astray; a problem is left that recalled content would have solved; or
        neither, and it is not done.
        """
        verdict = outcome.verdict
        if verdict is None or verdict.passed:
            return None
        if verdict.measures.get("memory_induced") is True:
            return "misled"
        return "unhelped" if verdict.measures.get("problems_left_solvable") else "incomplete"

    def numerators(self, metric: str) -> tuple[int, int] | None:
        """Return the columns whose quotient *metric* is, or ``None`` where it is no share."""
        if metric not in _SHARES:
            return None
        count, of = _SHARES[metric]
        return _AT[count], _AT[of]


def _row(measures: Mapping[str, bool | float | None]) -> Sequence[float]:
    row = dict.fromkeys(_NAMES, 0.0)
    _count_scores(row, measures)
    for measure, (column, of) in _RELEVANCE.items():
        if (value := _number(measures, measure, 0, 1)) is not None:
            row[column], row[of] = value, 1.0
    for measure, (column, of) in _RATED.items():
        if (value := _number(measures, measure, 1, 5)) is not None:
            row[column], row[of] = value, 1.0
    _count_actions(row, measures)
    _count_problems(row, measures)
    if (tokens := _number(measures, "recalled_tokens")) is not None:
        row["recalled_tokens"], row["recalls_counted"] = tokens, 1.0
    return list(row.values())


def _count_scores(row: dict[str, float], measures: Mapping[str, bool | float | None]) -> None:
    if measures.get("workspace") is None:
        raise ValueError("a scored task has no measure 'workspace'")
    for name, of in (("workspace", "tasks"), ("preference", "preferences")):
        score, alone = (_number(measures, each, 0, 100) for each in (name, f"{name}_alone"))
        if score is not None:
            row[name], row[of] = score / 100, 1.0
            if alone is not None:
                row[f"{name}_pairs"] = 1.0
                row[f"{name}_with"], row[f"{name}_without"] = score / 100, alone / 100
    if (win := measures.get("win")) is not None:
        row["wins"], row["duels"] = float(win is True), 1.0


def _count_actions(row: dict[str, float], measures: Mapping[str, bool | float | None]) -> None:
    found = [_number(measures, name) for name in _ACTIONS]
    alone = [_number(measures, f"{name}_alone") for name in _ACTIONS]
    known, known_alone = ([one for one in each if one is not None] for each in (found, alone))
    if len(known) < len(_ACTIONS) or len(known_alone) < len(_ACTIONS):
        return
    row["trajectories"] = 1.0
    row["exploration"], row["execution"], row["calls"] = known[0], known[1], sum(known)
    row["exploration_alone"], row["execution_alone"] = known_alone[0], known_alone[1]
    row["calls_alone"] = sum(known_alone)


def _count_problems(row: dict[str, float], measures: Mapping[str, bool | float | None]) -> None:
    for solvable, of in _PROBLEMS:
        some, whole = _number(measures, solvable), _number(measures, of)
        if some is not None and whole is not None:
            if some > whole:
                raise ValueError(f"{solvable} is {some:g}, more than {of}, {whole:g}")
            row[solvable], row[of] = some, whole
    if (induced := measures.get("memory_induced")) is not None:
        row["induced"], row["blamed"] = float(induced is True), 1.0


def _number(
    measures: Mapping[str, bool | float | None],
    name: str,
    least: float = 0,
    most: float = float("inf"),
) -> float | None:
    """Return a measure; ``None`` where it does not apply.

    :raises ValueError: where it is out of its range, or no number.
    """
    value = measures.get(name)
    if value is None:
        return None
    if not least <= value <= most:
        raise ValueError(f"{name} is {value!r}, not between {least:g} and {most:g}")
    return float(value)


#: The one there is; it keeps nothing.
CONTEXTWEAVE: Final = ContextWeaveMetrics()
