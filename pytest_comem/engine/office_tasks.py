"""A target of a stream done with what was recalled, and held against its run without recall."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import Usage
from pytest_comem.core.recall import Recall
from pytest_comem.core.tokens import count_tokens
from pytest_comem.embedders.base import Embedder
from pytest_comem.engine.office_data import Target
from pytest_comem.engine.office_outcomes import Compared
from pytest_comem.engine.office_runs import NO_RECALL, NoRecallRuns, TaskDoer, guarded
from pytest_comem.engine.workflow_accounts import NodeAccounts
from pytest_comem.errors import InfrastructureError
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import RunStopped
from pytest_comem.llm.meter import Meter
from pytest_comem.office.base import Comparer, Hidden, Rater, Ratings, Run, Shown
from pytest_comem.office.diagnostics import similarity

#: What the runs without recall are called where a memory system's label stands otherwise.
_ALONE: Final = "no-recall"


@final
@dataclass(frozen=True, slots=True)
class OfficePlayer:
    """Who does the tasks of one part of a run, and what decides on them.

    :param model: name of the agent's model as the user gave it.
    :param label: name in ids; empty where the run has only one model.
    :param repeat: number of the repeat, 0-based; ``None`` where the run repeats nothing.
    :param doer: does and grades tasks.
    :param comparer: says which of two runs is better.
    :param rater: rates recall and its use; ``None`` where no model judges.
    """

    model: str
    label: str
    repeat: int | None
    doer: TaskDoer
    comparer: Comparer
    rater: Rater | None = None

    @property
    def identity(self) -> list[list[str]]:
        """What of it decides on outcomes."""
        return [*self.alone, [self.comparer.name, self.comparer.version], *self._rating]

    @property
    def alone(self) -> list[list[str]]:
        """What of it decides on a run without recall."""
        agent, grader = self.doer.agent, self.doer.grader
        return [[self.model, agent.name, agent.version], [grader.name, grader.version]]

    @property
    def _rating(self) -> list[list[str]]:
        return [] if self.rater is None else [[self.rater.name, self.rater.version]]


@final
@dataclass(frozen=True, slots=True)
class OfficeJob:
    """A target to be done.

    :param run_label: of its step: system, model, stream and repeat.
    """

    target: Target
    recall: Recall
    embedder: Embedder
    run_label: str


@final
class TaskPlay:
    """Does targets with one player; from any thread.

    :param path: of the run's directory.
    """

    def __init__(self, player: OfficePlayer, path: Path, seed: int, door: Door) -> None:
        self._player = player
        self._seed = seed
        self._door = door
        self._alone = NoRecallRuns(path / NO_RECALL)
        self._hidden = lru_cache(maxsize=64)(_graders_view)

    def compared(self, job: OfficeJob) -> tuple[Compared, Mapping[str, Usage]]:
        """Do a target with recall and, where nobody did, without it.

        What the run without recall takes is the whole run's cost, and no system's.

        :raises BenchmarkDefect: where the task itself cannot be done or graded.
        :raises InfrastructureError: where something around it broke, naming what.
        """
        target, player = job.target, self._player
        hidden = self._hidden(target)
        passages = tuple(item.text for item in job.recall.items if item.text.strip())
        without = self._without(target, hidden)
        meter = self._door.meter(f"contextweave/{job.run_label}/{target.id}", player.repeat or 0)
        meter.step = target.id
        accounts = NodeAccounts(meter)
        try:
            if passages:
                run = player.doer.run(target, hidden, passages, meter, accounts.phase)
                win, ratings = self._judged(job, hidden, passages, run, without, accounts, meter)
            else:
                # The two conditions are one, and so is their run.
                run, win, ratings = without, None, Ratings()
            near = similarity(passages, _snippets(target), job.embedder.embed)
            usage = dict(accounts.take())
        finally:
            self._door.finish(meter)
        if passages:
            answer = usage.get("answer", Usage())
            if not answer.calls:
                # Words stand for tokens where no model counted them.
                usage["answer"] = replace(answer, tokens=run.trajectory.tokens)
        tokens = sum(map(count_tokens, passages))
        return Compared(run, without, win, near, tokens, ratings), usage

    def _judged(
        self,
        job: OfficeJob,
        hidden: Hidden,
        passages: tuple[str, ...],
        run: Run,
        without: Run,
        accounts: NodeAccounts,
        meter: Meter,
    ) -> tuple[bool, Ratings]:
        player, task = self._player, job.target.task.task
        shown = Shown(job.target.stream.participant, task, passages)
        with accounts.phase("judge"):
            win = guarded(
                "grader",
                f"the judge {player.comparer.name}",
                lambda: player.comparer.with_recall_wins(task, hidden, run, without, meter),
            )
            if player.rater is None:
                return win, Ratings()
            rater = player.rater
            ratings = guarded(
                "grader",
                f"the judge {rater.name}",
                lambda: rater.rate(shown, hidden, run, without, meter),
            )
            return win, ratings

    def _without(self, target: Target, hidden: Hidden) -> Run:
        """Return the run without recall, made where there is none yet."""
        player = self._player
        repeat = player.repeat or 0
        key = stable_hash([target.digest, player.alone, self._seed, repeat])

        def make() -> Run:
            names = [_ALONE, player.label, target.participant]
            label = "-".join(name for name in names if name)
            number = "" if player.repeat is None else f".r{repeat + 1}"
            meter = self._door.meter(f"contextweave/{label}{number}/{target.id}", repeat)
            meter.step = target.id
            accounts = NodeAccounts(meter)
            try:
                return player.doer.run(target, hidden, (), meter, accounts.phase)
            except RunStopped:
                raise
            except InfrastructureError as error:
                what = f"the run without recall: {error}"
                raise InfrastructureError(what, type=error.type) from error
            finally:
                accounts.take()
                self._door.finish(meter)

        return self._alone.get(key, make)


def _graders_view(target: Target) -> Hidden:
    target.require_as_loaded()
    return target.graders_view()


def _snippets(target: Target) -> tuple[str, ...]:
    return tuple(text for one in target.hidden.relevance.relevant for text in one.snippets)
