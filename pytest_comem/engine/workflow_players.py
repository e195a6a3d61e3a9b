"""Who does the work of a workflow's nodes in one part of a run: the domain's worker, or a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from pytest_comem.executors.base import Job
from pytest_comem.executors.model_worker import ModelStand, ModelWorker
from pytest_comem.llm.meter import Meter

#: Who works where a run names no model.
WORKER: Final = "worker"


@final
@dataclass(frozen=True, slots=True)
class WorkflowPlayer:
    """Who does the nodes of one part of a run.

    :param model: name as the user gave it.
    :param label: name in ids; empty where the run has only one model.
    :param repeat: number of the repeat, 0-based; ``None`` where the run repeats nothing.
    :param worker: the language model; ``None`` for the domain's own offline worker.
    """

    model: str = WORKER
    label: str = ""
    repeat: int | None = None
    worker: ModelWorker | None = None

    @property
    def identity(self) -> list[str]:
        """What of it decides on outcomes; nothing for the domain's own worker."""
        return [] if self.worker is None else [self.model, self.worker.version]

    def doing(self, job: Job, meter: Meter) -> Job:
        """Return a job whose work this player does.

        :param meter: counts the calls of its model.
        """
        if self.worker is None:
            return job
        tokens = job.instance.family.execution.tokens_per_node
        stand = ModelStand(job.stand, self.worker, meter, tokens)
        settings = {**job.settings, "model": self.model, "worker": self.worker.version}
        return replace(job, stand=stand, settings=settings)


def offline_players(repeats: int) -> Sequence[WorkflowPlayer]:
    """Return the domains' own workers, once a repeat."""
    numbers = range(repeats) if repeats > 1 else (None,)
    return [WorkflowPlayer(repeat=number) for number in numbers]
