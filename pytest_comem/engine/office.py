"""ContextWeave played: a stream is told once, in order; each target is asked at its own point."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final, final

from pytest_comem.core.hashing import stable_hash
from pytest_comem.core.outcomes import Attribution, Failure, Outcome, Usage
from pytest_comem.core.recall import Recall
from pytest_comem.core.replies import Reply
from pytest_comem.core.steps import Step
from pytest_comem.engine.adapter import GuardedMemory
from pytest_comem.engine.causes import cause_of
from pytest_comem.engine.in_flight import InFlight
from pytest_comem.engine.office_data import OfficeData, PlayedStream, Target
from pytest_comem.engine.office_outcomes import labels_of, verdict_of
from pytest_comem.engine.office_tasks import OfficeJob, OfficePlayer, TaskPlay
from pytest_comem.engine.side_by_side import SideBySide
from pytest_comem.engine.workflow_accounts import NodeAccounts
from pytest_comem.errors import BenchmarkDefect, InfrastructureError
from pytest_comem.llm.door import Door
from pytest_comem.llm.faults import RunStopped
from pytest_comem.memory.registry import SystemUnderTest

#: Seconds that a run which is over waits for tasks that are being done.
CLOSING_TIME: Final = 1.0
#: Part of the benchmark that all streams belong to.
DOMAIN: Final = "office"


@final
@dataclass(frozen=True, slots=True)
class OfficeRun:
    """How a run plays streams.

    :param path: of the run's directory.
    :param threshold: Workspace Score at which a task passes.
    :param top_k: items for one query; as the memory system has it, where ``None``.
    :param seed: of everything random.
    :param side_by_side: targets done at once in this process.
    :param sandbox: name of the kind of sandbox.
    :param warnings: what is left out and why, a sentence each.
    """

    path: Path
    threshold: float = 60.0
    top_k: int | None = None
    seed: int = 0
    side_by_side: int = 8
    sandbox: str = ""
    warnings: tuple[str, ...] = ()

    def top_k_of(self, system: SystemUnderTest) -> int:
        """Return how many items are recalled for a target, at most."""
        return self.top_k or system.top_k


@final
class OfficeSuite:
    """The ContextWeave suite over a set of streams.

    :param players: who does the tasks, a model and a repeat each.
    :param play_of: what plays tasks with a player.
    """

    name: Final = "contextweave"
    parameter: Final = "task"
    holds_whole: Final = False

    def __init__(
        self, data: OfficeData, players: Sequence[OfficePlayer], run: OfficeRun, door: Door
    ) -> None:
        self._data = data
        self._run = run
        self._door = door
        self._players = {(player.label, player.repeat): player for player in players}
        self._streams = {one.id: one for one in data.streams}
        self._pool = SideBySide(run.side_by_side)
        self._plays = {
            key: TaskPlay(player, run.path, run.seed, door) for key, player in self._players.items()
        }

    def steps(self, system: SystemUnderTest) -> Sequence[Step]:
        """Return every target for *system*, by model, repeat, participant and time."""
        return [
            Step(
                self.name,
                system.info.name,
                DOMAIN,
                stream.id,
                target.id,
                position,
                label,
                repeat,
            )
            for label, repeat in self._players
            for stream in self._data.streams
            for position, target in enumerate(stream.targets)
        ]

    def close(self) -> None:
        """Begin nothing more, and give what is being done a moment.

        What takes longer ends with its own limits, or with the process.
        """
        for player in self._players.values():
            player.doer.close()
        self._pool.close(CLOSING_TIME)

    def describe(self) -> dict[str, Any]:
        """Return the data's revision and size, and the streams in playing order."""
        return {
            "revision": self._data.revision,
            "participants": len(self._data.streams),
            "tasks": sum(len(one.stream.tasks) for one in self._data.streams),
            "targets": len(self._data.targets),
            "order": [one.id for one in self._data.streams],
            "checksums": dict(self._data.digests),
            "sandbox": self._run.sandbox,
            "top_k": self._run.top_k,
            "warnings": list(self._run.warnings),
        }

    def key(self, step: Step, system: SystemUnderTest) -> str:
        """Return the hash of everything that could change a step's outcome."""
        target, player = self._target(step), self._player(step)
        return stable_hash(
            [
                self._streams[step.episode].prefixes[target.position],
                target.digest,
                player.identity,
                [system.info.name, system.info.version, system.info.configuration],
                [self._run.top_k_of(system), self._run.seed, self._run.threshold],
                # What tells how near a recall is to what would help.
                system.workshop.embedder.name,
                *([step.repeat] if step.repeat else []),
            ]
        )

    def play(
        self,
        steps: Iterable[Step],
        system: SystemUnderTest,
        known: Container[Step] = frozenset(),
    ) -> Iterator[Outcome]:
        """Play one stream on a fresh memory and yield one outcome a target, in order.

        Targets are done side by side while the stream is told on: nothing that an agent does
        changes the history.
        """
        remaining = iter(steps)
        first = next(remaining, None)
        if first is None:
            return
        meter = self._door.meter(f"{self.name}/{first.run_label}", first.repeat or 0)
        begun = InFlight(self._pool, remaining)
        try:
            with GuardedMemory(system, first.episode, meter) as memory:
                told = _Told(self._streams[first.episode], memory)
                try:
                    for step in chain([first], remaining):
                        self._begin(step, told, begun, known)
                        yield from begun.due()
                except InfrastructureError:
                    # What was asked before is not touched by what broke after it.
                    yield from begun.rest()
                    raise
                yield from begun.rest()
        finally:
            begun.give_up()
            self._door.finish(meter)

    def _begin(
        self,
        step: Step,
        told: _Told,
        begun: InFlight,
        known: Container[Step],
    ) -> None:
        target, system = self._target(step), told.memory.system
        told.up_to(target, step)
        if step in known:
            if system.capabilities.recall_changes:
                told.asked(target, self._run.top_k_of(system))
            told.accounts.take()
            return
        recall = told.asked(target, self._run.top_k_of(system))
        usage = told.accounts.take()
        begun.begin(step, lambda: self._done(step, target, system, recall, usage))

    def _done(
        self,
        step: Step,
        target: Target,
        system: SystemUnderTest,
        recall: Recall,
        usage: Mapping[str, Usage],
    ) -> Outcome:
        """Do a target; what breaks in it is this step's trouble alone."""
        bare = replace(self._bare(step, system), recall=recall)
        job = OfficeJob(target, recall, system.workshop.embedder, step.run_label)
        try:
            compared, work = self._plays[step.model, step.repeat].compared(job)
            verdict = verdict_of(target, compared, self._run.threshold)
        except BenchmarkDefect as defect:
            failure = Failure(Attribution.BENCHMARK, "task", str(defect))
            return replace(bare, failure=failure, usage=dict(usage))
        except RunStopped:
            raise
        except Exception as error:
            return replace(bare, failure=cause_of(error).failure, usage=dict(usage))
        return replace(
            bare,
            reply=Reply("work", compared.with_recall.trajectory.reply),
            verdict=verdict,
            usage=dict(sorted({**usage, **work}.items())),
        )

    def unscored(self, step: Step, system: SystemUnderTest, failure: Failure) -> Outcome:
        """Return the outcome of a target that never came to a verdict."""
        return replace(self._bare(step, system), failure=failure)

    def _target(self, step: Step) -> Target:
        return self._data.targets[step.episode, step.id]

    def _player(self, step: Step) -> OfficePlayer:
        return self._players[step.model, step.repeat]

    def _bare(self, step: Step, system: SystemUnderTest) -> Outcome:
        target, player = self._target(step), self._player(step)
        query = target.query(1)
        return Outcome(
            key=self.key(step, system),
            step=step,
            data=self._data.revision,
            system=system.info,
            model=player.model,
            judge=player.doer.grader.name,
            scoring=f"workspace >= {self._run.threshold:g}",
            labels=labels_of(target),
            query={
                "text": query.text,
                "requester": query.requester.id,
                "role": query.requester.role,
            },
        )


@final
class _Told:
    """How far a memory has been told a stream."""

    def __init__(self, stream: PlayedStream, memory: GuardedMemory) -> None:
        self.memory: Final = memory
        self.accounts: Final = NodeAccounts(memory.meter)
        self._stream = stream
        self._sessions = 0
        self._positions: dict[str, int] = {}

    def up_to(self, target: Target, step: Step) -> None:
        """Tell every session before a target that has not been told."""
        if target.position < self._sessions:
            raise InfrastructureError(
                f"{step.id} is asked after a later task of its stream; "
                "do not reorder the items of a suite",
                type="harness",
            )
        self.accounts.begin(target.id)
        with self.accounts.phase("ingest"):
            while self._sessions < target.position:
                for entry in self._stream.sessions[self._sessions]:
                    self.memory.ingest(entry)
                    self._positions[entry.id] = len(self._positions)
                self._sessions += 1

    def asked(self, target: Target, top_k: int) -> Recall:
        """Return what the memory recalls for a target."""
        if self.memory.is_shown_annotations:
            self.memory.reveal(target.evidence(self._stream.history(target.position)), None)
        with self.accounts.phase("recall"):
            return self.memory.recall(target.query(top_k)).located(self._positions)
