"""ContextWeave's outcomes made by hand: office tasks that came out as a test says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_comem.core.outcomes import Attribution, Failure, Outcome, SystemInfo, Verdict
from pytest_comem.core.steps import Step

BROKEN = Failure(Attribution.INFRASTRUCTURE, "sandbox", "gone")
DEFECT = Failure(Attribution.BENCHMARK, "rubric", "no such column")
#: Measures of a task whose run is better with recall.
MEASURES: Mapping[str, bool | float | None] = {
    "workspace": 80.0,
    "workspace_alone": 60.0,
    "preference": 70.0,
    "preference_alone": 40.0,
    "win": True,
    "relevance_similarity": 0.7,
    "relevance_precision": 0.25,
    "relevance_recall": 0.5,
    "relevance_rating": None,
    "exploration": 4.0,
    "execution": 5.0,
    "other": 1.0,
    "exploration_alone": 9.0,
    "execution_alone": 5.0,
    "other_alone": 1.0,
    "familiarity_rating": None,
    "problems_alone": 4.0,
    "problems_solvable": 2.0,
    "problems_left": 2.0,
    "problems_left_solvable": 1.0,
    "memory_induced": False,
    "robustness_rating": None,
    "recalled_tokens": 900.0,
}
#: Of a task for which nothing was recalled: the run with recall is the one without.
NOTHING: Mapping[str, bool | float | None] = {
    "workspace": 60.0,
    "preference": 40.0,
    "win": None,
    "relevance_similarity": None,
    "relevance_precision": None,
    "relevance_recall": 0.0,
    "exploration": 9.0,
    "problems_solvable": 0.0,
    "problems_left": 4.0,
    "problems_left_solvable": 0.0,
    "recalled_tokens": 0.0,
}


def task(
    name: str = "t1",
    *,
    participant: str = "ana",
    system: str = "bm25",
    model: str = "offline",
    project: str = "Harbour",
    activities: str = "Writing,Data Analysis",
    main: bool = True,
    distance: str = "2-3",
    repeat: int | None = None,
    failure: Failure | None = None,
    reference: bool = False,
    position: int = 0,
    **measures: Any,
) -> Outcome:
    """Return the outcome of one task; it passes from a Workspace Score of 60 on.

    :param measures: those that differ from :data:`MEASURES`.
    """
    found = {**MEASURES, **measures}
    passed = (found["workspace"] or 0) >= 60
    labels = {
        "participant": participant,
        "project": project,
        "activities": activities,
        "main": "yes" if main else "no",
        "distance": distance,
    }
    return Outcome(
        key="",
        step=Step("contextweave", system, "office", participant, name, position, repeat=repeat),
        data="embedded",
        system=SystemInfo(system, "1", "", reference=reference),
        model=model,
        judge="checks",
        scoring="paper",
        labels=labels,
        query={"text": "Prepare the churn report for January."},
        verdict=None if failure else Verdict(passed, "So it is.", found),
        failure=failure,
    )


def tasks(
    gains: Iterable[float], *, participants: int = 3, prefix: str = "t", **more: Any
) -> list[Outcome]:
    """Return a task for each gain in Workspace and Preference, dealt out to participants in turn.

    :param gains: points above what the run without recall comes to, 50 and 40.
    """
    distances = ("none", "1", "2-3", "4-10", "more than 10")
    activities = ("Writing", "Data Analysis,Review", "Coding,Debugging")
    given = {"workspace_alone": 50.0, "preference_alone": 40.0, **more}
    return [
        task(
            f"{prefix}{place}",
            participant=f"p{place % participants}",
            position=place,
            activities=activities[place % 3],
            distance=distances[place % 5],
            project=("Harbour", "Orchard", "")[place % 3],
            **{
                "workspace": given["workspace_alone"] + gain,
                "preference": given["preference_alone"] + gain,
                "win": gain > 0,
                **given,
            },
        )
        for place, gain in enumerate(gains)
    ]


def run_of_four() -> list[Outcome]:
    """Return thirty tasks of three participants on four systems, none of them alike.

    ``none`` recalls nothing, ``stale`` leads astray, ``oracle`` sees what is hidden.
    """
    mixed = [(7 * place) % 23 for place in range(30)]
    nothing: dict[str, Any] = {**NOTHING, "workspace": 50.0}
    return [
        *tasks([0] * 30, system="none", **nothing),
        *tasks([place - 15 for place in mixed], system="stale", memory_induced=True,
               recalled_tokens=1500.0, relevance_similarity=0.4, problems_solvable=0.0),
        *tasks([place + 2 for place in mixed], system="bm25"),
        *tasks([place + 25 for place in mixed], system="oracle", reference=True,
               recalled_tokens=400.0, relevance_precision=1.0, problems_left_solvable=0.0),
    ]  # fmt: skip
