"""What became of an office task, as an outcome."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

from pytest_comem.core.outcomes import Verdict
from pytest_comem.engine.office_data import Target
from pytest_comem.office.base import Followed, Found, Grade, Ratings, Run, Trajectory
from pytest_comem.office.diagnostics import Similarity, continuity, memory_induced, open_problems
from pytest_comem.office.operations import CallClass
from pytest_comem.streams.hidden import Rubric

#: Characters of a call's words that an outcome keeps, and calls.
_WORDS: Final = 300
_CALLS: Final = 200


@final
@dataclass(frozen=True, slots=True)
class Compared:
    """A task with and without recall.

    :param win: whether the run with recall is preferred; ``None`` where nothing was recalled, so
        that both runs are one.
    :param similarity: between what was recalled and what would help.
    :param recalled_tokens: of what was shown.
    """

    with_recall: Run
    without: Run
    win: bool | None
    similarity: Similarity
    recalled_tokens: int
    ratings: Ratings = field(default_factory=Ratings)


def labels_of(target: Target) -> dict[str, str]:
    """Return what breakdowns of a task's outcome go by."""
    task = target.task.task
    return {
        "participant": target.participant,
        "project": task.project or "",
        "activities": ",".join(activity.value for activity in task.activities),
        "main": "yes" if task.main else "no",
        "distance": target.distance,
    }


def verdict_of(target: Target, compared: Compared, threshold: float) -> Verdict:
    """Return a task's verdict: passed where its Workspace Score reaches the threshold."""
    grade = compared.with_recall.grade
    return Verdict(
        passed=grade.workspace >= threshold,
        reason=_reason(compared, threshold),
        measures=_measures(compared, target.hidden.rubric),
        evidence=_evidence(compared, target.hidden.rubric),
    )


def _measures(compared: Compared, rubric: Rubric) -> dict[str, bool | float | None]:
    with_recall, without = compared.with_recall, compared.without
    did, did_alone = continuity(with_recall.trajectory.calls), continuity(without.trajectory.calls)
    known = with_recall.trajectory.known
    alone = open_problems(without.grade, rubric)
    left = open_problems(with_recall.grade, rubric)
    similarity, ratings = compared.similarity, compared.ratings
    return {
        "workspace": with_recall.grade.workspace,
        "workspace_alone": without.grade.workspace,
        "preference": with_recall.grade.preference,
        "preference_alone": without.grade.preference,
        "win": compared.win,
        "relevance_similarity": similarity.mean,
        "relevance_precision": similarity.precision,
        "relevance_recall": similarity.recall,
        "relevance_rating": ratings.relevance,
        "exploration": float(did[CallClass.EXPLORATION]),
        "execution": float(did[CallClass.EXECUTION]),
        "other": float(did[CallClass.OTHER]),
        "exploration_alone": float(did_alone[CallClass.EXPLORATION]),
        "execution_alone": float(did_alone[CallClass.EXECUTION]),
        "other_alone": float(did_alone[CallClass.OTHER]),
        "familiarity_rating": ratings.familiarity,
        "problems_alone": float(len(alone)),
        "problems_solvable": float(sum(one.is_solvable(rubric, known) for one in alone)),
        "problems_left": float(len(left)),
        "problems_left_solvable": float(sum(one.is_solvable(rubric, known) for one in left)),
        "memory_induced": memory_induced(
            with_recall.grade, without.grade, _taken(with_recall.trajectory), rubric
        ),
        "robustness_rating": ratings.robustness,
        "recalled_tokens": float(compared.recalled_tokens),
    }


def _taken(trajectory: Trajectory) -> Sequence[Followed]:
    """Return what an agent took from recall; where it does not say, what was offered first."""
    offered = [Followed(slot, found[0], 0) for slot, found in trajectory.known.items() if found]
    return trajectory.followed or tuple(offered)


def _reason(compared: Compared, threshold: float) -> str:
    grade, alone = compared.with_recall.grade, compared.without.grade
    said = [
        f"Workspace {grade.workspace:.0f} (to pass: {threshold:g}; without recall "
        f"{alone.workspace:.0f})",
        f"Preference {_score(grade.preference)} (without recall {_score(alone.preference)})",
    ]
    for what, found in (("checks", grade.checks), ("preferences", grade.items)):
        failed = [f"{name}: {one.reason}" for name, one in found.items() if one.passed is False]
        if failed:
            said.append(f"{what} not met: {'; '.join(failed)}")
    if compared.with_recall.trajectory.stopped != "finished":
        said.append(f"the agent was stopped: {compared.with_recall.trajectory.stopped}")
    return ". ".join(said) + "."


def _score(score: float | None) -> str:
    return "not applicable" if score is None else f"{score:.0f}"


def _evidence(compared: Compared, rubric: Rubric) -> dict[str, Any]:
    run = compared.with_recall
    return {
        **_graded(run.grade),
        "followed": [
            {
                "slot": one.slot,
                "value": one.value,
                "passage": one.passage,
                "right": rubric.choices.get(one.slot) == one.value,
            }
            for one in run.trajectory.followed
        ],
        "stopped": run.trajectory.stopped,
        "calls": _calls(run),
        "without_recall": {**_graded(compared.without.grade), "calls": _calls(compared.without)},
    }


def _graded(grade: Grade) -> dict[str, Any]:
    return {
        "checks": _found(grade.checks),
        "preferences": _found(grade.items),
        **({"judge": dict(grade.evidence)} if grade.evidence else {}),
    }


def _found(found: Mapping[str, Found]) -> dict[str, Any]:
    return {name: {"passed": one.passed, "reason": one.reason} for name, one in found.items()}


def _calls(run: Run) -> Sequence[Mapping[str, Any]]:
    return [
        {"class": one.call_class.value, "ok": one.ok, "did": _clipped(one.text)}
        for one in run.trajectory.calls[:_CALLS]
    ]


def _clipped(text: str) -> str:
    return text if len(text) <= _WORDS else f"{text[:_WORDS]}..."
