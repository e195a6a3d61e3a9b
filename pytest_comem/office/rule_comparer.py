"""The comparison by rules as a judge of two runs."""

from __future__ import annotations

from typing import Final, final

from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Hidden, Run
from pytest_comem.office.diagnostics import continuity
from pytest_comem.office.operations import CallClass
from pytest_comem.office.pairwise import Side, prefers
from pytest_comem.streams.schema import Task


@final
class RuleComparer:
    """Compares by :mod:`pytest_comem.office.pairwise`.

    :param seed: of sides and coins.
    """

    name: Final = "rules"
    version: Final = "1"

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def with_recall_wins(
        self, task: Task, hidden: Hidden, with_recall: Run, without: Run, meter: Meter
    ) -> bool:
        """Return whether the run with recall is preferred."""
        weights = {item.item_id: item.weight for item in hidden.rubric.preferences}
        sides = [
            Side(run.grade, continuity(run.trajectory.calls)[CallClass.EXPLORATION], weights)
            for run in (with_recall, without)
        ]
        # Ids of tasks are unique within a stream; what is asked tells streams apart.
        return prefers(f"{task.task_id}\n{task.instruction}", self._seed, *sides).with_wins
